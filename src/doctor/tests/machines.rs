//! Sandbox, shell and terminal.

use expect_test::expect;

use super::good_host;
use crate::config::Environment;
use crate::doctor::{Host, host};

#[test]
fn machines_of_all_kinds() {
    let with = |change: fn(&mut Host)| {
        let mut host = good_host();
        change(&mut host);
        host
    };
    let hosts = [
        with(|_| ()),
        with(|host| host.security_modules = Some("capability,yama".to_owned())),
        with(|host| host.security_modules = None),
        with(|host| {
            host.security_modules = None;
            host.kernel = Some("5.10.0".to_owned());
        }),
        with(|host| {
            host.security_modules = None;
            host.kernel = None;
        }),
        with(|host| host.os = "macos".to_owned()),
        with(|host| host.shell = Some("/bin/sh".into())),
        with(|host| host.shell = None),
        with(|host| host.is_terminal = false),
    ];
    let mut shown = String::new();
    let usual = host::look(&good_host());
    for host in hosts {
        for finding in host::look(&host) {
            if shown.is_empty() || !usual.contains(&finding) {
                shown.push_str(&format!("{:?} {}\n", finding.level, finding.what));
            }
        }
    }
    expect![[r#"
        Ok Landlock is there (kernel 6.1.0-18-amd64)
        Warn the kernel (6.1.0-18-amd64) runs without Landlock
        Ok the kernel (6.1.0-18-amd64) can do Landlock; whether it is on cannot be seen here
        Warn the kernel (5.10.0) has no Landlock
        Warn the kernel (unknown) has no Landlock
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
    assert_eq!(host::look(&host).len(), 3);
}
