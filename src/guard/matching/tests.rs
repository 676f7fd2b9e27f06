use proptest::prelude::*;

use super::option::gives;
use super::*;

const GROUND: Ground<'_> = Ground {
    root: "/w/app",
    home: Some("/home/u"),
};

fn covers(pattern: &str, path: &str) -> (bool, bool) {
    let pattern = PathPattern::new(pattern, GROUND.home).unwrap();
    let trail = Trail::new(path);
    let place = Place {
        named: trail.clone(),
        resolved: trail.clone(),
    };
    (
        pattern.loose(&place, GROUND),
        pattern.strict(&trail, GROUND),
    )
}

#[test]
fn options_are_found_in_every_spelling() {
    let cases = [
        ("-r", "-r", true),
        ("-fr", "-r", true),
        ("--recursive", "--recursive", true),
        ("--rec", "--recursive", true),
        ("--r", "--recursive", true),
        ("--recursive=x", "--recursive", true),
        ("--", "--recursive", false),
        ("--recursively", "--recursive", false),
        ("--r", "-r", false),
        ("r", "-r", false),
        ("-é", "-r", false),
        ("-exec", "-exec", true),
        ("--exec", "-exec", true),
        ("-execdir", "-exec", false),
        ("prod", "prod", true),
        ("production", "prod", false),
    ];
    for (word, option, expected) in cases {
        assert_eq!(gives(word, option), expected, "{word} {option}");
    }
}

#[test]
fn paths_are_covered_with_all_below_them() {
    let both = (true, true);
    let none = (false, false);
    let cases = [
        ("src/**", "/w/app/src", both),
        ("src/**", "/w/app/src/a/b", both),
        ("src/**", "/w/app/srcx", none),
        ("src/**", "/w/app/x/src/a", none),
        ("./Makefile", "/w/app/Makefile", both),
        ("./Makefile", "/w/app/makefile", (true, false)),
        ("./Makefile", "/w/app/x/Makefile", none),
        ("docs/*.md", "/w/app/docs/a.md", both),
        ("docs/*.md", "/w/app/docs/a/b.md", none),
        ("**/x/**", "/w/app/a/b/x/c", both),
        ("**/x/**", "/w/app/x", both),
        (".env", "/w/app/a/.ENV", (true, false)),
        (".env", "/w/app/.env", both),
        (".env", "/elsewhere/.env", (true, false)),
        (".env.*", "/w/app/.env.local", both),
        ("~/.ssh/**", "/home/u/.ssh/id", both),
        ("~/.ssh/**", "/home/u/.sshrc", none),
        ("/etc/**", "/etc", both),
        ("/etc/**", "/w/app/etc", none),
        ("/", "/any", both),
        ("**", "/w/app/a", both),
        ("**", "/w", (true, false)),
        (".", "/w/app/a", both),
        ("a?c", "/w/app/abc", both),
        ("w", "/w/app/a", none),
    ];
    for (pattern, path, expected) in cases {
        assert_eq!(covers(pattern, path), expected, "{pattern} {path}");
    }
    for bad in ["~root/x", "a/../b", "a/b**", ""] {
        assert!(PathPattern::new(bad, GROUND.home).is_err(), "{bad}");
    }
    assert!(PathPattern::new("~/x", None).is_err());
}

#[test]
fn patterns_of_commands_may_stand_for_protected_files() {
    let may = |pattern: &str, glob: &str| {
        let pattern = PathPattern::new(pattern, GROUND.home).unwrap();
        pattern.loose_glob(&Trail::new(glob), GROUND)
    };
    for (pattern, glob, expected) in [
        ("~/.ssh/**", "/home/u/.ss*/id", true),
        ("~/.ssh/**", "/home/u/.s[a-z]h", true),
        ("~/.ssh/**", "/home/u/*/id", false),
        ("~/.ssh/**", "/w/app/*", false),
        (".env", "/w/app/.e??", true),
        (".env", "/w/app/*", false),
        (".env.*", "/w/app/.e*", true),
        ("secrets/**", "/w/app/*/key", true),
        ("secrets/**", "/w/app/src/*", false),
    ] {
        assert_eq!(may(pattern, glob), expected, "{pattern} {glob}");
    }
}

#[test]
fn heads_of_commands_fit_word_by_word() {
    let word = |text: &str| match text {
        "*" => Token::One,
        "..." => Token::Rest,
        text => Token::Words(text.split('|').map(str::to_owned).collect()),
    };
    let cases = [
        ("go test|vet", "go vet x", true, true),
        ("go test|vet", "go", false, false),
        ("go test|vet", "/x/GO vet", true, false),
        ("git push", "git -C x push y", true, false),
        ("a * c", "a b c", true, true),
        ("a * c", "a c", false, false),
        ("a ... c d", "a b c c d e", true, true),
        ("a ... c d", "a c x d", false, false),
    ];
    for (head, line, loose, strict) in cases {
        let pattern = ShellPattern {
            head: head.split(' ').map(word).collect(),
            ..ShellPattern::default()
        };
        let argv: Vec<&str> = line.split(' ').collect();
        assert_eq!(pattern.loose(&argv), loose, "{head}: {line}");
        assert_eq!(pattern.strict(&argv), strict, "{head}: {line}");
    }
}

#[test]
fn odd_addresses_are_known() {
    for odd in [
        "http://10.0.0.1/",
        "http://0x7f000001",
        "http://2130706433/",
        "http://[::1]/",
        "http://printer/",
        "http://a.local",
        "http://u@a.example",
    ] {
        assert!(Address::new(odd).unwrap().is_odd(), "{odd}");
    }
    assert!(!Address::new("https://docs.rs/a").unwrap().is_odd());
    for bad in [
        "docs.rs",
        "ftp://docs.rs/",
        "https:///x",
        "https://a b/",
        "https://a:x/",
    ] {
        assert!(Address::new(bad).is_err(), "{bad}");
    }
    for bad in ["https://docs.rs", "a*b.org", "x@y", "a:b"] {
        assert!(WebPattern::new(bad).is_err(), "{bad}");
    }
}

proptest! {
    /// What is allowed by a pattern would be denied by it too.
    #[test]
    fn loose_covers_strict(
        pattern in "(/|~/|\\./)?[a-cA-C*?/.é]{1,8}",
        path in "/(w/app/)?[a-cA-CÉİ/.]{0,8}",
        words in prop::collection::vec("[a-c-]{0,3}", 0..5),
        head in prop::collection::vec(prop::sample::select(vec!["*", "...", "a", "b", "-a"]), 0..4),
    ) {
        if let Ok(read) = PathPattern::new(&pattern, GROUND.home) {
            let trail = Trail::new(&path);
            let place = Place { named: trail.clone(), resolved: trail.clone() };
            prop_assert!(!read.strict(&trail, GROUND) || read.loose(&place, GROUND));
        }
        let mut tokens = vec![Token::Words(vec!["a".into()])];
        tokens.extend(head.iter().map(|token| match *token {
            "*" => Token::One,
            "..." => Token::Rest,
            word => Token::Words(vec![word.to_owned()]),
        }));
        let pattern = ShellPattern { head: tokens, has: vec![vec!["-a".into()]], ..ShellPattern::default() };
        let argv: Vec<&str> = words.iter().map(String::as_str).collect();
        prop_assert!(!pattern.strict(&argv) || pattern.loose(&argv));
        let name = NamePattern::new(&path);
        prop_assert!(name.strict(&path) && name.loose(&path));
    }
}
