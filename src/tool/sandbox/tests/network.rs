//! The network, kept or open.

use std::net::TcpListener;

use super::Scene;
use crate::tool::{Network, SandboxMode, Support};

#[tokio::test]
async fn the_network_is_kept_when_it_is_to_be() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let connect = format!("exec 3<>/dev/tcp/127.0.0.1/{port}");
    let open = Scene::new(SandboxMode::Workspace, Network::Allow);
    assert!(!open.run(&connect).await.failed);
    let kept = Scene::new(SandboxMode::Workspace, Network::Deny);
    let expected = Support::probe().network();
    assert_eq!(kept.run(&connect).await.failed, expected);
}

/// Ways to the network that Landlock does not know, and sockets that are none.
#[tokio::test]
async fn there_is_no_other_way_to_the_network() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let python = |code: &str| format!("python3 -c 'from socket import *; {code}'");
    let ways = [
        format!("exec 3<>/dev/udp/127.0.0.1/{port}"),
        python(&format!(
            "socket(AF_INET, SOCK_STREAM, 262).connect((\"127.0.0.1\", {port}))"
        )),
        python(&format!(
            "socket().sendto(b\"hi\", 0x20000000, (\"127.0.0.1\", {port}))"
        )),
        python("socket().listen(1)"),
        python("socket(AF_INET6)"),
    ];
    let kept = Scene::new(SandboxMode::Workspace, Network::Deny);
    let is_there = Support::probe().files();
    for way in &ways {
        let ran = kept.run(way).await;
        // Without a sandbox they may fail for reasons of their own.
        assert!(ran.failed || !is_there, "{way}: {}", ran.text);
    }
    let own =
        "a, b = socketpair(); a.send(b\"x\"); b.recv(1); socket(AF_UNIX); socket(16, SOCK_RAW)";
    let ran = kept.run(&python(own)).await;
    assert!(!ran.failed, "{}", ran.text);
    let open = Scene::new(SandboxMode::Workspace, Network::Allow);
    assert!(!open.run(&ways[0]).await.failed);
    // Only what is started is kept.
    std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
}

#[tokio::test]
async fn no_port_is_opened_when_the_network_is_denied() {
    let bind = "python3 -c 'import socket; socket.socket().bind((\"127.0.0.1\", 0))'";
    let open = Scene::new(SandboxMode::Workspace, Network::Allow);
    let usual = open.run(bind).await;
    assert!(!usual.failed, "{}", usual.text);
    let kept = Scene::new(SandboxMode::Workspace, Network::Deny);
    let expected = Support::probe().network();
    assert_eq!(kept.run(bind).await.failed, expected);
}
