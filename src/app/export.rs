//! The exporter port on the store and the file system.

use greenroom_actors::ports::{ExportFault, ExportJob, Exported, Exporter, Work};

pub(super) struct Files;

impl Exporter for Files {
    fn export(&self, _: ExportJob) -> Work<Result<Exported, ExportFault>> {
        Box::pin(async { Err(ExportFault("being built".to_owned())) })
    }
}
