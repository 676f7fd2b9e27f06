use greenroom_actors::ports::Ran;
use serde_json::json;

use super::super::ToolSettings;
use super::super::call::done;
use super::super::testing::Bench;

/// A workspace with ignored files, hidden ones, git's data and a link outside.
fn bench(list_entries: usize) -> Bench {
    let bench = Bench::with(ToolSettings {
        list_entries,
        ..ToolSettings::default()
    });
    for path in [
        "b.rs",
        "a.rs",
        "src/main.rs",
        "src/deep/x.rs",
        ".hidden",
        ".git/config",
    ] {
        bench.put(path, "x");
    }
    bench.put(".gitignore", "target/\n*.log\n");
    bench.put("target/out.rs", "x");
    bench.put("src/x.log", "x");
    std::fs::write(bench.outside().join("secret.rs"), "x").unwrap();
    std::os::unix::fs::symlink("..", bench.root().join("up")).unwrap();
    bench
}

#[tokio::test]
async fn lists_a_folder_in_order() {
    let bench = bench(1_000);
    assert_eq!(
        bench.call("list_files", json!({})).await,
        done(".gitignore\n.hidden\na.rs\nb.rs\nsrc/\nup -> ..\n")
    );
    assert_eq!(
        bench
            .call("list_files", json!({"path": "src", "depth": 2}))
            .await,
        done("src/deep/\nsrc/deep/x.rs\nsrc/main.rs\n")
    );
    std::fs::create_dir(bench.root().join("empty")).unwrap();
    assert_eq!(
        bench.call("list_files", json!({"path": "empty"})).await,
        done("the folder is empty, or all that is in it is ignored")
    );
    assert_eq!(
        bench.fault("list_files", json!({"path": "a.rs"})).await,
        "`path`: a.rs is not a folder"
    );
    assert_eq!(
        bench.fault("list_files", json!({"path": "no"})).await,
        "`path`: no does not exist"
    );
}

#[tokio::test]
async fn says_that_a_list_is_cut() {
    let expected = Ran {
        truncated: true,
        ..done(".gitignore\n.hidden\n[only the first 2 paths are listed: narrow it down]")
    };
    assert_eq!(bench(2).call("list_files", json!({})).await, expected);
    let six = bench(6).call("list_files", json!({})).await;
    assert!(!six.truncated, "six of six are all");
}

#[tokio::test]
async fn finds_files_by_glob() {
    let bench = bench(1_000);
    let find = async |pattern: &str| {
        bench
            .call("find_files", json!({ "pattern": pattern }))
            .await
            .text
    };
    assert_eq!(
        find("*.rs").await,
        "a.rs\nb.rs\nsrc/deep/x.rs\nsrc/main.rs\n"
    );
    assert_eq!(find("./*.rs").await, "a.rs\nb.rs\n");
    assert_eq!(find("src/*.rs").await, "src/main.rs\n");
    assert_eq!(find("src/**/*.rs").await, "src/deep/x.rs\nsrc/main.rs\n");
    assert_eq!(find("{a,main}.rs").await, "a.rs\nsrc/main.rs\n");
    assert_eq!(find("*.py").await, "no file matches *.py");
    let below = json!({"pattern": "*.rs", "path": "src/deep"});
    let planned = bench.plan("find_files", below).await.unwrap();
    assert_eq!(*planned.summary, *"*.rs in src/deep");
    assert_eq!(
        bench.run_planned(planned, None).await,
        done("src/deep/x.rs\n")
    );
    assert_eq!(
        bench.fault("find_files", json!({"pattern": "a["})).await,
        "`pattern` is not a glob: unclosed character class; missing ']'"
    );
}

#[tokio::test]
async fn a_folder_outside_is_told_as_such() {
    let bench = bench(1_000);
    let planned = bench
        .plan("list_files", json!({"path": "up"}))
        .await
        .unwrap();
    assert_eq!(planned.touches[0].path, bench.outside());
    assert!(!planned.touches[0].inside);
}
