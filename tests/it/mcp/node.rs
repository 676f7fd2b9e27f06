//! The reference servers of the protocol's own makers, as `tests/clients/mcp`
//! pins them. `npm ci` there installs them (`tests/run` does); where that was not
//! done these tests tell so and end, but not under `tests/run`.

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use greenroom::mcp::{Launch, Program, Remote, ServerConfig, Transport};
use greenroom::secret::Secret;
use serde_json::json;

use super::stage::{Stage, call, hub, said};
use crate::support::{processes, repository};

/// The script of a package's program, if it is installed.
fn script(package: &str) -> Option<PathBuf> {
    let modules = repository().join("tests/clients/mcp/node_modules");
    let path = modules
        .join("@modelcontextprotocol")
        .join(package)
        .join("dist/index.js");
    let must = std::env::var_os("GREENROOM_NODE_CLIENTS").is_some();
    assert!(
        path.exists() || !must,
        "{} is not installed",
        path.display()
    );
    if !path.exists() {
        eprintln!("{package} is not installed: `npm ci` in tests/clients/mcp");
    }
    path.exists().then_some(path)
}

fn server(stage: &Stage, script: &std::path::Path, arguments: &[&str]) -> ServerConfig {
    let mut all = vec![script.to_str().unwrap()];
    all.extend(arguments);
    all.push(&stage.word);
    ServerConfig {
        launch: Launch::Program(Program {
            command: "node".into(),
            arguments: all.into_iter().map(|it| Secret::new(it.into())).collect(),
            environment: Vec::new(),
            folder: None,
        }),
        timeout: Duration::from_secs(60),
        ..stage.server(&[])
    }
}

#[tokio::test]
async fn the_everything_server_works() {
    let Some(script) = script("server-everything") else {
        return;
    };
    let stage = Stage::new();
    let servers = stage
        .ready(&hub(), &server(&stage, &script, &["stdio"]))
        .await;
    assert_eq!(servers.notices(), [""; 0].map(Into::into));
    let echoed = said(&servers, "echo", r#"{"message": "hä?"}"#).await;
    assert_eq!(echoed, ("Echo: hä?".into(), false));
    let ran = call(&servers, "get-tiny-image", "{}").await;
    assert_eq!((ran.images.len(), ran.failed), (1, false), "{}", ran.text);
    let (text, _) = said(&servers, "get-sum", r#"{"a": 2, "b": 40}"#).await;
    assert!(text.contains("42"), "{text}");
    let (text, failed) = said(&servers, "get-sum", r#"{"a": "x"}"#).await;
    assert!(failed, "{text}");
    assert!(!servers.resources(None).is_empty() && !servers.prompts(None).is_empty());
    drop(servers);
    stage.nobody_is_left().await;
}

#[tokio::test]
async fn the_filesystem_server_works() {
    let Some(script) = script("server-filesystem") else {
        return;
    };
    let stage = Stage::new();
    std::fs::write(stage.root().join("a.txt"), "what it says\n").unwrap();
    let root = stage.root();
    // Its roots are ours: the workspace.
    let mut config = server(&stage, &script, &[]);
    if let Launch::Program(program) = &mut config.launch {
        let word = stage.root().join(&stage.word);
        std::fs::create_dir(&word).unwrap();
        program.arguments.pop();
        program
            .arguments
            .push(Secret::new(word.to_str().unwrap().into()));
    }
    let servers = stage.ready(&hub(), &config).await;
    let input = json!({"path": root.join("a.txt")}).to_string();
    let read = async {
        // It asks for the roots when it has started, and takes them by and by.
        loop {
            let read = said(&servers, "read_text_file", &input).await;
            if !read.1 {
                return read.0;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let text = tokio::time::timeout(super::stage::PATIENCE, read)
        .await
        .unwrap();
    assert!(text.contains("what it says"), "{text}");
    let outside = said(&servers, "read_text_file", r#"{"path": "/etc/hostname"}"#).await;
    assert!(outside.1, "{}", outside.0);
    drop(servers);
    stage.nobody_is_left().await;
}

#[tokio::test]
async fn the_everything_server_works_over_http_both_new_and_old() {
    let Some(script) = script("server-everything") else {
        return;
    };
    let kinds = [
        ("streamableHttp", "/mcp", Transport::Http),
        ("sse", "/sse", Transport::Sse),
    ];
    for (argument, path, transport) in kinds {
        let stage = Stage::new();
        let port = free_port();
        let _node = Node(
            Command::new("node")
                .arg(&script)
                .arg(argument)
                .env("PORT", port.to_string())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap(),
        );
        processes::wait_until("it listens", || {
            TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        let config = ServerConfig {
            launch: Launch::Remote(Remote {
                url: Secret::new(format!("http://127.0.0.1:{port}{path}")),
                headers: Vec::new(),
                transport,
            }),
            ..stage.server(&[])
        };
        let servers = stage.ready(&hub(), &config).await;
        let echoed = said(&servers, "echo", r#"{"message": "hä?"}"#).await;
        assert_eq!(echoed, ("Echo: hä?".into(), false));
        let ran = call(&servers, "get-tiny-image", "{}").await;
        assert_eq!((ran.images.len(), ran.failed), (1, false), "{}", ran.text);
    }
}

/// A port that was free a moment ago.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// A process that ends with its test.
struct Node(Child);

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
