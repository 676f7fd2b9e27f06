//! A range of a text's lines, in bounded memory however long the lines are.

use std::fmt::Write as _;
use std::io::BufRead;

use super::super::call::Stop;
use super::super::disk::DiskFault;

/// What a window may hold.
pub(super) struct WindowLimits {
    /// The first line, from 1.
    pub first: usize,
    /// How many lines.
    pub lines: usize,
    /// How many bytes, over all lines. The first line always fits.
    pub bytes: usize,
    /// How many bytes of each line.
    pub line_bytes: usize,
}

/// The lines that were found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Window {
    /// The lines, each ending in `\n` but for a last one that doesn't.
    pub text: String,
    /// How many lines `text` holds.
    pub shown: usize,
    /// How many lines were read: all of them when `counted`.
    pub passed: usize,
    /// Whether `passed` counts the whole text.
    pub counted: bool,
    /// Whether lines follow.
    pub more: bool,
    /// Whether a shown line is cut.
    pub cut_lines: bool,
    /// Whether a shown line ends in CRLF (which `text` does not show).
    pub crlf: bool,
    /// Whether a shown line is no UTF-8.
    pub lossy: bool,
}

impl Window {
    /// Reads the range; to the text's very end only when the lines are to be
    /// counted.
    pub fn of(
        mut reader: impl BufRead,
        limits: &WindowLimits,
        count: bool,
        stop: &Stop,
    ) -> Result<Window, DiskFault> {
        let mut window = Window::default();
        let mut full = false;
        let mut line = Vec::new();
        loop {
            if stop.is_set() {
                return Err(DiskFault::Stopped);
            }
            let wanted = !full && window.passed + 1 >= limits.first;
            line.clear();
            // Room for a cut inside a character, and for the line's end.
            let keep = if wanted { limits.line_bytes + 8 } else { 0 };
            let (length, ended) = read_line(&mut reader, &mut line, keep, stop)?;
            if length == 0 {
                window.counted = true;
                return Ok(window);
            }
            window.passed += 1;
            if !wanted {
                window.more |= full;
                if full && !count {
                    return Ok(window);
                }
                continue;
            }
            let fits = window.shown == 0 || window.text.len() + line.len() <= limits.bytes;
            if !fits {
                full = true;
                window.more = true;
                if !count {
                    return Ok(window);
                }
                continue;
            }
            window.add(&line, length, ended, limits.line_bytes);
            full = window.shown >= limits.lines;
        }
    }

    fn add(&mut self, line: &[u8], length: usize, ended: bool, most: usize) {
        self.shown += 1;
        let whole = line.len() == length;
        let (body, end) = match line {
            [body @ .., b'\r', b'\n'] if whole => {
                self.crlf = true;
                (body, "\n")
            }
            [body @ .., b'\n'] if whole => (body, "\n"),
            _ => (line, if ended { "\n" } else { "" }),
        };
        if whole && body.len() <= most {
            let text = String::from_utf8_lossy(body);
            self.lossy |= matches!(text, std::borrow::Cow::Owned(_));
            self.text.push_str(&text);
        } else {
            self.cut_lines = true;
            let kept = utf8_floor(body, most);
            self.text.push_str(&String::from_utf8_lossy(kept));
            let more = length.saturating_sub(kept.len() + usize::from(ended));
            let _ = write!(self.text, " [… {more} bytes more in this line]");
        }
        self.text.push_str(end);
    }
}

/// The longest head of at most `most` bytes that does not end inside a
/// character.
fn utf8_floor(bytes: &[u8], most: usize) -> &[u8] {
    let mut end = most.min(bytes.len());
    let inside = |end: usize| bytes.get(end).is_some_and(|byte| byte & 0xc0 == 0x80);
    let lowest = end.saturating_sub(3);
    while end > lowest && inside(end) {
        end -= 1;
    }
    bytes.get(..end).unwrap_or_default()
}

/// Reads one line with its end; keeps its first `keep` bytes and gives its
/// whole length (0 at the end of the text) and whether it has an end.
fn read_line(
    reader: &mut impl BufRead,
    line: &mut Vec<u8>,
    keep: usize,
    stop: &Stop,
) -> Result<(usize, bool), DiskFault> {
    let mut length = 0;
    loop {
        if stop.is_set() {
            return Err(DiskFault::Stopped);
        }
        let buffer = reader.fill_buf()?;
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let piece = match end {
            Some(end) => buffer.get(..=end).unwrap_or_default(),
            None => buffer,
        };
        let room = keep.saturating_sub(line.len()).min(piece.len());
        line.extend_from_slice(piece.get(..room).unwrap_or_default());
        let used = piece.len();
        length += used;
        let ended = piece.ends_with(b"\n");
        reader.consume(used);
        if ended || used == 0 {
            return Ok((length, ended));
        }
    }
}
