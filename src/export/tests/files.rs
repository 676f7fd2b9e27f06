use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use greenroom_protocol::session::{ExportFormat, ExportRequest, SessionId, Text};

use super::story;
use crate::export::job::{ExportError, tell};
use crate::export::redacting::Counting;
use crate::export::{Export, Places, write};
use crate::redact::Tally;

fn in_folder(folder: &Path, path: Option<&str>) -> Result<PathBuf, ExportError> {
    let request = ExportRequest {
        format: ExportFormat::Markdown,
        path: path.map(Text::from),
        all_branches: false,
    };
    let export = Export {
        session: &SessionId::new("S1"),
        request: &request,
        root: folder,
        places: &Places {
            home: Some(folder.to_owned()),
            ..Places::default()
        },
        cancelled: &AtomicBool::new(path == Some("cancelled.md")),
    };
    write(&story(""), Arc::default(), &export).map(|written| written.path)
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn nothing_is_replaced_unasked_and_nothing_half_written() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    assert_eq!(in_folder(root, None).unwrap(), root.join("greenroom-S1.md"));
    std::fs::create_dir(root.join("Downloads")).unwrap();
    for name in ["greenroom-S1.md", "greenroom-S1-2.md", "greenroom-S1-3.md"] {
        assert_eq!(
            in_folder(root, None).unwrap(),
            root.join("Downloads").join(name)
        );
    }
    std::fs::write(root.join("mine.md"), "before").unwrap();
    let written = in_folder(root, Some("mine.md")).unwrap();
    let mode = written.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(
        std::fs::read_to_string(&written)
            .unwrap()
            .starts_with("# Mend")
    );
    assert!(matches!(
        in_folder(root, Some("cancelled.md")),
        Err(ExportError::Cancelled)
    ));
    assert!(in_folder(root, Some("no/such.md")).is_err());
    assert_eq!(names(root), ["Downloads", "greenroom-S1.md", "mine.md"]);
    let desktop = root.join(".config");
    std::fs::create_dir_all(&desktop).unwrap();
    std::fs::create_dir(root.join("Here")).unwrap();
    std::fs::write(
        desktop.join("user-dirs.dirs"),
        "# x\nXDG_DOWNLOAD_DIR=\"$HOME/Here\"\n",
    )
    .unwrap();
    assert_eq!(
        in_folder(root, None).unwrap(),
        root.join("Here/greenroom-S1.md")
    );
}

#[test]
fn a_disk_that_is_full_is_told() {
    struct Full(usize);
    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self
                .0
                .checked_sub(bytes.len())
                .ok_or_else(|| io::Error::new(io::ErrorKind::StorageFull, "no space left"))?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    for format in ExportFormat::ALL {
        let request = ExportRequest {
            format,
            path: None,
            all_branches: true,
        };
        let export = Export {
            session: &SessionId::new("S1"),
            request: &request,
            root: Path::new("/w"),
            places: &Places::default(),
            cancelled: &AtomicBool::new(false),
        };
        let mut redact = Counting {
            redactor: Arc::default(),
            tally: Tally::default(),
        };
        let told = tell(&story(""), &mut redact, &export, &mut Full(300));
        assert!(matches!(told, Err(ExportError::File(_))), "{told:?}");
    }
}
