//! What a request is answered with.

use super::{Answer, Gate, Service, Trouble};

/// One reply. The builders below change how it is sent.
#[derive(Debug, Clone)]
pub struct Reply {
    pub(super) content: Content,
    /// Put in place of the service's headers of the same name, or added.
    pub(super) headers: Vec<(String, String)>,
    pub(super) status: Option<u16>,
    /// The length of a piece of the body; nothing means one piece an event.
    pub(super) piece: Option<usize>,
    pub(super) gate: Option<Gate>,
    pub(super) ending: Ending,
}

#[derive(Debug, Clone)]
pub(super) enum Content {
    Answer(Answer),
    Trouble(Trouble),
    /// A body as it is, with the headers of a stream.
    Bytes(Vec<u8>),
    /// No HTTP at all.
    Raw(Vec<u8>),
}

/// What comes after the body's last piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// The end of the body; the connection stays usable.
    Whole,
    /// The same, after so many bytes of the body.
    EndAt(usize),
    /// The connection is closed after so many bytes of the body.
    CutAt(usize),
    /// Nothing more comes after so many bytes of the body.
    HangAt(usize),
    /// The connection is closed after the request was read.
    CloseBeforeHeaders,
    /// Nothing comes at all.
    HangBeforeHeaders,
}

impl Reply {
    /// A whole answer of one text.
    pub fn text(text: &str) -> Reply {
        Reply::answer(Answer::new().say(&[text]))
    }

    pub fn answer(answer: Answer) -> Reply {
        Reply::with(Content::Answer(answer))
    }

    /// A refusal, in the words of the service that is asked.
    pub fn trouble(trouble: Trouble) -> Reply {
        Reply::with(Content::Trouble(trouble))
    }

    /// Status 200 with these bytes as a stream.
    pub fn stream(bytes: impl Into<Vec<u8>>) -> Reply {
        Reply::with(Content::Bytes(bytes.into()))
    }

    /// These bytes in place of an HTTP response.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Reply {
        Reply::with(Content::Raw(bytes.into()))
    }

    pub fn close_before_headers() -> Reply {
        Reply::text("").ending(Ending::CloseBeforeHeaders)
    }

    pub fn close_after_headers() -> Reply {
        Reply::text("").cut_at(0)
    }

    pub fn hang_before_headers() -> Reply {
        Reply::text("").ending(Ending::HangBeforeHeaders)
    }

    pub fn hang_after_headers() -> Reply {
        Reply::text("").hang_at(0)
    }

    /// Closes the connection in the middle of the body.
    pub fn cut_at(self, bytes: usize) -> Reply {
        self.ending(Ending::CutAt(bytes))
    }

    /// Ends the body too early, in order.
    pub fn end_at(self, bytes: usize) -> Reply {
        self.ending(Ending::EndAt(bytes))
    }

    /// Sends nothing more after so many bytes.
    pub fn hang_at(self, bytes: usize) -> Reply {
        self.ending(Ending::HangAt(bytes))
    }

    /// Cuts the body into pieces of so many bytes, in place of one an event.
    pub fn in_pieces_of(self, bytes: usize) -> Reply {
        Reply {
            piece: Some(bytes),
            ..self
        }
    }

    /// Sends a piece each time that the gate lets one through.
    pub fn paced(self, gate: &Gate) -> Reply {
        Reply {
            gate: Some(gate.clone()),
            ..self
        }
    }

    pub fn header(mut self, name: &str, value: &str) -> Reply {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn status(self, status: u16) -> Reply {
        Reply {
            status: Some(status),
            ..self
        }
    }

    fn with(content: Content) -> Reply {
        Reply {
            content,
            headers: Vec::new(),
            status: None,
            piece: None,
            gate: None,
            ending: Ending::Whole,
        }
    }

    fn ending(self, ending: Ending) -> Reply {
        Reply { ending, ..self }
    }
}

/// A reply in the words of one service.
pub(super) struct Rendered {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Reply {
    pub(super) fn render(&self, service: Service, key: &str) -> Rendered {
        let (status, headers, body) = match &self.content {
            Content::Answer(answer) => (200, stream_headers(service), service.stream(answer)),
            Content::Bytes(bytes) | Content::Raw(bytes) => {
                (200, stream_headers(service), bytes.clone())
            }
            Content::Trouble(trouble) => {
                let refusal = trouble.refusal(service, key);
                (refusal.status, refusal.headers, refusal.body.into_bytes())
            }
        };
        let is_kept = |name: &str| self.headers.iter().all(|(own, _)| own != name);
        let theirs = headers.into_iter().filter(|(name, _)| is_kept(name));
        let theirs = theirs.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Rendered {
            status: self.status.unwrap_or(status),
            headers: theirs.chain(self.headers.clone()).collect(),
            body,
        }
    }
}

fn stream_headers(service: Service) -> Vec<(&'static str, &'static str)> {
    match service {
        Service::OpenAi => super::openai::headers(),
        Service::Anthropic => super::anthropic::headers(),
    }
}
