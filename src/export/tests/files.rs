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
            own: vec![folder.join("state"), folder.join("config.yaml")],
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

/// The running journal, the rules, the configuration: a client that names one,
/// by whatever way, is refused, and it stays as it is.
#[test]
fn greenrooms_own_files_are_never_written() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir(root.join("state")).unwrap();
    std::fs::write(root.join("state/journal.redb"), "journal").unwrap();
    std::fs::write(root.join("config.yaml"), "mode: auto").unwrap();
    std::os::unix::fs::symlink(root.join("state"), root.join("way")).unwrap();
    std::os::unix::fs::symlink(root.join("state/journal.redb"), root.join("linked.md")).unwrap();
    let paths = [
        "state/journal.redb",
        "state/new.md",
        "state",
        "way/journal.redb",
        "way",
        "linked.md",
        "x/../state/journal.redb",
        "config.yaml",
    ];
    std::fs::create_dir(root.join("x")).unwrap();
    for path in paths {
        let refused = in_folder(&root, Some(path)).unwrap_err().to_string();
        assert!(refused.contains("Greenroom's own"), "{path}: {refused}");
    }
    let absolute = root.join("state/journal.redb");
    assert!(in_folder(&root, absolute.to_str()).is_err());
    assert_eq!(std::fs::read_to_string(absolute).unwrap(), "journal");
    assert_eq!(names(&root.join("state")), ["journal.redb"]);
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
