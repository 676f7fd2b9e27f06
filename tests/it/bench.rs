//! `greenroom bench` on this build: its shape, and that no promise is broken.
//! How fast it is depends on the machine, so no figure is looked at.

use std::process::Command;

use serde_json::Value;

const MEASURES: [&str; 9] = [
    "start",
    "turn",
    "tool_turn",
    "burst",
    "paced",
    "state",
    "abort",
    "line",
    "memory",
];

#[test]
fn the_bench_measures_and_keeps_all_promises() {
    let folder = tempfile::tempdir().unwrap();
    let run = Command::new(env!("CARGO_BIN_EXE_greenroom"))
        .args(["bench", "--quick", "--json"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&run.stderr);
    let report: Value = serde_json::from_slice(&run.stdout).expect(&errors);
    assert_eq!(report["troubles"], serde_json::json!([]), "{errors}");
    assert_eq!(run.status.code(), Some(0), "{errors}");

    let figures = report["figures"].as_array().unwrap();
    for figure in figures {
        assert!(figure["value"].is_number(), "{figure}");
        assert!(figure["runs"].is_u64(), "{figure}");
        let bar = &figure["bar"];
        let met = match figure["bar_kind"].as_str() {
            Some("at_most") => Some(figure["value"].as_f64() <= bar.as_f64()),
            Some("at_least") => Some(figure["value"].as_f64() >= bar.as_f64()),
            _ => None,
        };
        assert_eq!(figure["met"].as_bool(), met, "{figure}");
    }
    for measure in MEASURES {
        let of_it = |figure: &&Value| {
            let name = figure["name"].as_str().unwrap();
            name.split('.').next() == Some(measure)
        };
        assert!(figures.iter().any(|figure| of_it(&figure)), "no {measure}");
    }
    let machine = report["machine"].as_object().unwrap();
    for name in ["name", "cores", "cpu", "kernel", "profile", "file_system"] {
        assert!(machine.contains_key(name), "no {name}");
    }
}
