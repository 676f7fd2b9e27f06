//! What may be set about fetching from the web.

use std::time::Duration;

/// Settings of `web_fetch`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebSettings {
    /// Whether the tool is offered. Default: no.
    pub enabled: bool,
    /// How much of one answer is read, in bytes. Default 1 MiB.
    pub max_bytes: usize,
    /// How long one fetch may take, redirects and all. Default 30 s.
    pub timeout: Duration,
    /// The only hosts that are fetched from: `host`, or `*.host` for all below
    /// it. Default: empty, which is every host.
    pub allow_hosts: Vec<String>,
    /// Hosts that are never fetched from, in the same words. Default: none.
    pub deny_hosts: Vec<String>,
    /// Whether addresses of this machine and of private networks are fetched
    /// from, too. Default: no.
    pub allow_private: bool,
}

impl Default for WebSettings {
    fn default() -> WebSettings {
        WebSettings {
            enabled: false,
            max_bytes: 1 << 20,
            timeout: Duration::from_secs(30),
            allow_hosts: Vec::new(),
            deny_hosts: Vec::new(),
            allow_private: false,
        }
    }
}

impl WebSettings {
    /// Whether this host may be fetched from, by its name. The error says which
    /// setting is against it.
    pub(super) fn admits(&self, host: &str) -> Result<(), String> {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        if self.deny_hosts.iter().any(|own| takes(own, &host)) {
            return Err(format!("{host} is one of web.deny_hosts"));
        }
        if !self.allow_hosts.is_empty() && !self.allow_hosts.iter().any(|own| takes(own, &host)) {
            return Err(format!("{host} is none of web.allow_hosts"));
        }
        Ok(())
    }
}

fn takes(pattern: &str, host: &str) -> bool {
    let pattern = pattern.to_ascii_lowercase();
    match pattern.strip_prefix('*') {
        Some(below) => below.starts_with('.') && host.ends_with(below),
        None => pattern == host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_admitted_by_name_and_a_denial_wins() {
        let settings = WebSettings {
            allow_hosts: vec!["docs.rs".into(), "*.Example.org".into()],
            deny_hosts: vec!["bad.example.org".into()],
            ..WebSettings::default()
        };
        let admitted = |host: &str| settings.admits(host).is_ok();
        assert!(admitted("docs.rs") && admitted("DOCS.rs.") && admitted("a.b.example.org"));
        assert!(!admitted("example.org") && !admitted("evildocs.rs"));
        assert!(!admitted("bad.example.org") && !admitted("BAD.example.org."));
        assert!(WebSettings::default().admits("anything.net").is_ok());
    }
}
