//! The conversation as the tree that it is: every entry that a journal tells,
//! with the one before it. Rewinds, resets and compactions move the head;
//! nothing is ever taken out.
//!
//! A session keeps only the way to its head, as the model reads it. The tree is
//! folded anew from the journal when an old entry is asked for.

use std::collections::BTreeMap;
use std::sync::Arc;

use greenroom_protocol::session::{
    CallId, CallResult, Compacted, Content, EntryId, Event, Happening, Message, Millis, Part,
    Source, Text,
};

/// What stands before a summary where the model reads it.
const SUMMARY_HEAD: &str = "What came before was long, and is summed up here:\n\n";

/// The entries of a session, and the head.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    nodes: BTreeMap<EntryId, Node>,
    head: Option<EntryId>,
    /// The calls of the last answer, and the results that they have so far.
    calls: Vec<CallId>,
    results: Vec<Arc<CallResult>>,
}

/// One entry.
#[derive(Debug, Clone)]
pub struct Node {
    entry: EntryId,
    parent: Option<EntryId>,
    /// What stands in the conversation; nothing for a blank answer.
    message: Option<Message>,
    /// Of a summary: what it keeps word for word.
    keeps: Option<Keeps>,
}

#[derive(Debug, Clone, Copy)]
struct Keeps {
    from: Option<EntryId>,
}

impl Tree {
    /// The tree of a fork before its own entries: the way that leads to it.
    pub fn of_path(path: Vec<Node>) -> Tree {
        let head = path.last().map(|node| node.entry);
        let nodes = path.into_iter().map(|node| (node.entry, node)).collect();
        Tree {
            nodes,
            head,
            ..Tree::default()
        }
    }

    /// Takes the next event of the journal in.
    pub fn take(&mut self, event: &Event) {
        let at = event.at;
        match &event.happening {
            Happening::UserMessage {
                entry,
                content,
                source,
            } => {
                let message = Message::User {
                    entry: *entry,
                    at,
                    content: content.clone(),
                    source: *source,
                };
                self.add(*entry, Some(message), None);
            }
            Happening::MessageEnded { entry, message } => {
                self.calls = message.calls.iter().map(|call| call.id.clone()).collect();
                self.results.clear();
                let told = (!message.is_blank()).then(|| Message::Assistant {
                    entry: *entry,
                    at,
                    message: message.clone(),
                });
                self.add(*entry, told, None);
            }
            Happening::CallEnded(result) if self.calls.contains(&result.call) => {
                self.results.push(result.clone());
            }
            Happening::BatchEnded { entry } => {
                let calls = std::mem::take(&mut self.calls);
                let mut results = std::mem::take(&mut self.results);
                results.sort_by_key(|result| calls.iter().position(|call| *call == result.call));
                let entry = *entry;
                self.add(entry, Some(Message::Results { entry, at, results }), None);
            }
            Happening::CompactionEnded {
                compacted: Some(compacted),
                ..
            } => {
                let message = summary(compacted, at);
                let from = compacted.keeps_from;
                self.add(compacted.entry, Some(message), Some(Keeps { from }));
            }
            Happening::Rewound { to } => self.head = Some(*to),
            Happening::ConversationReset => self.head = None,
            _ => (),
        }
    }

    fn add(&mut self, entry: EntryId, message: Option<Message>, keeps: Option<Keeps>) {
        let node = Node {
            entry,
            parent: self.head,
            message,
            keeps,
        };
        self.nodes.insert(entry, node);
        self.head = Some(entry);
    }

    /// The newest entry on the way to the head.
    pub fn head(&self) -> Option<EntryId> {
        self.head
    }

    /// The entry that a conversation may end with: of an answer with calls it
    /// is the one that holds their results. Nothing when there is no such entry.
    pub fn settled(&self, entry: EntryId) -> Option<EntryId> {
        let node = self.nodes.get(&entry)?;
        let has_calls = matches!(&node.message, Some(Message::Assistant { message, .. })
            if !message.calls.is_empty());
        if !has_calls {
            return Some(entry);
        }
        // Children have higher numbers than their parents.
        let mut later = self.nodes.range(entry..).map(|(_, node)| node);
        let results = later.find(|node| {
            node.parent == Some(entry) && matches!(node.message, Some(Message::Results { .. }))
        });
        results.map(|node| node.entry)
    }

    /// The entries from the first to this one.
    pub fn path(&self, to: EntryId) -> Vec<Node> {
        let mut path = Vec::new();
        let mut at = Some(to);
        while let Some(node) = at.and_then(|entry| self.nodes.get(&entry)) {
            path.push(node.clone());
            // A parent has a lower number, whatever a damaged journal says.
            at = node.parent.filter(|parent| *parent < node.entry);
        }
        path.reverse();
        path
    }

    /// What the model reads when this entry is the last.
    pub fn conversation_to(&self, to: EntryId) -> Vec<Message> {
        let mut conversation: Vec<Message> = Vec::new();
        for node in self.path(to) {
            let Some(message) = node.message else {
                continue;
            };
            match node.keeps {
                None => conversation.push(message),
                Some(keeps) => conversation = compacted(conversation, message, keeps.from),
            }
        }
        conversation
    }

    /// What the model reads at the head.
    pub fn conversation(&self) -> Vec<Message> {
        match self.head {
            Some(head) => self.conversation_to(head),
            None => Vec::new(),
        }
    }

    /// The highest number of a call on the way to an entry. Our call ids are
    /// `c` and a number.
    pub fn last_call(path: &[Node]) -> u64 {
        let messages = path.iter().filter_map(|node| match &node.message {
            Some(Message::Assistant { message, .. }) => Some(message),
            _ => None,
        });
        let calls = messages.flat_map(|message| &message.calls);
        calls
            .map(|call| call_number(&call.id))
            .max()
            .unwrap_or_default()
    }
}

/// The number of one of our calls; 0 for another's.
pub(super) fn call_number(call: &CallId) -> u64 {
    let name = call.as_str();
    let digits = name.trim_end_matches(|mark: char| mark.is_ascii_digit());
    name.strip_prefix(digits)
        .and_then(|number| number.parse().ok())
        .unwrap_or(0)
}

/// The message that stands for a summary.
pub(super) fn summary(compacted: &Compacted, at: Millis) -> Message {
    let text = format!("{SUMMARY_HEAD}{}", compacted.summary);
    Message::User {
        entry: compacted.entry,
        at,
        content: Content {
            parts: vec![Part::Text(Text::from(text))],
        },
        source: Source::Summary,
    }
}

/// A conversation after its compaction.
pub(super) fn compacted(
    mut conversation: Vec<Message>,
    summary: Message,
    keeps_from: Option<EntryId>,
) -> Vec<Message> {
    let first = keeps_from.and_then(|from| conversation.iter().position(|it| it.entry() == from));
    let kept = conversation.split_off(first.unwrap_or(conversation.len()));
    std::iter::once(summary).chain(kept).collect()
}
