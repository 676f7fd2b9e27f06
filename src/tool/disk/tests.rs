use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;

use tempfile::TempDir;

use super::super::call::Stop;
use super::*;

fn folder() -> (TempDir, PathBuf) {
    let outer = TempDir::new().unwrap();
    let path = outer.path().canonicalize().unwrap();
    (outer, path)
}

fn fault<T>(result: Result<T, DiskFault>) -> String {
    result.err().expect("it is refused").to_string()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[test]
fn only_regular_files_are_opened_and_nothing_blocks() {
    let (_outer, base) = folder();
    rustix::fs::mkfifoat(CWD, base.join("fifo"), Mode::from_raw_mode(0o600)).unwrap();
    let _listener = UnixListener::bind(base.join("socket")).unwrap();
    fs::write(base.join("file"), "x").unwrap();
    symlink("file", base.join("link")).unwrap();
    let open = |name: &str| fault(open_file(&base.join(name)));
    assert_eq!(open("fifo"), "is a named pipe, not a regular file");
    assert_eq!(open("socket"), "is a socket, not a regular file");
    assert_eq!(open("missing"), "does not exist");
    assert_eq!(open("no/where"), "does not exist");
    assert!(open("link").starts_with("leads elsewhere"));
    assert_eq!(fault(open_file(&base)), "is a folder");
    assert_eq!(fault(open_file(Path::new("/"))), "is a folder");
    assert_eq!(
        fault(open_file(Path::new("/dev/zero"))),
        "is a device, not a regular file"
    );
    assert_eq!(
        read_whole(&open_file(&base.join("file")).unwrap(), 1).unwrap(),
        Some(b"x".into())
    );
    assert_eq!(
        read_whole(&open_file(&base.join("file")).unwrap(), 0).unwrap(),
        None
    );
}

#[test]
fn a_link_on_the_way_is_not_followed() {
    let (_outer, base) = folder();
    fs::create_dir(base.join("real")).unwrap();
    fs::write(base.join("real/file"), "x").unwrap();
    symlink("real", base.join("link")).unwrap();
    assert!(fault(open_file(&base.join("link/file"))).starts_with("leads elsewhere"));
    assert!(fault(open_folder(&base.join("link"))).starts_with("leads elsewhere"));
    assert!(fault(open_folder_then_check(&base.join("link"))).starts_with("leads elsewhere"));
    assert!(open_folder_then_check(&base.join("real")).is_ok());
    assert!(fault(Spot::make(&base.join("link/new/file"))).starts_with("leads elsewhere"));
    assert_eq!(names(&base.join("real")), ["file"]);
}

#[test]
fn a_new_file_is_made_with_its_folders() {
    let (_outer, base) = folder();
    let path = base.join("a/b/c");
    let spot = Spot::make(&path).unwrap();
    spot.replace(b"new", Expected::Nothing, &Stop::default())
        .unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    // A second time there is something already.
    let again = spot.replace(b"newer", Expected::Nothing, &Stop::default());
    assert_eq!(fault(again), "changed on disk since the call was planned");
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(names(&base.join("a/b")), ["c"]);
}

#[test]
fn a_replaced_file_keeps_its_mode() {
    let (_outer, base) = folder();
    let path = base.join("f");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o751)).unwrap();
    let spot = Spot::find(&path).unwrap();
    spot.replace(b"new", Expected::Content(b"old"), &Stop::default())
        .unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o751);
    assert_eq!(names(&base), ["f"]);
}

#[test]
fn nothing_is_written_over_another_content_or_after_a_stop() {
    let (_outer, base) = folder();
    let path = base.join("f");
    fs::write(&path, "other").unwrap();
    let spot = Spot::find(&path).unwrap();
    for expected in [&b"old"[..], b"othe", b"others"] {
        let refused = spot.replace(b"new", Expected::Content(expected), &Stop::default());
        assert_eq!(fault(refused), "changed on disk since the call was planned");
    }
    let stop = Stop::default();
    stop.set();
    let stopped = spot.replace(b"new", Expected::Content(b"other"), &stop);
    assert_eq!(fault(stopped), "was left alone: the call was stopped");
    fs::remove_file(&path).unwrap();
    let missing = spot.replace(b"new", Expected::Content(b"other"), &Stop::default());
    assert_eq!(fault(missing), "changed on disk since the call was planned");
    assert_eq!(names(&base), [""; 0]);
}

#[test]
fn a_link_put_in_the_place_of_a_file_is_not_written_through() {
    let (_outer, base) = folder();
    let secret = base.join("secret");
    fs::write(&secret, "old").unwrap();
    let path = base.join("f");
    fs::write(&path, "old").unwrap();
    let spot = Spot::find(&path).unwrap();
    fs::remove_file(&path).unwrap();
    symlink(&secret, &path).unwrap();
    let refused = spot.replace(b"new", Expected::Content(b"old"), &Stop::default());
    assert!(fault(refused).starts_with("leads elsewhere"));
    assert_eq!(fs::read(&secret).unwrap(), b"old");
}

/// A folder that was opened stays the one judged, whatever its name becomes.
#[test]
fn a_folder_swapped_after_it_was_opened_does_not_lead_elsewhere() {
    let (_outer, base) = folder();
    for name in ["judged", "elsewhere"] {
        fs::create_dir(base.join(name)).unwrap();
        fs::write(base.join(name).join("f"), "old").unwrap();
    }
    let spot = Spot::find(&base.join("judged/f")).unwrap();
    fs::rename(base.join("judged"), base.join("moved")).unwrap();
    symlink("elsewhere", base.join("judged")).unwrap();
    spot.replace(b"new", Expected::Content(b"old"), &Stop::default())
        .unwrap();
    assert_eq!(fs::read(base.join("elsewhere/f")).unwrap(), b"old");
    assert_eq!(fs::read(base.join("moved/f")).unwrap(), b"new");
}

/// The file gets a new inode, so another name of the old one keeps its content.
#[test]
fn another_name_of_a_replaced_file_is_not_written_through() {
    let (_outer, base) = folder();
    fs::create_dir(base.join("w")).unwrap();
    fs::write(base.join("outside"), "old").unwrap();
    fs::hard_link(base.join("outside"), base.join("w/f")).unwrap();
    let spot = Spot::find(&base.join("w/f")).unwrap();
    spot.replace(b"new", Expected::Content(b"old"), &Stop::default())
        .unwrap();
    assert_eq!(fs::read(base.join("outside")).unwrap(), b"old");
    assert_eq!(fs::read(base.join("w/f")).unwrap(), b"new");
}
