//! Servers that are reached over HTTP.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use expect_test::{Expect, expect};
use greenroom::mcp::{Launch, Remote, ServerConfig, SessionServers, Status, Transport, check};
use greenroom::secret::Secret;

use super::stage::{PATIENCE, Stage, hub, said};
use crate::support::repository;

/// The server of `tests/servers`, until it is dropped.
struct Http {
    process: Child,
    port: u16,
}

impl Http {
    fn start() -> Http {
        let mut process = Command::new("python3")
            .arg(repository().join("tests/servers/mcp_http.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        Http {
            process,
            port: line.trim().parse().unwrap(),
        }
    }

    fn server(&self, stage: &Stage, path: &str) -> ServerConfig {
        let url = format!(
            "http://127.0.0.1:{}{path}?token=url-secret-value",
            self.port
        );
        let secrets = ["header-secret-value", "url-secret-value"];
        ServerConfig {
            launch: Launch::Remote(Remote {
                url: Secret::new(url),
                headers: vec![("X-Key".into(), Secret::new("header-secret-value".into()))],
                transport: Transport::Http,
            }),
            secrets: secrets.map(|it| Secret::new(it.into())).to_vec(),
            start_timeout: Duration::from_secs(5),
            ..stage.server(&[])
        }
    }

    /// The same in the transport of old.
    fn events(&self, stage: &Stage, path: &str) -> ServerConfig {
        let mut server = self.server(stage, path);
        if let Launch::Remote(remote) = &mut server.launch {
            remote.transport = Transport::Sse;
        }
        server
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

async fn opened(stage: &Stage, server: &ServerConfig) -> SessionServers {
    let servers = hub().open(std::slice::from_ref(server), &stage.root());
    servers.settled(PATIENCE).await;
    servers
}

#[tokio::test]
async fn a_remote_server_gets_its_headers_and_they_are_masked() {
    let (stage, http) = (Stage::new(), Http::start());
    for path in ["/mcp", "/here"] {
        let servers = opened(&stage, &http.server(&stage, path)).await;
        assert_eq!(
            servers.statuses(),
            [("s".into(), Status::Ready)],
            "{:?}",
            servers.notices()
        );
        let said = said(&servers, "key", "{}").await;
        assert_eq!(said, ("it got [redacted: s secret]".into(), false));
    }
}

#[tokio::test]
async fn why_a_remote_server_is_not_there_is_told_without_secrets() {
    let (stage, http) = (Stage::new(), Http::start());
    let mut shown = String::new();
    let mut gone = http.server(&stage, "/mcp");
    // Nobody listens there.
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let closed_port = closed.local_addr().unwrap().port();
    drop(closed);
    if let Launch::Remote(remote) = &mut gone.launch {
        remote.url = Secret::new(format!("http://127.0.0.1:{closed_port}/mcp"));
    }
    let mut hang = http.server(&stage, "/hang");
    hang.start_timeout = Duration::from_secs(1);
    let cases = [
        http.server(&stage, "/denied"),
        http.server(&stage, "/away"),
        http.server(&stage, "/huge"),
        hang,
        gone,
        http.events(&stage, "/sse-denied"),
        http.events(&stage, "/sse-none"),
        http.events(&stage, "/sse-away"),
        http.events(&stage, "/mcp"),
    ];
    for server in &cases {
        let servers = opened(&stage, server).await;
        let (_, status) = servers.statuses().remove(0);
        let Status::Failed { reason, .. } = status else {
            panic!("{server:?} is {status:?}");
        };
        assert!(!reason.contains("secret-value"), "{reason}");
        let reason = reason.replace(&http.port.to_string(), "PORT");
        shown.push_str(&reason.replace(&closed_port.to_string(), "CLOSED"));
        shown.push('\n');
    }
    let expected: Expect = expect![[r#"
        http://127.0.0.1:PORT: it wants to know who asks (HTTP 401); put what it wants into `headers`; see that it is there, and takes these headers
        http://127.0.0.1:PORT: unexpected server response: HTTP 307 Temporary Redirect; see that it is there, and takes these headers
        http://127.0.0.1:PORT: its tools cannot be listed: HTTP response body exceeded the maximum size of 16777216 bytes; see that it is there, and takes these headers
        it was not ready within 1 s; see what holds it up, or raise start_timeout_seconds
        http://127.0.0.1:CLOSED: Connection refused (os error 111); see that it is there, and takes these headers
        http://127.0.0.1:PORT: it wants to know who asks (HTTP 401); put what it wants into `headers`; see that it is there, and takes these headers
        http://127.0.0.1:PORT: its stream names no endpoint; see that it is there, and takes these headers
        http://127.0.0.1:PORT: its stream names an endpoint of somebody else; see that it is there, and takes these headers
        http://127.0.0.1:PORT: unexpected answer: HTTP 405 Method Not Allowed; see that it is there, and takes these headers
    "#]];
    expected.assert_eq(&shown);
}

#[tokio::test]
async fn the_transport_of_old_works_and_is_opened_anew_when_it_breaks() {
    let (stage, http) = (Stage::new(), Http::start());
    let servers = opened(&stage, &http.events(&stage, "/sse")).await;
    let answer = ("it got [redacted: s secret]".to_owned(), false);
    assert_eq!(
        said(&servers, "key", "{}").await,
        answer,
        "{:?}",
        servers.notices()
    );
    let (text, failed) = said(&servers, "break", "{}").await;
    assert!(failed && text.contains("ended during the call"), "{text}");
    let again = async {
        while said(&servers, "key", "{}").await != answer {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, again).await.unwrap();
}

/// A header with a key must not go to whomever a server names.
#[tokio::test]
async fn redirects_to_others_are_not_followed() {
    let (stage, http) = (Stage::new(), Http::start());
    opened(&stage, &http.server(&stage, "/away")).await;
    opened(&stage, &http.events(&stage, "/sse-away")).await;
    let servers = opened(&stage, &http.server(&stage, "/mcp")).await;
    assert_eq!(said(&servers, "seen", "{}").await.0, "it got []");
}

#[tokio::test]
async fn the_doctor_tells_of_each_server_what_to_do() {
    let (stage, http) = (Stage::new(), Http::start());
    let mut disabled = stage.server(&[]);
    disabled.disabled = true;
    let mut absent = stage.server(&[]);
    if let Launch::Program(program) = &mut absent.launch {
        program.command = "no-such-program".into();
    }
    let servers = [
        stage.server(&[]),
        http.server(&stage, "/mcp"),
        disabled,
        absent,
    ];
    let path = std::env::var_os("PATH");
    let checked = check(&servers, &stage.root(), path.as_deref()).await;
    let found: Vec<_> = checked.into_iter().map(|it| it.found).collect();
    assert!(
        found[0].as_ref().is_ok_and(|it| it.ends_with("/python3")),
        "{found:?}"
    );
    let takes = format!("http://127.0.0.1:{} takes connections", http.port);
    let missing = (
        "no-such-program is not in $PATH",
        "install it, or write its whole path as `command`",
    );
    assert_eq!(
        found[1..],
        [
            Ok(takes),
            Ok("is disabled".into()),
            Err((missing.0.into(), missing.1.into())),
        ]
    );
}
