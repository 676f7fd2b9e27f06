//! What the doctor says of MCP servers.

use expect_test::expect;

use super::*;
use crate::mcp::Loaded;

#[tokio::test]
async fn each_server_and_what_is_left_out_is_told_with_the_next_step() {
    let world = World::new(&[("OPENAI_API_KEY", "k")]);
    let yaml = "mcp:\n  here: {command: /bin/sh}\n  gone: {command: no-such-program}\n  off: {command: x, disabled: true}\n  \
                unset: {command: x, args: ['${NOT_SET}']}\n";
    let mut input = world.input(Some(yaml));
    let config = input.config.as_ref().unwrap();
    input.mcp = McpState {
        loaded: Loaded {
            servers: config.mcp.clone(),
            notices: vec!["the servers of /w/.mcp.json are not trusted; trust it: so".into()],
            untrusted: None,
        },
        root: world.folder.path().to_owned(),
        path: Some("/bin".into()),
    };
    let text = world.text(input).await;
    let lines = text.lines().skip_while(|line| !line.contains(" mcp "));
    let told: Vec<&str> = lines
        .take_while(|line| !line.contains(" sandbox "))
        .collect();
    expect![[r#"
        ok    mcp        here (config.yaml): starts /bin/sh
        warn  mcp        gone (config.yaml): no-such-program is not in $PATH
                         -> install it, or write its whole path as `command`
        ok    mcp        off (config.yaml): is disabled
        warn  mcp        mcp.unset is left out: args: the variable NOT_SET is not set
                         -> set it, or write ${NOT_SET:-default}
        warn  mcp        the servers of /w/.mcp.json are not trusted
                         -> trust it: so"#]]
    .assert_eq(&told.join("\n"));
}
