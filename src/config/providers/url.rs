//! Checks base URLs, without a parser: they are used as text.

/// The URL without trailing slashes, or what is wrong with it. A URL with a
/// name and a password in it is refused and not repeated.
pub(super) fn check(url: &str) -> Result<String, String> {
    let Some((scheme, rest)) = url.split_once("://") else {
        return Err("expected a URL that begins with http:// or https://".to_owned());
    };
    if scheme != "http" && scheme != "https" {
        return Err("expected a URL that begins with http:// or https://".to_owned());
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err("a URL must hold no name or password; use key_env or key_file".to_owned());
    }
    if authority.is_empty() || authority.starts_with(':') {
        return Err("the URL names no host".to_owned());
    }
    if rest.contains(['?', '#']) {
        return Err("a base URL has no ? and no #; paths are appended to it".to_owned());
    }
    if url.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err("the URL holds a blank".to_owned());
    }
    Ok(url.trim_end_matches('/').to_owned())
}

/// Whether a key sent there would travel in the clear to another machine.
pub(super) fn is_in_the_clear(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("http://") else {
        return false;
    };
    let authority = rest.split('/').next().unwrap_or_default();
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    !(host == "localhost" || host == "::1" || host.starts_with("127."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_taken_or_refused_with_a_reason() {
        let fine = [
            ("https://api.openai.com/v1", "https://api.openai.com/v1"),
            ("http://127.0.0.1:8080/", "http://127.0.0.1:8080"),
            ("https://x/a/b//", "https://x/a/b"),
        ];
        for (url, expected) in fine {
            assert_eq!(check(url).as_deref(), Ok(expected), "{url}");
        }
        let wrong = [
            ("api.openai.com", "begins with http"),
            ("ftp://x", "begins with http"),
            ("http://", "no host"),
            ("http:///v1", "no host"),
            ("http://:80/", "no host"),
            ("https://me:hunter2@x/v1", "no name or password"),
            ("https://x/v1?key=hunter2", "no ?"),
            ("https://x/v 1", "blank"),
        ];
        for (url, reason) in wrong {
            let error = check(url).unwrap_err();
            assert!(error.contains(reason), "{url}: {error}");
            assert!(!error.contains("hunter2"), "{url}: {error}");
        }
    }

    #[test]
    fn only_other_machines_hear_what_is_in_the_clear() {
        for url in ["http://10.0.0.1/v1", "http://box:80", "http://[fe80::1]/"] {
            assert!(is_in_the_clear(url), "{url}");
        }
        for url in [
            "https://box",
            "http://localhost:1/",
            "http://127.0.0.2",
            "http://[::1]:9/",
        ] {
            assert!(!is_in_the_clear(url), "{url}");
        }
    }
}
