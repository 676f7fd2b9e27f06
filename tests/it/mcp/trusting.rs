//! A workspace's servers, as people meet them on the command line.

use std::fs;

use crate::started::{Ended, GREENROOM, Place};

const SERVERS: &str =
    "{\"mcpServers\": {\"here\": {\"command\": \"sh\"},\n \"\u{202e}x\": {\"command\": \"gone\"}}}";

async fn run(place: &Place, arguments: &[&str]) -> Ended {
    place.run(GREENROOM, arguments).await
}

/// The lines of the doctor that are about servers.
async fn doctor(place: &Place) -> String {
    let ended = run(place, &["doctor"]).await;
    let lines = ended
        .output
        .lines()
        .skip_while(|line| !line.contains(" mcp "));
    let lines: Vec<&str> = lines
        .take_while(|line| !line.contains(" sandbox "))
        .collect();
    let work = place.work().canonicalize().unwrap();
    lines.join("\n").replace(work.to_str().unwrap(), "@")
}

#[tokio::test]
async fn a_workspaces_servers_are_shown_and_trusted_as_they_are() {
    let place = Place::new();
    let file = place.work().join(".mcp.json");
    assert_eq!(doctor(&place).await, "");
    let ended = run(&place, &["guard", "trust", "--yes", ".mcp.json"]).await;
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.errors.contains("nothing to trust"),
        "{}",
        ended.errors
    );
    fs::write(&file, SERVERS).unwrap();
    let untrusted = "warn  mcp        the servers of @/.mcp.json are not trusted, so none of them is started\n                 \
                     -> read it, then trust it: `greenroom guard trust @/.mcp.json`";
    assert_eq!(doctor(&place).await, untrusted);
    // Nobody is there to say yes.
    let ended = run(&place, &["guard", "trust", ".mcp.json"]).await;
    assert_eq!(ended.code, Some(2), "{}", ended.output);
    assert_eq!(doctor(&place).await, untrusted);
    let ended = run(&place, &["guard", "trust", "--yes", ".mcp.json"]).await;
    assert_eq!(ended.code, Some(0), "{}", ended.errors);
    // What would turn letters around is shown, and does nothing.
    assert!(ended.output.contains("\n \"?x\""), "{:?}", ended.output);
    assert!(!ended.output.contains('\u{202e}'), "{:?}", ended.output);
    assert!(
        ended.output.contains("it is trusted from now on"),
        "{}",
        ended.output
    );
    let told = doctor(&place).await;
    assert!(told.contains("here (@/.mcp.json): starts /"), "{told}");
    // Another text is another file.
    fs::write(&file, SERVERS.replace("sh", "ls")).unwrap();
    assert_eq!(doctor(&place).await, untrusted);
}

#[tokio::test]
async fn an_agent_trusts_no_servers() {
    let place = Place::new();
    fs::write(place.work().join(".mcp.json"), SERVERS).unwrap();
    let arguments = ["guard", "trust", "--yes", ".mcp.json"];
    let mut command = place.command(GREENROOM, &arguments);
    command.env("GREENROOM_CALL", "mcp/x/1");
    let ended = crate::started::ended(command.spawn().unwrap()).await;
    assert_eq!(ended.code, Some(1), "{}", ended.output);
    assert!(
        ended.errors.contains("started by an agent"),
        "{}",
        ended.errors
    );
}
