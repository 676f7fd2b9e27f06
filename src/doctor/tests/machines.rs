//! Sandbox, shell and terminal.

use expect_test::expect;

use super::good_host;
use crate::config::Environment;
use crate::doctor::{Host, host};
use crate::tool::{Network, SandboxMode, SandboxSettings, Support};

#[test]
fn machines_of_all_kinds() {
    let with = |change: fn(&mut Host)| {
        let mut host = good_host();
        change(&mut host);
        host
    };
    let hosts = [
        with(|_| ()),
        with(|host| host.landlock = Support(2)),
        with(|host| host.landlock = Support(0)),
        with(|host| {
            host.os = "macos".to_owned();
            host.landlock = Support(0);
        }),
        with(|host| host.shell = Some("/bin/sh".into())),
        with(|host| host.shell = None),
        with(|host| host.is_terminal = false),
    ];
    let off = SandboxSettings::default();
    let mut shown = String::new();
    let usual = host::look(&good_host(), &off);
    for host in hosts {
        for finding in host::look(&host, &off) {
            if shown.is_empty() || !usual.contains(&finding) {
                shown.push_str(&format!("{:?} {}\n", finding.level, finding.what));
            }
        }
    }
    expect![[r#"
        Ok off (sandbox.mode); the kernel (6.1.0-18-amd64) has Landlock 7 and could keep commands
        Warn the kernel (6.1.0-18-amd64) has Landlock 2
        Warn the kernel (6.1.0-18-amd64) has no Landlock, or it is off
        Warn there is none on macos
        Warn commands run with /bin/sh
        Fail there is no /bin/bash and no /bin/sh
        Ok standard error is no terminal; logs go where the starter reads
    "#]]
    .assert_eq(&shown);
}

#[test]
fn this_machine_can_be_looked_at() {
    let host = Host::here(&Environment::process());
    assert_eq!(host.os, std::env::consts::OS);
    assert_eq!(host::look(&host, &SandboxSettings::default()).len(), 3);
}

#[test]
fn the_sandbox_that_is_asked_for() {
    let mut shown = String::new();
    for (network, version) in [
        (Network::Allow, 7),
        (Network::Allow, 0),
        (Network::Deny, 3),
        (Network::Deny, 4),
    ] {
        let wanted = SandboxSettings {
            mode: SandboxMode::Workspace,
            network,
            ..SandboxSettings::default()
        };
        let mut host = good_host();
        host.landlock = Support(version);
        let finding = &host::look(&host, &wanted)[0];
        shown.push_str(&format!("{:?} {}\n", finding.level, finding.what));
    }
    expect![[r#"
        Ok commands are kept in the workspace; the kernel (6.1.0-18-amd64) has Landlock 7
        Warn the sandbox that the settings ask for is not there on this system (the kernel (6.1.0-18-amd64) has no Landlock, or it is off): commands are asked about
        Warn the sandbox cannot keep commands from the network on this system (the kernel (6.1.0-18-amd64) has Landlock 3): commands are asked about
        Ok commands are kept in the workspace; the kernel (6.1.0-18-amd64) has Landlock 4
    "#]].assert_eq(&shown);
}
