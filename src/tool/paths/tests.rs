use std::os::unix::fs::symlink;

use tempfile::TempDir;

use super::*;

/// A workspace `w` with a folder `w/d`, a file `w/d/f` and a folder `o` outside.
fn world() -> (TempDir, PathBuf) {
    let outer = TempDir::new().unwrap();
    let base = outer.path().canonicalize().unwrap();
    fs::create_dir_all(base.join("w/d")).unwrap();
    fs::create_dir(base.join("o")).unwrap();
    fs::write(base.join("w/d/f"), "x").unwrap();
    (outer, base)
}

#[test]
fn resolves_what_exists_and_what_does_not() {
    let (_outer, base) = world();
    let root = base.join("w");
    symlink("d", root.join("inner")).unwrap();
    symlink("../o", root.join("out")).unwrap();
    symlink("nowhere/yet", root.join("dangling")).unwrap();
    symlink("/", root.join("top")).unwrap();
    let absolute = base.join("w/d/f").display().to_string();
    let sibling = base.join("w-evil/x").display().to_string();
    let cases = [
        (".", "w", true),
        ("d/f", "w/d/f", true),
        ("./d/../d//f", "w/d/f", true),
        (absolute.as_str(), "w/d/f", true),
        ("inner/f", "w/d/f", true),
        ("inner/new/deep", "w/d/new/deep", true),
        // `..` after a link leaves from where the link leads.
        ("inner/../d", "w/d", true),
        ("out", "o", false),
        ("out/new", "o/new", false),
        ("out/../w/d", "w/d", true),
        ("../o", "o", false),
        ("missing/../../o/x", "o/x", false),
        ("dangling", "w/nowhere/yet", true),
        (sibling.as_str(), "w-evil/x", false),
        ("~/x", "w/~/x", true),
    ];
    for (given, path, inside) in cases {
        let found = resolve(&root, given, "path").unwrap();
        assert_eq!(
            (found.path, found.inside),
            (base.join(path), inside),
            "{given}"
        );
    }
    let named = |given: &str| resolve(&root, given, "path").unwrap().named;
    assert_eq!(named("inner/./f"), base.join("w/inner/f"));
    assert_eq!(named("out/../x"), base.join("w/x"));
    assert_eq!(named("../../../../../../../etc"), Path::new("/etc"));
    let top = resolve(&root, "top/etc/../usr", "path").unwrap();
    assert_eq!((top.path.as_path(), top.inside), (Path::new("/usr"), false));
}

#[test]
fn refuses_circles_files_as_folders_and_nonsense() {
    let (_outer, base) = world();
    let root = base.join("w");
    symlink("b", root.join("a")).unwrap();
    symlink("a", root.join("b")).unwrap();
    let fault = |given: &str| resolve(&root, given, "path").unwrap_err().0;
    assert_eq!(
        fault("a/x"),
        "`path` cannot be followed: a/x: too many links, maybe in a circle"
    );
    assert!(fault("d/f/x").starts_with("`path` cannot be followed: d/f/x: Not a directory"));
    assert_eq!(fault(""), "`path` must not be empty");
    assert_eq!(fault("a\0"), "`path` must not hold a NUL character");
    assert_eq!(
        fault(&"x".repeat(5_000)),
        "`path` is longer than 4096 bytes"
    );
}

#[test]
fn notices_a_link_that_was_put_in_the_way() {
    let (_outer, base) = world();
    let path = base.join("w/d/f");
    assert!(is_unmoved(&path));
    fs::rename(base.join("w/d"), base.join("w/e")).unwrap();
    symlink("e", base.join("w/d")).unwrap();
    assert!(!is_unmoved(&path));
}

#[test]
fn shows_paths_relative_to_the_workspace() {
    let root = Path::new("/w");
    assert_eq!(shown(root, Path::new("/w")), ".");
    assert_eq!(shown(root, Path::new("/w/a/b")), "a/b");
    assert_eq!(shown(root, Path::new("/wx/a")), "/wx/a");
}
