//! How long does a decision take?

use std::sync::Arc;

use greenroom::guard::{Call, GuardPolicy, RuleFiles, Scene};
use greenroom_actors::ports::{Act, Action, Guard, PlannedCall, Touch};
use greenroom_protocol::session::{Category, Mode};
use tokio::time::Instant;

use crate::rules::{BASE, read};

const ROUNDS: u32 = 20_000;

pub fn run() {
    let rules = read(BASE);
    let disk = greenroom::guard::DiskLinks;
    let root = std::env::current_dir().expect("a folder");
    let root = root.to_str().expect("plain text");
    let lines = [
        "go test ./...",
        "cat src/a.txt | head -n 3",
        "cd src && grep -n TODO main.rs lib.rs > /dev/null",
        "git commit -m 'use curl; then rm -rf'",
        "sudo rm -rf x",
        "for f in a b; do echo $f; done",
    ];
    for line in lines {
        let mut scene = Scene::plain(&rules, Mode::Ask, root, Some("/h"));
        let without = time(&scene, line, root);
        scene.links = &disk;
        let with = time(&scene, line, root);
        println!("speed: {without:5.1} µs, with links followed on the disk {with:5.1} µs: {line}");
    }
}

/// The port as the actors call it: with the shipped rules, and three questions to
/// the system whether files changed.
pub fn port() {
    let root = std::env::current_dir().expect("a folder");
    let folder = Some(root.join("no-such-folder"));
    let files = RuleFiles::load(folder, None, Default::default()).expect("the shipped rules");
    let guard = GuardPolicy::new(files, vec!["/h/.config/greenroom".into()]);
    let call = PlannedCall {
        tool: "shell".into(),
        category: Category::Shell,
        summary: "".into(),
        command: Some("head -n 3 src/a.txt | wc -l".into()),
        target: None,
        touches: vec![Touch {
            path: root.clone(),
            named: root.clone(),
            write: true,
            inside: true,
        }],
        edits: Vec::new(),
        action: Action::Run(Default::default()),
    };
    let act = Act {
        call: &call,
        named: "auto",
        mode: Mode::Auto,
        root: Arc::new(root),
        sub_agent: false,
    };
    let start = Instant::now();
    for _ in 0..ROUNDS {
        std::hint::black_box(guard.judge(&act));
    }
    let each = start.elapsed().as_secs_f64() * 1e6 / f64::from(ROUNDS);
    println!("speed: {each:5.1} µs for Guard::judge with the shipped rules");
}

fn time(scene: &Scene<'_>, line: &str, cwd: &str) -> f64 {
    let start = Instant::now();
    for _ in 0..ROUNDS {
        std::hint::black_box(scene.decide("shell", &Call::Shell { line, cwd }));
    }
    start.elapsed().as_secs_f64() * 1e6 / f64::from(ROUNDS)
}
