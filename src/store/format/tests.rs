use std::collections::HashMap;
use std::sync::Arc;

use greenroom_protocol::session::{
    Effort, EntryId, Event, Happening, Millis, Mode, ModelChoice, SessionId, SessionListing,
    Status, Text, Usage,
};
use proptest::prelude::*;

use super::*;

/// Large values in memory.
#[derive(Default)]
struct Blobs(HashMap<BlobId, Vec<u8>>);

impl Blobs {
    fn keep(&mut self, attachments: &Attachments<'_>) {
        for (id, bytes) in &attachments.values {
            self.0.insert(*id, bytes.to_vec());
        }
    }

    fn find(&self, blob: BlobRef) -> Result<&[u8], FormatError> {
        let fault = FormatError::Blob {
            id: blob.id,
            fault: "is missing",
        };
        self.0.get(&blob.id).map(Vec::as_slice).ok_or(fault)
    }
}

impl BlobSource for Blobs {
    fn bytes(&mut self, blob: BlobRef) -> Result<Arc<[u8]>, FormatError> {
        self.find(blob).map(Arc::from)
    }

    fn text(&mut self, blob: BlobRef) -> Result<Text, FormatError> {
        let bytes = self.find(blob)?;
        Ok(Text::from(std::str::from_utf8(bytes).unwrap()))
    }
}

fn written(event: &Event, blobs: &mut Blobs) -> Vec<u8> {
    let mut record = Vec::new();
    let mut attachments = Attachments::default();
    encode(event, &mut record, &mut attachments).unwrap();
    blobs.keep(&attachments);
    record
}

/// A record around any JSON, as [`encode`] frames it.
fn framed(json: &str) -> Vec<u8> {
    let mut record = vec![1];
    record.extend_from_slice(json.as_bytes());
    let checksum = crc32fast::hash(&record);
    record.extend_from_slice(&checksum.to_le_bytes());
    record
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn every_event_comes_back_as_it_was(event in arbitrary::event()) {
        let mut blobs = Blobs::default();
        let record = written(&event, &mut blobs);
        prop_assert_eq!(written_at(&record), Ok(event.at));
        prop_assert_eq!(decode(&record, &mut blobs), Ok(event));
    }

    #[test]
    fn a_changed_bit_is_found(event in arbitrary::event(), place in any::<prop::sample::Index>()) {
        let mut blobs = Blobs::default();
        let mut record = written(&event, &mut blobs);
        let bit = place.index(record.len() * 8);
        record[bit / 8] ^= 1 << (bit % 8);
        prop_assert!(decode(&record, &mut blobs).is_err());
    }

    #[test]
    fn a_cut_record_is_found(event in arbitrary::event(), place in any::<prop::sample::Index>()) {
        let mut blobs = Blobs::default();
        let record = written(&event, &mut blobs);
        let len = place.index(record.len());
        prop_assert!(decode(&record[..len], &mut blobs).is_err());
    }

    #[test]
    fn noise_is_no_event(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(decode(&bytes, &mut Blobs::default()).is_err());
    }

    #[test]
    fn noise_with_a_right_checksum_is_no_event(noise in any::<String>()) {
        prop_assert!(decode(&framed(&noise), &mut Blobs::default()).is_err());
    }
}

#[test]
fn what_lives_in_memory_only_has_no_stored_form() {
    let event = Event {
        seq: 1,
        at: Millis(1),
        happening: Happening::Noticed {
            text: Text::from("x"),
        },
    };
    let refused = encode(&event, &mut Vec::new(), &mut Attachments::default());
    assert_eq!(refused, Err(FormatError::NotDurable("Noticed")));
}

#[test]
fn a_later_version_is_named_with_its_remedy() {
    let event = samples::version_1().remove(0);
    let mut record = written(&event, &mut Blobs::default());
    record[0] = 2;
    let refused = decode(&record, &mut Blobs::default()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "it has format version 2 and this build reads versions up to 1: open it with the build that wrote it, or a later one"
    );
}

#[test]
fn an_unknown_word_or_member_is_damage_and_not_skipped() {
    for json in [
        r#"{"seq":1,"at":2,"what":{"sung":{}}}"#,
        r#"{"seq":1,"at":2,"what":{"resumed":{}},"more":1}"#,
        r#"{"seq":1,"at":2,"what":{"mode_changed":{"mode":"auto","more":1}}}"#,
        r#"{"seq":1,"at":2,"what":{"turn_started":{"turn":1,"mode":"auto","model":{"provider":"p","model":"","effort":"brisk"}}}}"#,
        r#"{"seq":-1,"at":2,"what":{"resumed":{}}}"#,
        r#"{"seq":1,"at":2,"what":{"titled":{"title":{"blob":"short","len":3}}}}"#,
        r#"{"seq":1,"at":2,"what":{"resumed":{}}} {}"#,
    ] {
        let refused = decode(&framed(json), &mut Blobs::default()).unwrap_err();
        assert!(
            matches!(refused, FormatError::Damaged(_)),
            "{json}: {refused}"
        );
        assert!(
            !refused.to_string().contains("sung"),
            "content in {refused}"
        );
    }
}

#[test]
fn a_missing_large_value_is_named() {
    let text = Text::from("y".repeat(blob::INLINE_LIMIT + 1));
    let id = BlobId::of(text.as_bytes());
    let event = Event {
        seq: 1,
        at: Millis(1),
        happening: Happening::Titled { title: text },
    };
    let record = written(&event, &mut Blobs::default());
    let fault = "is missing";
    assert_eq!(
        decode(&record, &mut Blobs::default()),
        Err(FormatError::Blob { id, fault })
    );
}

