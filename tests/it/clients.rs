//! The clients of `examples/`, against the daemon. `python3` and `node` must be
//! installed.

use std::fs;

use expect_test::expect;

use crate::started::{Ended, GREENROOM, Place, ended, example, read_until, text};

/// What the model of `builtin:demo` says at its end.
const FAREWELL: &str = "\
That was a whole turn: a plan, parallel calls, an approval, a question, an edit and a final \
answer, all over the wire that your program speaks.

The files are in `greenroom-demo/`; run their test with `sh greenroom-demo/test.sh`. To talk to \
a real model, set ANTHROPIC_API_KEY or OPENAI_API_KEY.
";

/// The script that the session mends, when everything was allowed.
fn mended(place: &Place) -> bool {
    let script = fs::read_to_string(place.work().join("greenroom-demo/greet.sh")).unwrap();
    script.contains("${1:-world}")
}

async fn python(place: &Place, client: &str, arguments: &[&str], typed: &str) -> Ended {
    let client = example(client);
    let mut all = vec![client.as_str(), "--bin", GREENROOM];
    all.extend(arguments);
    place.run_typing("python3", &all, typed).await
}

async fn node(place: &Place, client: &str, arguments: &[&str]) -> Ended {
    let client = example(client);
    let mut all = vec![client.as_str()];
    all.extend(arguments);
    place.run("node", &all).await
}

