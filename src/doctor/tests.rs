//! What is found on machines of all kinds.

mod machines;
mod servers;
mod states;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use expect_test::{Expect, expect};

use super::*;
use crate::config::Environment;
use crate::tool::Support;

/// A machine on which all is well.
fn good_host() -> Host {
    Host {
        os: "linux".to_owned(),
        kernel: Some("6.1.0-18-amd64".to_owned()),
        landlock: Support(7),
        shell: Some("/bin/bash".into()),
        is_terminal: true,
        term: Some("xterm".to_owned()),
    }
}

/// A private state folder, and a configuration for it.
struct World {
    folder: tempfile::TempDir,
    variables: Vec<(String, String)>,
}

impl World {
    fn new(variables: &[(&str, &str)]) -> World {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("state");
        fs::create_dir(&home).unwrap();
        set_mode(&home, 0o700);
        let mut all = vec![
            (
                "HOME".to_owned(),
                folder.path().to_str().unwrap().to_owned(),
            ),
            (
                "GREENROOM_HOME".to_owned(),
                home.to_str().unwrap().to_owned(),
            ),
        ];
        let owned = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
        all.extend(variables.iter().map(owned));
        World {
            folder,
            variables: all,
        }
    }

    fn input(&self, yaml: Option<&str>) -> DoctorInput {
        let env = Environment::fixed(self.variables.iter().cloned());
        let file = self.folder.path().join("config.yaml");
        if let Some(yaml) = yaml {
            fs::write(&file, yaml).unwrap();
        }
        let file = yaml.is_some().then_some(file.as_path());
        DoctorInput {
            config: Config::load(file, None, &env),
            places: Places::find(file, &env).ok(),
            store: Box::new(|_| StoreState::Absent),
            probe: Box::new(|name| {
                let answer = format!("{name} answers");
                Box::pin(async move { Ok(answer) })
            }),
            rules: None,
            tools: vec!["read_file".into(), "shell".into()],
            mcp: McpState::default(),
            host: good_host(),
        }
    }

