//! What may stand in an entry.

use crate::config::raw::Table;

/// The headers of an entry. Keys among them are refused.
pub(super) fn checked_headers(headers: Table<String>) -> Result<Vec<(String, String)>, String> {
    const KEYS: [&str; 5] = [
        "authorization",
        "x-api-key",
        "api-key",
        "x-goog-api-key",
        "proxy-authorization",
    ];
    for (name, value) in &headers.0 {
        let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        if name.is_empty() || !name.chars().all(is_token) {
            return Err(format!("headers: {name:?} is not a header's name"));
        }
        if KEYS.contains(&name.to_ascii_lowercase().as_str()) {
            return Err(format!(
                "headers.{name}: keys never stand in this file; use key_env or key_file"
            ));
        }
        if !value.chars().all(|c| c == ' ' || c.is_ascii_graphic()) {
            return Err(format!(
                "headers.{name}: the value must be one line of ASCII text"
            ));
        }
    }
    Ok(headers.0)
}

/// Whether a provider may be called so.
pub(super) fn check_name(name: &str) -> Result<(), String> {
    let is_fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    if name.is_empty() || name.len() > 40 || !name.chars().all(is_fine) {
        return Err("a provider's name is made of 1 to 40 of a-z, 0-9, - and _".to_owned());
    }
    Ok(())
}

/// Whether an environment variable may be called so: most keys may not.
pub(super) fn is_variable_name(name: &str) -> bool {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty()
        && name.len() <= 128
        && name.chars().all(is_fine)
        && !name.starts_with(|c: char| c.is_ascii_digit())
}
