//! The rules that the parts try.

use std::path::Path;

use greenroom::guard::{Origin, RuleFile, Rules};

/// Everything is allowed but a few things.
pub const OPEN: &str = r#"
version: 1
deny:
  - shell: {cmd: rm, has: [[-r, -R, --recursive]]}
  - shell: [[curl, wget]]
  - read: ["~/.ssh/**"]
allow:
  - shell: any
"#;

/// A few things are allowed.
pub const BASE: &str = r#"
version: 1
deny:
  - shell: {cmd: rm, has: [[-r, -R, --recursive], [-f, --force]]}
  - shell: {cmd: [git, push], has: [[--force, -f, --force-with-lease]]}
  - shell: [[curl, wget, nc]]
  - read: [".env", ".env.*", "~/.ssh/**", "/etc/shadow"]
  - edit: [".git/**", "infra/prod/**", "/etc/**"]
ask:
  - shell: git push
allow:
  - shell: [go, [test, build, vet]]
  - shell: {cmd: [git, [status, diff, log, show, push, commit]], not: [[--output, --ext-diff, --textconv, --no-index]]}
  - shell: {cmd: [[ls, cat, head, wc, grep]], args: inside}
  - shell: {cmd: find, args: inside, not: [[-exec, -execdir, -ok, -okdir, -delete, -fls, -fprint, -fprint0, -fprintf]]}
  - shell: npm run lint
  - shell: {cmd: make check, exact: true}
  - shell: [echo]
  - shell: {cmd: [sort], args: inside, not: [[-o, --output, -T, --temporary-directory, --compress-program, --files0-from]]}
  - edit: ["src/**"]
"#;

pub fn read(text: &str) -> Rules {
    let file = RuleFile::parse(text, Path::new("rules"), Origin::User, Some("/h"));
    Rules::of([&file.expect("sound rules")])
}

/// A choice of a list.
pub fn pick<'a, T: ?Sized>(list: &[&'a T]) -> &'a T {
    list[fastrand::usize(..list.len())]
}