#[test]
fn large_values_stand_beside_the_record_and_are_not_copied() {
    let text = Text::from("z".repeat(1 << 20));
    let event = Event {
        seq: 1,
        at: Millis(1),
        happening: Happening::Titled {
            title: text.clone(),
        },
    };
    let mut record = Vec::new();
    let mut attachments = Attachments::default();
    encode(&event, &mut record, &mut attachments).unwrap();
    assert!(record.len() < 200, "{} bytes", record.len());
    let [(_, bytes)] = attachments.values[..] else {
        panic!("one value was expected");
    };
    assert!(std::ptr::eq(bytes, text.as_bytes()), "the value was copied");
}

/// Bytes that released builds wrote. A line of version 1 is a record: its
/// checksum in hex, a blank, its JSON.
mod golden {
    use super::*;

    const RECORDS_1: &str = include_str!("golden/v1/records.txt");

    fn bytes_of(version: u8, line: &str) -> Vec<u8> {
        let (checksum, json) = line.split_once(' ').unwrap();
        let checksum = u32::from_str_radix(checksum, 16).unwrap();
        let mut record = vec![version];
        record.extend_from_slice(json.as_bytes());
        record.extend_from_slice(&checksum.to_le_bytes());
        record
    }

    fn large_values_1() -> Blobs {
        let mut blobs = Blobs::default();
        for bytes in [&b"\x89PNG\r\n\x1a\n"[..], &[b'x'; 16 * 1024 + 1]] {
            blobs.0.insert(BlobId::of(bytes), bytes.to_vec());
        }
        blobs
    }

    #[test]
    fn version_1_reads_as_it_was_meant() {
        let mut blobs = large_values_1();
        let mut expected = samples::version_1().into_iter();
        for line in RECORDS_1.lines() {
            let event = decode(&bytes_of(1, line), &mut blobs).unwrap();
            assert_eq!(Some(event), expected.next(), "{line}");
        }
        assert_eq!(expected.next(), None);
    }

    /// When this fails, what is written has changed: older builds may not read
    /// it. Leave the golden files as they are and make a new version.
    #[test]
    fn version_1_is_what_is_written() {
        let mut lines = RECORDS_1.lines();
        for event in samples::version_1() {
            let record = written(&event, &mut Blobs::default());
            let line = lines.next().unwrap();
            assert_eq!(
                String::from_utf8_lossy(&record),
                String::from_utf8_lossy(&bytes_of(1, line))
            );
        }
        assert_eq!(lines.next(), None);
    }
}

/// The place of a durable happening in [`DURABLE`]; nothing for the others. A
/// new word does not compile here before it has a place, or none.
fn place(happening: &Happening) -> Option<usize> {
    use Happening::*;
    Some(match happening {
        Opened { .. } => 0,
        Resumed => 1,
        Titled { .. } => 2,
        TurnStarted { .. } => 3,
        UserMessage { .. } => 4,
        Queued { .. } => 5,
        QueueDropped => 6,
        MessageStarted { .. } => 7,
        Checkpoint { .. } => 8,
        Used { .. } => 9,
        MessageEnded { .. } => 10,
        CallStarted(_) => 11,
        ApprovalAsked(_) => 12,
        ApprovalSettled(_) => 13,
        QuestionAsked(_) => 14,
        QuestionSettled { .. } => 15,
        CallRunning { .. } => 16,
        FileChanged { .. } => 17,
        CallEnded(_) => 18,
        BatchEnded { .. } => 19,
        PlanChanged { .. } => 20,
        ModeChanged { .. } => 21,
        ModelChanged { .. } => 22,
        CompactionEnded { .. } => 23,
        Rewound { .. } => 24,
        AgentStarted { .. } => 25,
        AgentEnded { .. } => 26,
        ConversationReset => 27,
        TurnEnded { .. } => 28,
        CallJudged { .. } => 29,
        TextAdded { .. }
        | ThinkingAdded { .. }
        | CallDrafted { .. }
        | CallOutput { .. }
        | Retrying { .. }
        | Noticed { .. }
        | AgentSaid { .. }
        | Throttled { .. }
        | CompactionStarted { .. } => return None,
    })
}

/// How many happenings are durable.
const DURABLE: usize = 30;

fn assert_all_there(happenings: impl Iterator<Item = Happening>) {
    let mut seen = [false; DURABLE];
    for happening in happenings {
        assert!(happening.is_durable(), "{happening:?}");
        seen[place(&happening).unwrap()] = true;
    }
    assert_eq!(seen, [true; DURABLE]);
}

#[test]
fn the_samples_have_every_durable_happening() {
    assert_all_there(
        samples::version_1()
            .into_iter()
            .map(|event| event.happening),
    );
}

#[test]
fn the_generator_makes_every_durable_happening() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let strategy = arbitrary::happening();
    let any = |_| strategy.new_tree(&mut runner).unwrap().current();
    assert_all_there((0..2000).map(any));
}

/// Lists read it instead of the journal.
#[test]
fn a_listing_comes_back_as_it_was() {
    let listing = SessionListing {
        id: SessionId::new("20260101-101010-abcdef"),
        title: "mend the \"tests\"".into(),
        mode: Mode::Plan,
        model: ModelChoice {
            provider: "anthropic".into(),
            model: "".into(),
            effort: Some(Effort::High),
        },
        root: "/w".into(),
        parent: None,
        fork_of: Some((SessionId::new("20260101-101010-abcdee"), EntryId(7))),
        status: Status::Failed,
        updated: Millis(5),
        turns: 3,
        usage: Usage {
            input: 1,
            ..Usage::default()
        },
    };
    let record = encode_listing(&listing).unwrap();
    assert_eq!(decode_listing(&record), Ok(listing));
}
