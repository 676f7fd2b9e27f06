//! `greenroom audit`: reads the journals and shows what was decided in them.

use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::Path;

use greenroom_actors::ports::{Clock, Store, StoreError};
use greenroom_protocol::session::SessionId;

use super::parts::{journal_in, known_secrets, open_store};
use super::rpc::cannot_start;
use super::run::{configured, refuse};
use crate::audit::{Latest, Lines, Record, Trail, Wanted, json_line};
use crate::cli::{AuditOptions, Usage};
use crate::clock::SystemClock;
use crate::config::Config;
use crate::redact::Redactor;
use crate::store::holder_of;

/// Shows decisions; returns the exit code.
pub(super) fn run(options: &AuditOptions) -> u8 {
    let (config, _logging) = match configured(&options.common, None) {
        Ok(configured) => configured,
        Err(usage) => return refuse(&usage),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return refuse(&cannot_start(format!("no runtime: {error}"), 1)),
    };
    let latest = match runtime.block_on(read(options, &config)) {
        Ok(latest) => latest,
        Err(usage) => return refuse(&usage),
    };
    match show(latest, options.json) {
        Ok(()) => 0,
        // Whoever reads has read enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => 0,
        Err(error) => refuse(&cannot_start(format!("it cannot be shown: {error}"), 1)),
    }
}

async fn read(options: &AuditOptions, config: &Config) -> Result<Latest, Usage> {
    let journal = journal_in(&config.places.home);
    free(&journal)?;
    let failed = |error: StoreError| cannot_start(error, 1);
    let store = open_store(config, None).await.map_err(failed)?;
    let now = SystemClock.now();
    let wanted = Wanted {
        since: options.since.map(|since| since.seen_from(now)),
        until: options.until.map(|until| until.seen_from(now)),
        denied: options.denied,
        tool: options.tool.clone(),
        by: options.by,
        rule: options.rule.clone(),
    };
    let redactor = Redactor::new(known_secrets(config));
    let mut latest = Latest::new(options.limit);
    let mut take = |record: Record| {
        if wanted.is(&record) {
            latest.take(record, |record| record.clean(&redactor));
        }
    };
    if let Some(session) = &options.session {
        if !follow(&*store, session, &mut take).await.map_err(failed)? {
            let reason = format!(
                "--session: there is no session {session}; leave the flag out to see the latest \
                 decisions of all"
            );
            return Err(cannot_start(reason, 2));
        }
        return Ok(latest);
    }
    let sessions = store.list(None).await.map_err(failed)?;
    for listing in sessions {
        // What is older has no later record.
        if wanted.since.is_some_and(|since| listing.updated < since) {
            continue;
        }
        // One damaged journal must not hide the others.
        if let Err(error) = follow(&*store, &listing.id, &mut take).await {
            tracing::warn!(%error, "a session is left out of the audit trail");
        }
    }
    Ok(latest)
}

/// Whether there is a store that nobody holds. It is never made here.
fn free(journal: &Path) -> Result<(), Usage> {
    let shown = journal.display();
    if !journal.exists() {
        let reason = format!(
            "there is no journal {shown}, so no session was saved; name another folder with \
             $GREENROOM_HOME"
        );
        return Err(cannot_start(reason, 1));
    }
    match holder_of(journal) {
        None => Ok(()),
        Some(holder) => {
            let reason = format!(
                "the journal {shown} is in use by {holder}: try again when that one has ended; \
                 until then its host can have a session written by `export`"
            );
            Err(cannot_start(reason, 1))
        }
    }
}

/// Reads a journal page by page; whether there is one.
async fn follow(
    store: &dyn Store,
    session: &SessionId,
    take: &mut impl FnMut(Record),
) -> Result<bool, StoreError> {
    let mut trail = Trail::new(session.clone());
    let mut whole = Vec::new();
    let mut after = 0;
    loop {
        let page = store.page(session.clone(), after).await?;
        let Some(last) = page.last() else {
            break;
        };
        let seq = last.seq;
        for event in &page {
            trail.take(event, &mut whole);
            whole.drain(..).for_each(&mut *take);
        }
        after = seq;
    }
    trail.finish(&mut whole);
    whole.into_iter().for_each(take);
    Ok(after > 0)
}

fn show(latest: Latest, json: bool) -> io::Result<()> {
    let left_out = latest.left_out();
    let decisions = latest.into_records();
    let stdout = io::stdout();
    let width = terminal_width(&stdout);
    let mut out = BufWriter::new(stdout.lock());
    let mut lines = Lines::of(&decisions, width);
    for record in &decisions {
        match json {
            true => writeln!(out, "{}", json_line(record))?,
            false => out.write_all(lines.line(record).as_bytes())?,
        }
    }
    out.flush()?;
    let remark = match (decisions.len(), left_out) {
        (0, _) => "no such decision was recorded\n".to_owned(),
        (_, 0) => return Ok(()),
        (_, count) => format!(
            "{count} earlier decisions are not shown; raise --limit, or choose with --since and \
             --until\n"
        ),
    };
    // It is for people, so it stays out of what programs read.
    let _ = io::stderr().write_all(remark.as_bytes());
    Ok(())
}

/// The terminal's width in characters; nothing when it is none.
fn terminal_width(stdout: &io::Stdout) -> Option<usize> {
    if !stdout.is_terminal() {
        return None;
    }
    let size = rustix::termios::tcgetwinsize(stdout).ok()?;
    (size.ws_col > 0).then(|| usize::from(size.ws_col))
}
