use std::os::unix::fs::symlink;
use std::time::Duration;

use serde_json::json;
use tokio::time::timeout;

use super::super::super::testing::Bench;

const PATIENCE: Duration = Duration::from_secs(60);

/// What `find_files` finds below a folder, in time.
async fn found(bench: &Bench, path: &str) -> String {
    let input = json!({"pattern": "*.txt", "path": path});
    let ran = timeout(PATIENCE, bench.call("find_files", input)).await;
    ran.expect("the walk ends in time").text
}

fn bench() -> Bench {
    let bench = Bench::new();
    bench.put("a.txt", "x");
    bench.put("b.txt", "x");
    bench
}

/// Makes a pipe that nobody ever writes to.
fn pipe(bench: &Bench, path: &str) {
    let made = std::process::Command::new("mkfifo")
        .arg(bench.root().join(path))
        .status();
    assert!(made.unwrap().success());
}

const BOTH: &str = "a.txt\nb.txt\n";
const NAMES: [&str; 3] = [".gitignore", ".ignore", ".git/info/exclude"];

#[tokio::test]
async fn links_and_pipes_count_as_absent() {
    for name in NAMES {
        let bench = bench();
        bench.put(".git/info/x", "");
        symlink("/dev/zero", bench.root().join(name)).unwrap();
        assert_eq!(found(&bench, ".").await, BOTH, "{name} to /dev/zero");

        std::fs::remove_file(bench.root().join(name)).unwrap();
        pipe(&bench, name);
        assert_eq!(found(&bench, ".").await, BOTH, "{name} as a pipe");

        std::fs::remove_file(bench.root().join(name)).unwrap();
        std::fs::write(bench.outside().join("patterns"), "*.txt\n").unwrap();
        symlink(bench.outside().join("patterns"), bench.root().join(name)).unwrap();
        assert_eq!(found(&bench, ".").await, BOTH, "{name} to a file");
    }
}

#[tokio::test]
async fn files_over_a_limit_count_as_absent_and_those_at_it_count() {
    // (the content, whether it is over a limit)
    let mut globs: String = (0..250_000).map(|n| format!("*{n}*x\n")).collect();
    globs.push_str("a.txt\n");
    let cases = [
        (globs, true),
        (format!("a.txt\n{}\n", "x".repeat(50 << 20)), true),
        (format!("a.txt\n{}\n", "x".repeat(4_097)), true),
        (format!("a.txt\n{}\n", "x".repeat(4_096)), false),
        (format!("a.txt\n{}", "\n".repeat(5_000)), true),
        (format!("a.txt\n{}", "\n".repeat(4_999)), false),
    ];
    for name in NAMES {
        for (number, (content, is_over)) in cases.iter().enumerate() {
            let bench = bench();
            bench.put(name, content);
            let expected = if *is_over { BOTH } else { "b.txt\n" };
            assert_eq!(found(&bench, ".").await, expected, "{name}, case {number}");
        }
    }
}

#[tokio::test]
async fn many_ignore_files_are_bounded_together() {
    let bench = Bench::new();
    let filler = "#".repeat(100) + "\n";
    let mut path = String::new();
    for level in 0..12 {
        path.push_str(&format!("d{level}/"));
        let content = filler.repeat(2_000) + &format!("{level}.txt\n");
        bench.put(&format!("{path}.gitignore"), content);
    }
    for level in 0..12 {
        bench.put(&format!("{path}{level}.txt"), "x");
    }
    // 202 KB each: four of them are read, from the top.
    let left: Vec<String> = ["10", "11", "4", "5", "6", "7", "8", "9"]
        .iter()
        .map(|level| format!("{path}{level}.txt\n"))
        .collect();
    assert_eq!(found(&bench, ".").await, left.concat());
    // Folders beside each other don't add up.
    let bench = Bench::new();
    for folder in 0..12 {
        let content = filler.repeat(2_000) + "*.txt\n";
        bench.put(&format!("f{folder}/.gitignore"), content);
        bench.put(&format!("f{folder}/a.txt"), "x");
    }
    assert_eq!(found(&bench, ".").await, "no file matches *.txt");
}

#[tokio::test]
async fn deeper_files_override_and_negations_bring_back() {
    let bench = Bench::new();
    for path in [
        "a.txt",
        "keep.txt",
        "deep/a.txt",
        "deep/keep.txt",
        "deep/er/a.txt",
        "deep/er/only.txt",
        "out/keep.txt",
        "top.txt",
        "deep/top.txt",
        "excluded.txt",
        "both.txt",
    ] {
        bench.put(path, "x");
    }
    bench.put(
        ".gitignore",
        "*.txt\n!keep.txt\nout/\n/top.txt\n!excluded.txt\n# no\n\\#\n",
    );
    bench.put("deep/.gitignore", "!top.txt\n");
    bench.put("deep/er/.gitignore", "!*.txt\nonly.txt\r\n");
    bench.put(".git/info/exclude", "excluded.txt\n");
    bench.put(".ignore", "!both.txt\n");
    let all = "both.txt\ndeep/er/a.txt\ndeep/keep.txt\ndeep/top.txt\nexcluded.txt\nkeep.txt\n";
    assert_eq!(found(&bench, ".").await, all);
    // The files between the folder and the workspace count all the same.
    assert_eq!(
        found(&bench, "deep").await,
        "deep/er/a.txt\ndeep/keep.txt\ndeep/top.txt\n"
    );
    assert_eq!(found(&bench, "deep/er").await, "deep/er/a.txt\n");
    // Whoever names a folder that is ignored sees what is in it.
    assert_eq!(found(&bench, "out").await, "out/keep.txt\n");
}

#[tokio::test]
async fn a_repository_in_another_has_rules_of_its_own() {
    let bench = bench();
    bench.put(".gitignore", "a.txt\n");
    bench.put(".ignore", "b.txt\n");
    bench.put("inner/.git/HEAD", "x");
    for name in ["a", "b", "c"] {
        bench.put(&format!("inner/{name}.txt"), "x");
    }
    bench.put("inner/.git/info/exclude", "c.txt\n");
    assert_eq!(found(&bench, ".").await, "inner/a.txt\n");
}

#[tokio::test]
async fn what_lies_above_the_workspace_does_not_count() {
    let bench = bench();
    std::fs::write(bench.outside().join(".gitignore"), "a.txt\n").unwrap();
    assert_eq!(found(&bench, ".").await, BOTH);
}
