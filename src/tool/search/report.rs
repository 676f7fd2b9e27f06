//! What a search found, as text of bounded length.

use std::fmt::Write as _;
use std::io;

use greenroom_actors::ports::Ran;
use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};

use super::super::call::done;
use super::super::settings::ToolSettings;
use super::super::text::{counted, short_line};

/// The matches so far.
pub(super) struct Report {
    text: String,
    matches: usize,
    files: usize,
    most_matches: usize,
    most_bytes: usize,
    line_bytes: usize,
    /// Whether more would have been found.
    cut: bool,
    /// Files that could not be read, or not to their end.
    pub unread: usize,
    /// Files that were passed by because they hold credentials.
    pub passed_credentials: usize,
}

impl Report {
    /// An empty one.
    pub fn new(settings: &ToolSettings) -> Report {
        Report {
            text: String::new(),
            matches: 0,
            files: 0,
            most_matches: settings.search_matches,
            most_bytes: settings.output_bytes,
            line_bytes: settings.line_bytes.min(500),
            cut: false,
            unread: 0,
            passed_credentials: 0,
        }
    }

    /// Whether no more is taken.
    pub fn is_full(&self) -> bool {
        self.cut
    }

    /// Takes the matches of one file.
    pub fn file(&mut self, shown: String) -> FileReport<'_> {
        FileReport {
            report: self,
            shown,
            found: false,
        }
    }

    /// All that was found.
    pub fn finish(self, pattern: &str) -> Ran {
        let mut notes = Vec::new();
        if self.cut {
            notes.push("there are more: narrow it down".to_owned());
        }
        if self.unread > 0 {
            notes.push(format!(
                "{} could not be read",
                counted(self.unread, "file")
            ));
        }
        if self.passed_credentials > 0 {
            let files = counted(self.passed_credentials, "file");
            notes.push(format!("{files} with credentials left out"));
        }
        let head = match self.matches {
            0 => format!("nothing matches {}", short_line(pattern, 200)),
            matches => format!(
                "{} in {}",
                match matches {
                    1 => "1 match".to_owned(),
                    _ => format!("{matches} matches"),
                },
                counted(self.files, "file")
            ),
        };
        notes.insert(0, head);
        let text = match self.matches {
            0 => notes.join("; "),
            _ => format!("[{}]\n{}", notes.join("; "), self.text),
        };
        Ran {
            truncated: self.cut,
            ..done(text)
        }
    }

    fn has_room(&mut self, more: usize) -> bool {
        let room = self.text.len() + more <= self.most_bytes;
        self.cut |= !room;
        room
    }
}

/// The matches of one file, as they come.
pub(super) struct FileReport<'a> {
    report: &'a mut Report,
    shown: String,
    found: bool,
}

impl FileReport<'_> {
    fn line(&mut self, number: Option<u64>, bytes: &[u8], mark: char) -> bool {
        let text = String::from_utf8_lossy(bytes);
        let text = short_line(text.trim_end_matches(['\n', '\r']), self.report.line_bytes);
        let number = number.unwrap_or(0);
        let mut line = String::new();
        let _ = writeln!(line, "{}{mark}{number}{mark}{text}", self.shown);
        if !self.report.has_room(line.len()) {
            return false;
        }
        self.report.text.push_str(&line);
        true
    }
}

impl Sink for FileReport<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        if self.report.matches == self.report.most_matches {
            self.report.cut = true;
            return Ok(false);
        }
        if !self.line(found.line_number(), found.bytes(), ':') {
            return Ok(false);
        }
        self.report.matches += 1;
        self.report.files += usize::from(!self.found);
        self.found = true;
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, line: &SinkContext<'_>) -> Result<bool, io::Error> {
        // Lines around a match that is not taken any more would stand alone.
        if self.report.matches == self.report.most_matches
            && *line.kind() == grep_searcher::SinkContextKind::Before
        {
            self.report.cut = true;
            return Ok(false);
        }
        Ok(self.line(line.line_number(), line.bytes(), '-'))
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, io::Error> {
        if self.report.has_room(3) {
            self.report.text.push_str("--\n");
        }
        Ok(true)
    }
}
