//! Files of the form `{"mcpServers": {…}}`, as many programs write them.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use rustix::fs::OFlags;
use serde_json::{Map, Value};

use super::entry::ServerEntry;
use super::settings::{ToolFilter, Transport};

/// A longer file is something else.
const LONGEST: u64 = 1 << 20;
/// More servers than this are not read.
const MOST_SERVERS: usize = 64;

/// Reads a file of servers as it is; nothing when there is none. Waits for
/// nobody, and refuses what is no plain file or longer than 1 MiB.
pub fn read(path: &Path) -> Result<Option<Vec<u8>>, String> {
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    let opened = OpenOptions::new().read(true).custom_flags(flags).open(path);
    let file = match opened {
        Ok(file) => file,
        Err(error) if is_missing(&error) => return Ok(None),
        Err(error) => return Err(format!("cannot be read: {error}")),
    };
    let facts = file
        .metadata()
        .map_err(|error| format!("cannot be read: {error}"))?;
    if !facts.is_file() {
        return Err("is no plain file; remove it or put a file there".into());
    }
    if facts.size() > LONGEST {
        return Err(format!("is longer than {LONGEST} bytes; make it shorter"));
    }
    let mut bytes = Vec::new();
    File::take(file, LONGEST)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("cannot be read: {error}"))?;
    Ok(Some(bytes))
}

/// Whether only its owner (this user, or root) can have written a file.
pub(super) fn only_owner_writes(path: &Path) -> Result<(), String> {
    let facts = path
        .metadata()
        .map_err(|error| format!("cannot be read: {error}"))?;
    let own = rustix::process::geteuid().as_raw();
    if facts.uid() != own && facts.uid() != 0 {
        return Err(format!(
            "belongs to user {}, so it is not believed; `chown {own}` it after you have read it",
            facts.uid()
        ));
    }
    match facts.mode() & 0o022 {
        0 => Ok(()),
        _ => Err("can be written by others, so it is not believed; `chmod go-w` it after you have read it".into()),
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// What a file says.
#[derive(Default)]
pub(super) struct Parsed {
    /// Each server, or what is wrong with it; in the file's order.
    pub servers: Vec<(String, Result<ServerEntry, String>)>,
    /// Keys that mean nothing here.
    pub unknown: Vec<String>,
}

/// Takes a text apart. Keys of other programs are left alone and told. The
/// error holds no value.
pub(super) fn parse(text: &[u8]) -> Result<Parsed, String> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let document: Value = serde_json::from_slice(text).map_err(|error| {
        format!(
            "is no JSON (line {}, column {}); mend it",
            error.line(),
            error.column()
        )
    })?;
    let Some(servers) = document.get("mcpServers").and_then(Value::as_object) else {
        return Err("has no object `mcpServers`; write {\"mcpServers\": {…}}".into());
    };
    if servers.len() > MOST_SERVERS {
        return Err(format!(
            "names more than {MOST_SERVERS} servers; name fewer"
        ));
    }
    let mut parsed = Parsed::default();
    for (name, value) in servers {
        let entry = match value.as_object() {
            Some(fields) => entry(fields, name, &mut parsed.unknown),
            None => Err("is no object".to_owned()),
        };
        parsed.servers.push((name.clone(), entry));
    }
    Ok(parsed)
}

fn entry(
    fields: &Map<String, Value>,
    name: &str,
    unknown: &mut Vec<String>,
) -> Result<ServerEntry, String> {
    let mut entry = ServerEntry::default();
    for (key, value) in fields {
        match key.as_str() {
            "command" => entry.command = Some(text(key, value)?),
            "args" => entry.args = texts(key, value)?,
            "env" => entry.env = pairs(key, value)?,
            "cwd" => entry.cwd = Some(text(key, value)?),
            "url" => entry.url = Some(text(key, value)?),
            "headers" => entry.headers = pairs(key, value)?,
            "type" | "transport" => entry.transport = transport(&text(key, value)?)?,
            "tools" => entry.tools = filter(value)?,
            "timeout_seconds" => entry.timeout = Some(seconds(key, value)?),
            "start_timeout_seconds" => entry.start_timeout = Some(seconds(key, value)?),
            "output_cap_kb" => entry.output_kb = Some(whole(key, value, 65_536)? as usize),
            "disabled" => entry.disabled = flag(key, value)?,
            _ => unknown.push(format!("{name}.{key}")),
        }
    }
    Ok(entry)
}

/// The transport of a name that files use; nothing for the usual one of a
/// program.
fn transport(name: &str) -> Result<Option<Transport>, String> {
    match name {
        "stdio" => Ok(None),
        "http" | "streamable-http" | "streamableHttp" | "streamable_http" => {
            Ok(Some(Transport::Http))
        }
        "sse" => Ok(Some(Transport::Sse)),
        _ => Err("its type is none of stdio, http and sse; take one of them".into()),
    }
}

fn filter(value: &Value) -> Result<ToolFilter, String> {
    let Some(fields) = value.as_object() else {
        return Err("tools is no object; write {\"allow\": […], \"deny\": […]}".into());
    };
    let list = |key: &str| fields.get(key).map(|value| texts(key, value)).transpose();
    Ok(ToolFilter {
        allow: list("allow")?,
        deny: list("deny")?.unwrap_or_default(),
    })
}

fn text(key: &str, value: &Value) -> Result<String, String> {
    let text = value.as_str().map(str::to_owned);
    text.ok_or_else(|| format!("{key} is no text"))
}

fn texts(key: &str, value: &Value) -> Result<Vec<String>, String> {
    let fault = || format!("{key} is no list of texts");
    let items = value.as_array().ok_or_else(fault)?.iter();
    items
        .map(|item| text(key, item).map_err(|_| fault()))
        .collect()
}

fn pairs(key: &str, value: &Value) -> Result<Vec<(String, String)>, String> {
    let fault = || format!("{key} is no object of texts");
    let fields = value.as_object().ok_or_else(fault)?.iter();
    fields
        .map(|(name, value)| Ok((name.clone(), text(key, value).map_err(|_| fault())?)))
        .collect()
}

fn flag(key: &str, value: &Value) -> Result<bool, String> {
    value
        .as_bool()
        .ok_or_else(|| format!("{key} is neither true nor false"))
}

fn seconds(key: &str, value: &Value) -> Result<Duration, String> {
    whole(key, value, 86_400).map(Duration::from_secs)
}

fn whole(key: &str, value: &Value, most: u64) -> Result<u64, String> {
    let number = value.as_u64().filter(|it| (1..=most).contains(it));
    number.ok_or_else(|| format!("{key} is no whole number from 1 to {most}"))
}
