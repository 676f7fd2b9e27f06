//! The section of MCP servers.

use std::path::PathBuf;
use std::time::Duration;

use super::World;
use crate::mcp::{Launch, Transport};

#[test]
fn servers_come_with_their_variables_and_defaults() {
    let world = World::with(
        "mcp:\n  a:\n    command: ${PROGRAM:-npx}\n    args: [--key, '${MY_TOKEN}']\n    env: {B: '2'}\n    \
         cwd: ~/x\n    tools: {deny: ['w*']}\n    timeout_seconds: 7\n  b:\n    url: https://h/mcp\n    \
         headers: {Authorization: 'Bearer ${MY_TOKEN}'}\n    transport: sse\n    disabled: true\n",
    );
    let config = world.load(&[("MY_TOKEN", "tok-123456789")]).unwrap();
    let [a, b] = config.mcp.as_slice() else {
        panic!("{:?}", config.mcp);
    };
    let (Launch::Program(program), Launch::Remote(remote)) = (&a.launch, &b.launch) else {
        panic!("{:?}", config.mcp);
    };
    let arguments: Vec<&str> = program.arguments.iter().map(|it| it.reveal()).collect();
    assert_eq!(
        (program.command.as_str(), arguments),
        ("npx", vec!["--key", "tok-123456789"])
    );
    assert_eq!(program.folder, Some(PathBuf::from("/home/none/x")));
    assert_eq!(
        (a.timeout, a.start_timeout),
        (Duration::from_secs(7), Duration::from_secs(60))
    );
    assert!(!a.tools.lets_through("write") && a.tools.lets_through("read"));
    assert_eq!(
        (remote.transport, b.disabled, &*b.origin),
        (Transport::Sse, true, "config.yaml")
    );
    // The token is known as one, wherever it stands.
    assert_eq!((a.secrets.len(), b.secrets.len()), (1, 3));
    assert!(!format!("{config:?}").contains("tok-123456789"));
}

#[test]
fn a_variable_that_is_not_set_costs_its_server_alone() {
    let world = World::with("mcp: {a: {command: x, env: {T: '${NO_TOKEN}'}}, b: {command: y}}\n");
    let config = world.load(&[]).unwrap();
    let names: Vec<&str> = config.mcp.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["b"]);
    let warning = "mcp.a is left out: env.T: the variable NO_TOKEN is not set; set it, or write \
                   ${NO_TOKEN:-default}";
    assert!(
        config.warnings.iter().any(|it| it == warning),
        "{:?}",
        config.warnings
    );
}

#[test]
fn what_can_be_no_server_is_an_error_that_names_it() {
    let cases = [
        (
            "mcp: {a: {}}",
            "mcp.a: it has neither a command nor a url; give it one of them",
        ),
        (
            "mcp: {a: {command: x, url: 'http://h'}}",
            "mcp.a: it has both a command and a url; keep one of them",
        ),
        (
            "mcp: {a/b: {command: x}}",
            "mcp.a/b: its name must have 1 to 64 bytes, no / and no control characters; name it so",
        ),
        (
            "mcp: {a: {url: 'ftp://secret@h'}}",
            "mcp.a: url must begin with http:// or https:// and name a host",
        ),
        (
            "mcp: {a: {url: 'http://h', headers: {'a b': secret}}}",
            "mcp.a: headers.a b can be no header of HTTP; mend its name or value",
        ),
    ];
    for (yaml, expected) in cases {
        let world = World::with(yaml);
        let error = world.load(&[]).unwrap_err();
        assert_eq!(
            world.shown(&error),
            format!("@/config.yaml: {expected} (exit 1)")
        );
    }
}