    /// The report for people; how much room there is on this machine is left
    /// out.
    async fn text(&self, input: DoctorInput) -> String {
        let mut report = examine(input).await;
        report
            .findings
            .retain(|finding| !finding.what.ends_with("are free"));
        report
            .text()
            .replace(self.folder.path().to_str().unwrap(), "@")
    }
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

async fn check(world: &World, input: DoctorInput, expected: Expect) {
    expected.assert_eq(&world.text(input).await);
}

#[tokio::test]
async fn all_is_well() {
    let world = World::new(&[("OPENAI_API_KEY", "k")]);
    let mut input = world.input(Some("mode: auto"));
    input.store = Box::new(|_| StoreState::Free("3 sessions".to_owned()));
    check(
        &world,
        input,
        expect![[r#"
            ok    config     @/config.yaml is fine
            ok    state      @/state can be written
            ok    state      the store is fine: 3 sessions
            ok    providers  openai (default): openai answers
            ok    providers  scripted: plays its built-in script
            ok    sandbox    off (sandbox.mode); the kernel (6.1.0-18-amd64) has Landlock 7 and could keep commands
            ok    shell      commands run with /bin/bash
            ok    terminal   standard error is a terminal (xterm)

            all is well
        "#]],
    )
    .await;
}

#[tokio::test]
async fn without_a_model_it_works_and_says_what_to_do() {
    let world = World::new(&[]);
    check(&world, world.input(None), expect![[r#"
        ok    config     no @/.config/greenroom/config.yaml; the defaults hold
        ok    state      @/state can be written
        ok    state      no store yet; the first session makes it
        ok    providers  scripted (default): plays its built-in script
        warn  providers  no model is configured, so a script answers
                         -> set $ANTHROPIC_API_KEY, $OPENAI_API_KEY, $OPENROUTER_API_KEY, $OLLAMA_HOST or $GEMINI_API_KEY
        ok    sandbox    off (sandbox.mode); the kernel (6.1.0-18-amd64) has Landlock 7 and could keep commands
        ok    shell      commands run with /bin/bash
        ok    terminal   standard error is a terminal (xterm)

        it works; 1 to look at
    "#]]).await;
}

#[tokio::test]
async fn a_broken_configuration_is_told_with_its_line() {
    let world = World::new(&[]);
    let input = world.input(Some("\nmod: auto"));
    check(
        &world,
        input,
        expect![[r#"
            fail  config     @/config.yaml:2: unknown key "mod" (did you mean "mode"?)
                             -> mend it; config/config.yaml of the distribution shows every key
            ok    state      @/state can be written
            ok    state      no store yet; the first session makes it
            ok    sandbox    off (sandbox.mode); the kernel (6.1.0-18-amd64) has Landlock 7 and could keep commands
            ok    shell      commands run with /bin/bash
            ok    terminal   standard error is a terminal (xterm)

            1 to mend
        "#]],
    )
    .await;
}

#[tokio::test]
async fn providers_are_judged_by_key_and_answer() {
    let yaml = "
providers:
  openai: {key_env: NOT_SET}
  local: {wire: openai-chat, base_url: 'http://127.0.0.1:1/v1'}
  clear: {wire: anthropic, base_url: 'http://10.0.0.1/v1', key_env: A_KEY, model: m}
  plays: {wire: scripted, base_url: nowhere.yaml}
";
    let probe = || -> Probe {
        Box::new(|name| {
            let answer = match name {
                "local" => Err("connection\nrefused\u{1b}[31m".to_owned()),
                name => Ok(format!("{name} answers")),
            };
            Box::pin(async move { answer })
        })
    };
    let world = World::new(&[("A_KEY", "k")]);
    let mut input = world.input(Some(yaml));
    input.probe = probe();
    check(&world, input, expect![[r#"
        ok    config     @/config.yaml is fine
        ok    state      @/state can be written
        ok    state      no store yet; the first session makes it
        fail  providers  openai (default): $NOT_SET is not set
                         -> put the key there
        warn  providers  local: connection refused?[31m
                         -> see that it can be reached at http://127.0.0.1:1/v1
        warn  providers  local: it has no model of its own
                         -> set providers.local.model, or pass --model
        ok    providers  clear: clear answers
        warn  providers  clear: its key travels in the clear to http://10.0.0.1/v1
                         -> use https
        warn  providers  plays: @/nowhere.yaml cannot be read: No such file or directory (os error 2)
                         -> name a script that is there
        ok    providers  scripted: plays its built-in script
        ok    sandbox    off (sandbox.mode); the kernel (6.1.0-18-amd64) has Landlock 7 and could keep commands
        ok    shell      commands run with /bin/bash
        ok    terminal   standard error is a terminal (xterm)

        1 to mend, 4 to look at
    "#]]).await;

    let mut input = world.input(Some(&format!("{yaml}\ndefault_provider: local")));
    input.probe = probe();
    let report = examine(input).await;
    let failed: Vec<&str> = report
        .findings
        .iter()
        .filter(|finding| finding.level == Level::Fail)
        .map(|finding| finding.what.as_str())
        .collect();
    assert_eq!(failed, ["local (default): connection\nrefused\u{1b}[31m"]);
}

#[tokio::test(start_paused = true)]
async fn slow_providers_are_given_up_side_by_side() {
    let yaml = "
providers:
  one: {wire: openai-chat, base_url: 'http://127.0.0.1:1', model: m}
  two: {wire: openai-chat, base_url: 'http://127.0.0.1:2', model: m}
";
    let world = World::new(&[]);
    let mut input = world.input(Some(yaml));
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = asked.clone();
    input.probe = Box::new(move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
        Box::pin(std::future::pending())
    });
    let start = tokio::time::Instant::now();
    let text = world.text(input).await;
    assert!(
        start.elapsed() < Duration::from_secs(11),
        "{:?}",
        start.elapsed()
    );
    assert_eq!(asked.load(Ordering::SeqCst), 2);
    assert!(
        text.contains("fail  providers  one (default): no answer within 10 s"),
        "{text}"
    );
    assert!(
        text.contains("warn  providers  two: no answer within 10 s"),
        "{text}"
    );
}

#[tokio::test]
async fn a_probe_that_panics_is_a_finding() {
    let world = World::new(&[("OPENAI_API_KEY", "k")]);
    let mut input = world.input(None);
    input.probe = Box::new(|_| Box::pin(async { panic!("a fault of the probe") }));
    let text = world.text(input).await;
    assert!(
        text.contains("openai (default): asking it failed"),
        "{text}"
    );
}

#[test]
fn programs_get_json() {
    let report = Report {
        findings: vec![
            Finding::ok(Area::Config, "fine"),
            Finding::fail(Area::Shell, "no \"shell\"", "get one"),
        ],
    };
    expect![[r#"
        {"version":"VERSION","ok":false,"findings":[{"area":"config","level":"ok","what":"fine","next":null},{"area":"shell","level":"fail","what":"no \"shell\"","next":"get one"}]}
    "#]]
    .assert_eq(&report.json().replace(env!("CARGO_PKG_VERSION"), "VERSION"));
    assert_eq!(report.exit_code(), 1);
}

#[tokio::test]
async fn what_keeps_sessions_from_starting_or_is_without_effect_is_told() {
    let world = World::new(&[]);
    let mut input = world.input(Some(
        "modes: {look: {based_on: plan, tools: [read_file, shel, \"mcp__x__*\"]}}\nsandbox: {network: deny}\n",
    ));
    input.rules = Some("guard.yaml:1:1: version 2 is not known".into());
    check(&world, input, expect![[r#"
        ok    config     @/config.yaml is fine
        warn  config     modes.look.tools: there is no tool "shel"
                         -> write shell, or leave it out
        fail  guard      guard.yaml:1:1: version 2 is not known
                         -> mend it; `greenroom guard check FILE` tells when it is sound
        ok    state      @/state can be written
        ok    state      no store yet; the first session makes it
        ok    providers  scripted (default): plays its built-in script
        warn  providers  no model is configured, so a script answers
                         -> set $ANTHROPIC_API_KEY, $OPENAI_API_KEY, $OPENROUTER_API_KEY, $OLLAMA_HOST or $GEMINI_API_KEY
        warn  sandbox    off (sandbox.mode), so sandbox.network: deny keeps nobody from the network
                         -> set sandbox.mode: workspace
        ok    shell      commands run with /bin/bash
        ok    terminal   standard error is a terminal (xterm)

        1 to mend, 3 to look at
    "#]]).await;
}
