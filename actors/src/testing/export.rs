//! An exporter that writes nothing, and can be told to fail.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::ports::{ExportFault, ExportJob, Exported, Exporter, Work};

/// Says where it would have written.
#[derive(Debug, Default)]
pub struct FakeExporter {
    broken: AtomicBool,
}

impl FakeExporter {
    /// From now on exports fail, or succeed again.
    pub fn set_broken(&self, broken: bool) {
        self.broken.store(broken, Ordering::Relaxed);
    }
}

impl Exporter for FakeExporter {
    fn export(&self, job: ExportJob) -> Work<Result<Exported, ExportFault>> {
        let broken = self.broken.load(Ordering::Relaxed);
        Box::pin(async move {
            if broken {
                return Err(ExportFault("no space left; free some".to_owned()));
            }
            let name = format!("/exports/{}.{}", job.session, job.request.format.name());
            Ok(Exported {
                path: name.into(),
                redacted: vec!["1 test key".into()],
            })
        })
    }
}