#[tokio::test]
async fn the_python_client_plays_a_whole_session_unattended() {
    let place = Place::new();
    let arguments = [
        "--yes",
        "go",
        "--",
        "--no-session",
        "--script",
        "builtin:demo",
    ];
    let Ended {
        code,
        output,
        errors,
    } = python(&place, "rpc_client.py", &arguments, "").await;
    assert_eq!(code, Some(0), "{errors}");
    assert!(output.ends_with(&format!("{FAREWELL}\n")), "{output}");
    expect![[r#"
        * update_plan: 3 items, 3 open
          [ ] Set up greet.sh and its test
          [ ] Find the bug
          [ ] Mend it and run the test
        * write_file: greenroom-demo/greet.sh
        * write_file: greenroom-demo/test.sh
        * list_files: greenroom-demo
        * search: name= in greenroom-demo
        * shell: sh greenroom-demo/test.sh
        ! shell: sh greenroom-demo/test.sh (in mode auto shell commands are not run without asking)
          shell failed: ok: Hello, world!
        FAILED: wanted 'Hello, Ada!', got 'Hello, world!'
        [exit code 1]
        * read_file: greenroom-demo/greet.sh
        * ask_user: greet.sh reads its second argument, but is called with one. Shall I make it read the first?
        ? greet.sh reads its second argument, but is called with one. Shall I make it read the first?
          - yes
          - no, leave it
        * edit_file: greenroom-demo/greet.sh
        * update_plan: 3 items, 1 open
          [x] Set up greet.sh and its test
          [x] Find the bug
          [ ] Mend it and run the test
        * shell: sh greenroom-demo/test.sh
        ! shell: sh greenroom-demo/test.sh (in mode auto shell commands are not run without asking)
        * update_plan: 3 items, 0 open
          [x] Set up greet.sh and its test
          [x] Find the bug
          [x] Mend it and run the test
        turn ended: ok
    "#]]
    .assert_eq(&errors);
    assert!(mended(&place));
}

/// `s` is asked once for two equal calls; a question takes what is typed.
#[tokio::test]
async fn the_python_client_asks_who_sits_there() {
    let place = Place::new();
    let arguments = ["go", "--", "--no-session", "--script", "builtin:demo"];
    let typed = "s\nyes, do\n";
    let Ended {
        code,
        output,
        errors,
    } = python(&place, "rpc_client.py", &arguments, typed).await;
    assert_eq!(code, Some(0), "{errors}");
    assert!(output.contains("You answered: yes, do\n"), "{output}");
    assert_eq!(errors.matches("allow?").count(), 1, "{errors}");
    assert!(mended(&place));
}

#[tokio::test]
async fn a_note_of_the_python_client_reaches_the_model() {
    let place = Place::new();
    for (typed, said) in [
        ("y\n", "The command gave: hello\n"),
        (
            "n\n",
            "The command gave: The user refused this call. Don't repeat it; ask or find another way.\n",
        ),
        (
            "echo twice\n",
            "The command gave: The user refused this call: echo twice\n",
        ),
        (
            "",
            "The command gave: The user refused this call: nobody was there to allow it\n",
        ),
    ] {
        let arguments = ["run a command", "--", "--no-session"];
        let ended = python(&place, "rpc_client.py", &arguments, typed).await;
        assert_eq!(ended.code, Some(0), "{}", ended.errors);
        assert!(ended.output.contains(said), "{typed:?}: {}", ended.output);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn ctrl_c_in_the_python_client_aborts_the_turn() {
    let place = Place::new();
    let client = example("rpc_client.py");
    let arguments = [&*client, "--bin", GREENROOM, "hang", "--", "--no-session"];
    let mut child = place.command("python3", &arguments).spawn().unwrap();
    read_until(child.stdout.as_mut().unwrap(), "nothing more comes.").await;
    crate::started::interrupt(&child);
    let ended = ended(child).await;
    assert_eq!(
        (ended.code, &*ended.errors),
        (Some(130), "turn ended: aborted\n")
    );
}

#[tokio::test]
async fn clients_of_hm_pass_on_that_it_did_not_start() {
    let place = Place::new();
    let flags = ["hello", "--", "--provider", "nobody"];
    let ended = python(&place, "rpc_client.py", &flags, "").await;
    assert_eq!((ended.code, &*ended.output), (Some(2), ""));
    assert!(
        ended.errors.starts_with("error: --provider: "),
        "{}",
        ended.errors
    );
    let flags = [GREENROOM, "hello", "--provider", "nobody"];
    let ended = node(&place, "rpc_client.mjs", &flags).await;
    assert_eq!((ended.code, &*ended.output), (Some(1), ""));
    assert!(
        ended.errors.starts_with("error: --provider: "),
        "{}",
        ended.errors
    );
}

#[tokio::test]
async fn the_node_client_refuses_what_needs_approval() {
    let place = Place::new();
    let arguments = [GREENROOM, "run a command", "--no-session"];
    let Ended {
        code,
        output,
        errors,
    } = node(&place, "rpc_client.mjs", &arguments).await;
    assert_eq!(code, Some(0), "{errors}");
    expect![[r#"
        I run a harmless command.
        The command gave: The user refused this call: nobody is there to allow it
    "#]]
    .assert_eq(&output);
    expect![[r#"
        * shell: echo hello
        ! refused: echo hello (in mode auto shell commands are not run without asking)
        turn ended: ok
    "#]]
    .assert_eq(&errors);
}

#[tokio::test]
async fn the_python_client_of_autohands_page_runs() {
    let place = Place::new();
    let arguments = ["go", "--", "--script", "builtin:demo"];
    let Ended {
        code,
        output,
        errors,
    } = python(&place, "autohand_client.py", &arguments, "").await;
    assert_eq!(code, Some(0), "{errors}");
    assert!(output.ends_with(&format!("{FAREWELL}\n")), "{output}");
    let asked = "\n! Execute: sh greenroom-demo/test.sh?\n";
    assert_eq!(errors, asked.repeat(2));
    assert!(mended(&place));
}

#[tokio::test]
async fn the_node_client_of_autohands_page_runs() {
    let place = Place::new();
    let arguments = [GREENROOM, "go", "--script", "builtin:demo"];
    let Ended {
        code,
        output,
        errors,
    } = node(&place, "autohand_client.mjs", &arguments).await;
    assert_eq!(code, Some(0), "{errors}");
    assert!(
        output.ends_with(&format!("{FAREWELL}\n--- Done ---\n")),
        "{output}"
    );
    assert!(mended(&place));
}

/// Hosts start `autohand` by its name: a link is enough.
#[cfg(unix)]
#[tokio::test]
async fn clients_of_autohand_need_only_a_link() {
    let place = Place::new();
    let link = place.work().join("autohand");
    std::os::unix::fs::symlink(GREENROOM, &link).unwrap();
    let client = example("autohand_client.py");
    let by_python = place
        .run("python3", &[&client, "--bin", text(&link), "good morning"])
        .await;
    assert_eq!(by_python.code, Some(0), "{}", by_python.errors);
    assert!(by_python.output.starts_with("You said: good morning\n"));
    let by_node = node(
        &place,
        "autohand_client.mjs",
        &[text(&link), "good evening"],
    )
    .await;
    assert_eq!(by_node.code, Some(0), "{}", by_node.errors);
    assert!(by_node.output.starts_with("You said: good evening\n"));
}
