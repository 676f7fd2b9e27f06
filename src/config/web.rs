//! The web's section of the file.

use std::time::Duration;

use super::raw::RawWeb;
use crate::tool::WebSettings;

/// Fills the defaults in.
pub(super) fn web(raw: RawWeb) -> Result<WebSettings, String> {
    let usual = WebSettings::default();
    Ok(WebSettings {
        enabled: raw.enabled.unwrap_or(usual.enabled),
        max_bytes: raw
            .max_page_kb
            .map_or(usual.max_bytes, |n| n.0 as usize * 1024),
        timeout: raw
            .timeout_seconds
            .map_or(usual.timeout, |n| Duration::from_secs(n.0)),
        allow_hosts: hosts("allow_hosts", raw.allow_hosts)?,
        deny_hosts: hosts("deny_hosts", raw.deny_hosts)?,
        allow_private: raw.allow_private.unwrap_or(usual.allow_private),
    })
}

fn hosts(key: &str, hosts: Option<Vec<String>>) -> Result<Vec<String>, String> {
    let hosts = hosts.unwrap_or_default();
    for host in &hosts {
        let name = host.strip_prefix("*.").unwrap_or(host);
        if name.is_empty() || name.contains(['*', '/', ':', '@', ' ']) || name.ends_with('.') {
            return Err(format!(
                "web.{key}: {host:?} is no host; write `host`, or `*.host` for all below it"
            ));
        }
    }
    Ok(hosts)
}
