//! Text without secrets: our own.

use std::borrow::Cow;
use std::path::Path;

use super::*;

/// Of our own sources only what is there to be found is found: addresses with
/// made-up passwords in tests.
#[test]
fn sources_raise_no_false_alarm() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let redactor = Redactor::default();
    let mut alarms = Vec::new();
    let mut read = 0;
    for part in [
        "src",
        "protocol/src",
        "actors/src",
        "docs",
        "examples",
        "config",
        "README.md",
        "ARCHITECTURE.md",
    ] {
        let walk = ignore::Walk::new(root.join(part)).map(|entry| entry.unwrap());
        for file in walk.filter(|entry| entry.path().is_file()) {
            let Ok(text) = std::fs::read_to_string(file.path()) else {
                continue;
            };
            read += 1;
            let mut tally = Tally::default();
            if let Cow::Owned(_) = redactor.redact(&text, &mut tally) {
                let path = file.path().strip_prefix(root).unwrap();
                alarms.push(format!("{} {}", path.display(), tally.lines().join(", ")));
            }
        }
    }
    assert!(read > 200, "{read}");
    alarms.sort();
    expect_test::expect![[r#"
        src/config/providers/tests.rs 2 password in address
        src/config/providers/url.rs 1 password in address"#]]
    .assert_eq(&alarms.join("\n"));
}
