//! Server-sent events: bytes in, events out.
//!
//! Pure and incremental: however the network cuts the bytes, the same events
//! come out, and each byte is looked at once. Knows no provider and no JSON.
//! Comments, ids and retry hints are read over; an event that the stream does
//! not finish with a blank line is dropped, as the standard says.

use thiserror::Error;

/// The longest event, in bytes of its text and its name.
pub const MAX_EVENT: usize = 16 * 1024 * 1024;

/// One event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SseEvent {
    /// What `event:` said; empty when it said nothing.
    pub name: String,
    /// The `data:` lines, joined by line feeds.
    pub data: String,
}

/// An event that is longer than [`MAX_EVENT`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("an event of the stream is longer than {} MiB", MAX_EVENT / (1024 * 1024))]
pub struct EventTooLong;

/// Cuts a stream of bytes into events.
#[derive(Debug, Default)]
pub struct SseParser {
    /// The line that has not ended yet, undecoded: a chunk may end within a
    /// character.
    line: Vec<u8>,
    /// The event that has not ended yet.
    event: SseEvent,
    /// Whether the event has a `data:` line, which may be an empty one.
    has_data: bool,
    /// The last byte was a CR: a LF right after it belongs to it.
    after_cr: bool,
    /// The first line was seen, and with it the byte order mark.
    started: bool,
}

impl SseParser {
    /// Takes the next bytes and adds the events that they complete to `out`.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<SseEvent>) -> Result<(), EventTooLong> {
        let mut rest = bytes;
        if self.after_cr && !rest.is_empty() {
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            self.after_cr = false;
        }
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (piece, tail) = rest.split_at(end);
            self.keep(piece)?;
            self.end_line(out)?;
            rest = match tail {
                [b'\r', b'\n', after @ ..] | [_, after @ ..] => after,
                [] => tail,
            };
            self.after_cr = tail == b"\r";
        }
        self.keep(rest)
    }

    /// Keeps a piece of a line until its end is there.
    fn keep(&mut self, piece: &[u8]) -> Result<(), EventTooLong> {
        if self.line.len() + self.event.data.len() + piece.len() > MAX_EVENT {
            return Err(EventTooLong);
        }
        self.line.extend_from_slice(piece);
        Ok(())
    }

    fn end_line(&mut self, out: &mut Vec<SseEvent>) -> Result<(), EventTooLong> {
        let mut bytes = std::mem::take(&mut self.line);
        let text = if self.started {
            &bytes[..]
        } else {
            bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes)
        };
        self.started = true;
        if text.is_empty() {
            self.end_event(out);
        } else {
            read_field(text, &mut self.event, &mut self.has_data);
            // Bytes that are no UTF-8 grow when they are replaced.
            if self.event.data.len() > MAX_EVENT {
                return Err(EventTooLong);
            }
        }
        // The next line uses the same memory, unless it was an odd one.
        if bytes.capacity() <= 64 * 1024 {
            bytes.clear();
            self.line = bytes;
        }
        Ok(())
    }

    fn end_event(&mut self, out: &mut Vec<SseEvent>) {
        let event = std::mem::take(&mut self.event);
        if std::mem::take(&mut self.has_data) {
            out.push(event);
        }
    }
}

/// Reads one line, which is not empty, into the event.
fn read_field(line: &[u8], event: &mut SseEvent, has_data: &mut bool) {
    let colon = line.iter().position(|byte| *byte == b':');
    let (name, value) = match colon {
        Some(at) => line.split_at(at),
        None => (line, &b""[..]),
    };
    let value = value.strip_prefix(b":").unwrap_or(value);
    let value = value.strip_prefix(b" ").unwrap_or(value);
    match name {
        b"data" => {
            if std::mem::replace(has_data, true) {
                event.data.push('\n');
            }
            event.data.push_str(&String::from_utf8_lossy(value));
        }
        b"event" => event.name = String::from_utf8_lossy(value).into_owned(),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
