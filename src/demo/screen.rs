//! Words on standard output, for people: a narrow column that says who speaks
//! and what it is, and a wide one with the words.

use std::io::{self, IsTerminal, Write};

use crate::config::Environment;

/// How wide a line may get.
const WIDTH: usize = 100;
/// Where the words begin.
const INDENT: usize = 25;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    /// The host: this process.
    Host,
    /// The agent: the one it started.
    Agent,
    /// Nobody: what the host saw for itself.
    Seen,
}

/// How a line looks where colours are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    Plain,
    Dim,
    Added,
    Removed,
}

/// Standard output, or whatever takes its place.
pub(super) struct Screen<W: Write> {
    out: W,
    coloured: bool,
    /// The label of the words that are being streamed.
    streaming: Option<String>,
    column: usize,
    /// Blanks and line feeds that came, and are written once a word follows.
    blanks: usize,
    line_feeds: usize,
}

impl Screen<io::Stdout> {
    /// Standard output: with colours when it is a terminal that wants them.
    pub fn stdout() -> Screen<io::Stdout> {
        let out = io::stdout();
        let env = Environment::process();
        let is_dumb = env.get("TERM").is_none_or(|term| term == "dumb");
        let coloured = out.is_terminal() && env.get("NO_COLOR").is_none() && !is_dumb;
        Screen::new(out, coloured)
    }
}

impl<W: Write> Screen<W> {
    /// A screen that writes to `out`.
    pub fn new(out: W, coloured: bool) -> Screen<W> {
        Screen {
            out,
            coloured,
            streaming: None,
            column: 0,
            blanks: 0,
            line_feeds: 0,
        }
    }

    /// A paragraph over the whole width; an empty one is a blank line.
    pub fn paragraph(&mut self, text: &str) -> io::Result<()> {
        self.end_stream()?;
        for line in wrapped(text, WIDTH) {
            writeln!(self.out, "{line}")?;
        }
        self.out.flush()
    }

    /// A line that is not cut, since people copy it.
    pub fn line(&mut self, text: &str) -> io::Result<()> {
        self.end_stream()?;
        writeln!(self.out, "{}", printable(text))?;
        self.out.flush()
    }

    /// What somebody said or what was seen: each line of `text` a line here.
    pub fn say(&mut self, who: Who, label: &str, look: Look, text: &str) -> io::Result<()> {
        self.end_stream()?;
        let parts = text.lines().flat_map(|line| wrapped(line, WIDTH - INDENT));
        let has_head = who != Who::Seen || !label.is_empty();
        if has_head {
            self.head(who, label)?;
        }
        let (on, off) = self.colour(look);
        for (index, part) in parts.enumerate() {
            let indent = match index {
                0 if has_head => 0,
                _ if part.is_empty() => 0,
                _ => INDENT,
            };
            writeln!(self.out, "{:indent$}{on}{part}{off}", "")?;
        }
        if text.is_empty() {
            writeln!(self.out)?;
        }
        self.out.flush()
    }

    /// A piece of what the agent is saying. Pieces of one label follow each
    /// other until something else is said.
    pub fn stream(&mut self, label: &str, look: Look, piece: &str) -> io::Result<()> {
        if self.streaming.as_deref() != Some(label) {
            self.end_stream()?;
            self.head(Who::Agent, label)?;
            self.column = INDENT;
            self.streaming = Some(label.to_owned());
        }
        let (on, off) = self.colour(look);
        write!(self.out, "{on}")?;
        for word in piece.split_inclusive(char::is_whitespace) {
            self.word(word)?;
        }
        write!(self.out, "{off}")?;
        self.out.flush()
    }

    /// A word and the blank or line feed behind it.
    fn word(&mut self, word: &str) -> io::Result<()> {
        let bare = word.trim_end();
        if !bare.is_empty() {
            let width = bare.chars().count();
            let column = self.column + self.blanks;
            if self.line_feeds == 0 && self.column > INDENT && column + width > WIDTH {
                self.line_feeds = 1;
                self.blanks = 0;
            }
            if self.line_feeds > 0 {
                let line_feeds = "\n".repeat(self.line_feeds);
                write!(self.out, "{line_feeds}{:INDENT$}", "")?;
                self.column = INDENT;
            }
            let blanks = self.blanks;
            write!(self.out, "{:blanks$}{}", "", printable(bare))?;
            self.column += blanks + width;
            self.blanks = 0;
            self.line_feeds = 0;
        }
        if word.ends_with('\n') {
            self.line_feeds = (self.line_feeds + 1).min(2);
            self.blanks = 0;
        } else if word.len() > bare.len() {
            self.blanks += 1;
        }
        Ok(())
    }

    /// Ends what is being streamed.
    pub fn end_stream(&mut self) -> io::Result<()> {
        self.line_feeds = 0;
        self.blanks = 0;
        match self.streaming.take() {
            Some(_) => writeln!(self.out),
            None => Ok(()),
        }
    }

    fn head(&mut self, who: Who, label: &str) -> io::Result<()> {
        let (who, colour) = match who {
            Who::Host => ("host  →", "\x1b[36m"),
            Who::Agent => ("agent ←", "\x1b[32m"),
            Who::Seen => ("       ", "\x1b[33m"),
        };
        let (on, off) = match self.coloured {
            true => (colour, "\x1b[0m"),
            false => ("", ""),
        };
        write!(self.out, "{on}{who} {label:16}{off} ")
    }

    fn colour(&self, look: Look) -> (&'static str, &'static str) {
        if !self.coloured {
            return ("", "");
        }
        match look {
            Look::Plain => ("", ""),
            Look::Dim => ("\x1b[2m", "\x1b[0m"),
            Look::Added => ("\x1b[32m", "\x1b[0m"),
            Look::Removed => ("\x1b[31m", "\x1b[0m"),
        }
    }
}

/// A line in parts of at most `width` characters, cut at blanks where there are
/// any. Blanks at its start stay.
fn wrapped(line: &str, width: usize) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut used = 0;
    for word in line.split_inclusive(' ') {
        let bare = word.trim_end().chars().count();
        if used > 0 && used + bare > width {
            parts.push(printable(part.trim_end()));
            part.clear();
            used = 0;
        }
        part.push_str(word);
        used += word.chars().count();
    }
    parts.push(printable(part.trim_end()));
    parts
}

/// Without the characters that could steer a terminal.
fn printable(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\t' => ' ',
            c if c.is_control() => '\u{fffd}',
            c => c,
        })
        .collect()
}
