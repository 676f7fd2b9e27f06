//! The exporter port, on the store and the file system.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use greenroom_actors::ports::{ExportFault, ExportJob, Exported, Exporter, Store, Work};
use greenroom_protocol::session::{Event, SessionId, SessionListing};
use tokio::runtime::Handle;

use crate::export::{self, Export, Journals, Member, Places};
use crate::redact::Redactor;

/// Writes sessions of a store to files, with secrets taken out.
pub(super) struct FileExporter {
    pub store: Arc<dyn Store>,
    pub redactor: Arc<Redactor>,
    pub places: Places,
}

impl Exporter for FileExporter {
    fn export(&self, job: ExportJob) -> Work<Result<Exported, ExportFault>> {
        let store = self.store.clone();
        let redactor = self.redactor.clone();
        let places = self.places.clone();
        Box::pin(async move {
            let stop = StopOnDrop::default();
            let cancelled = stop.0.clone();
            let journals = Journal {
                store,
                runtime: Handle::current(),
            };
            let writing = tokio::task::spawn_blocking(move || {
                let export = Export {
                    session: &job.session,
                    request: &job.request,
                    root: &job.root,
                    places: &places,
                    cancelled: &cancelled,
                };
                export::write(&journals, redactor, &export)
            });
            let written = writing
                .await
                .map_err(|error| ExportFault(format!("it failed inside: {error}")))?
                .map_err(|error| ExportFault(error.to_string()))?;
            Ok(Exported {
                path: written.path.to_string_lossy().into(),
                redacted: written.redacted.into_iter().map(Into::into).collect(),
            })
        })
    }
}

/// Tells a blocking export that nobody waits for it any more.
#[derive(Default)]
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The user's folders.
pub(super) fn places(own: Vec<PathBuf>) -> Places {
    let folder = |name| std::env::var_os(name).map(PathBuf::from);
    Places {
        downloads: folder("XDG_DOWNLOAD_DIR"),
        config: folder("XDG_CONFIG_HOME"),
        home: folder("HOME"),
        own,
    }
}

struct Journal {
    store: Arc<dyn Store>,
    runtime: Handle,
}

impl Journals for Journal {
    fn family(&self, of: &SessionId, all: bool) -> Result<Vec<Member>, String> {
        let listed = self.runtime.block_on(self.store.list(None));
        let listed = listed.map_err(|error| error.message)?;
        // Of an unsaved session no list tells.
        let first = self.first(of)?;
        Ok(family(of, first, &listed, all))
    }

    fn read(
        &self,
        session: &SessionId,
        visit: &mut dyn FnMut(Event) -> ControlFlow<()>,
    ) -> Result<(), String> {
        let mut after = 0;
        loop {
            let page = self.store.page(session.clone(), after);
            let page = self.runtime.block_on(page).map_err(|error| error.message)?;
            let Some(last) = page.last() else {
                return Ok(());
            };
            after = last.seq;
            for event in page {
                if visit(event).is_break() {
                    return Ok(());
                }
            }
        }
    }
}

impl Journal {
    fn first(&self, of: &SessionId) -> Result<Option<SessionListing>, String> {
        let mut found = None;
        self.read(of, &mut |event| {
            found = greenroom_actors::ports::listing::begin(of, &event);
            ControlFlow::Break(())
        })?;
        Ok(found)
    }
}

/// The sessions of one tree, each behind the one that it goes on from.
fn family(
    of: &SessionId,
    own: Option<SessionListing>,
    listed: &[SessionListing],
    all: bool,
) -> Vec<Member> {
    let known = |id: &SessionId| {
        let listed = listed.iter().chain(&own);
        listed.into_iter().find(|listing| listing.id == *id)
    };
    let member = |listing: &SessionListing| Member {
        id: listing.id.clone(),
        fork_of: listing.fork_of.clone(),
    };
    let mut way = Vec::new();
    let mut next = known(of);
    while let Some(listing) = next
        && !way.iter().any(|it: &Member| it.id == listing.id)
    {
        way.push(member(listing));
        next = listing.fork_of.as_ref().and_then(|(id, _)| known(id));
    }
    way.reverse();
    if !all {
        return way;
    }
    let mut family: Vec<Member> = way.into_iter().take(1).collect();
    let mut place = 0;
    while let Some(parent) = family.get(place).map(|member| member.id.clone()) {
        let is_fork = |listing: &&SessionListing| {
            listing
                .fork_of
                .as_ref()
                .is_some_and(|(id, _)| *id == parent)
        };
        let mut forks: Vec<Member> = listed.iter().filter(is_fork).map(member).collect();
        // Their names begin with the time at which they were made.
        forks.sort_by(|a, b| a.id.cmp(&b.id));
        forks.retain(|fork| !family.iter().any(|known| known.id == fork.id));
        family.extend(forks);
        place += 1;
    }
    family
}
