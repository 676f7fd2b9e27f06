use std::os::unix::fs::PermissionsExt;

use super::*;

#[test]
fn trusts_a_text_at_its_path_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("config").join(LIST);
    let file = Path::new("/w/.greenroom/guard.yaml");
    let (old, new) = (Digest::of(b"old"), Digest::of(b"new"));
    let mut trust = TrustList::load(&list).unwrap();
    assert!(!trust.trusts(file, &old));
    trust.trust(&list, file, old.clone()).unwrap();
    trust
        .trust(&list, Path::new("/other"), old.clone())
        .unwrap();
    let loaded = TrustList::load(&list).unwrap();
    assert_eq!(loaded, trust);
    assert!(loaded.trusts(file, &old));
    assert!(!loaded.trusts(file, &new));
    assert!(!loaded.trusts(Path::new("/third"), &old));
    // A newer text takes the older one's place.
    trust.trust(&list, file, new.clone()).unwrap();
    assert!(trust.trusts(file, &new) && !trust.trusts(file, &old));
    let mode = fs::metadata(&list).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let left: Vec<_> = fs::read_dir(list.parent().unwrap()).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing is left beside it");
}

#[test]
fn reads_what_sha256sum_writes() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join(LIST);
    let hex = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
    fs::write(&list, format!("# by hand\n\n{hex}  /w/x\n")).unwrap();
    let trust = TrustList::load(&list).unwrap();
    assert!(trust.trusts(Path::new("/w/x"), &Digest::of(b"hello")));
}

#[test]
fn a_list_that_cannot_be_believed_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join(LIST);
    for text in [
        "abc  /w/x",
        "no hash at all",
        &format!("{}  relative", "a".repeat(64)),
    ] {
        fs::write(&list, text).unwrap();
        let error = TrustList::load(&list).unwrap_err().message;
        assert!(error.contains("guard.trusted: 1: expected"), "{error}");
    }
    fs::write(&list, "").unwrap();
    fs::set_permissions(&list, fs::Permissions::from_mode(0o620)).unwrap();
    let error = TrustList::load(&list).unwrap_err().message;
    assert!(error.contains("others may write it"), "{error}");
    let mut trust = TrustList::default();
    for bad in ["relative", "/a\nb"] {
        assert!(trust.trust(&list, Path::new(bad), Digest::of(b"")).is_err());
    }
}
