//! A record's frame: version, event, checksum.
//!
//! Version 1 is `01`, the event as compact JSON, and the CRC-32 of all of that
//! (little-endian). The database does not check its pages on a plain read, so
//! the checksum is what keeps a damaged event from passing for another one.

use std::sync::Arc;

use greenroom_protocol::session::{Event, Millis, SessionListing, Text};
use serde::{Deserialize, Serialize};

use super::blob::BlobRef;
use super::stored::Stored;
use super::{Attachments, BlobSource, FormatError};

/// What this build writes.
const VERSION: u8 = 1;

/// Writes one event over whatever `record` held. Large values go to
/// `attachments`, and must be stored with the record. Fails for an event that
/// is not durable.
pub(in crate::store) fn encode<'a>(
    event: &'a Event,
    record: &mut Vec<u8>,
    attachments: &mut Attachments<'a>,
) -> Result<(), FormatError> {
    let shape = event.to_record(attachments)?;
    frame(&shape, record)
}

/// Writes what a list shows of a session. Fails when a part of it is a large
/// value, which no sensible name or title is.
pub(in crate::store) fn encode_listing(listing: &SessionListing) -> Result<Vec<u8>, FormatError> {
    let mut large = Attachments::default();
    let shape = listing.to_record(&mut large)?;
    if !large.values.is_empty() {
        return Err(FormatError::Storage("a name is too long".into()));
    }
    let mut record = Vec::new();
    frame(&shape, &mut record)?;
    Ok(record)
}

/// Reads what [`encode_listing`] wrote.
pub(in crate::store) fn decode_listing(record: &[u8]) -> Result<SessionListing, FormatError> {
    let shape =
        serde_json::from_slice(body(record)?).map_err(|error| FormatError::unreadable(&error))?;
    SessionListing::from_record(shape, &mut NoBlobs)
}

/// Where no large values are.
struct NoBlobs;

impl BlobSource for NoBlobs {
    fn bytes(&mut self, blob: BlobRef) -> Result<Arc<[u8]>, FormatError> {
        Err(no_place(blob))
    }

    fn text(&mut self, blob: BlobRef) -> Result<Text, FormatError> {
        Err(no_place(blob))
    }
}

fn no_place(blob: BlobRef) -> FormatError {
    FormatError::Blob {
        id: blob.id,
        fault: "has no place here",
    }
}

fn frame(shape: &impl Serialize, record: &mut Vec<u8>) -> Result<(), FormatError> {
    record.clear();
    record.push(VERSION);
    serde_json::to_writer(&mut *record, shape)
        .map_err(|error| FormatError::Storage(error.to_string()))?;
    let checksum = crc32fast::hash(record);
    record.extend_from_slice(&checksum.to_le_bytes());
    Ok(())
}

/// Reads an event of any version that was ever released.
pub(in crate::store) fn decode(
    record: &[u8],
    blobs: &mut dyn BlobSource,
) -> Result<Event, FormatError> {
    let shape =
        serde_json::from_slice(body(record)?).map_err(|error| FormatError::unreadable(&error))?;
    Event::from_record(shape, blobs)
}

/// When a record's event happened, without the rest of it.
pub(in crate::store) fn written_at(record: &[u8]) -> Result<Millis, FormatError> {
    #[derive(Deserialize)]
    struct Stamp {
        at: u64,
    }
    let stamp: Stamp =
        serde_json::from_slice(body(record)?).map_err(|error| FormatError::unreadable(&error))?;
    Ok(Millis(stamp.at))
}

/// The JSON of a version 1 record, its checksum checked.
fn body(record: &[u8]) -> Result<&[u8], FormatError> {
    let Some((&version, rest)) = record.split_first() else {
        return Err(FormatError::Damaged("it is empty".into()));
    };
    if version != VERSION {
        return Err(FormatError::UnknownVersion(version));
    }
    let (Some((body, _)), Some((checked, checksum))) =
        (rest.split_last_chunk::<4>(), record.split_last_chunk::<4>())
    else {
        return Err(FormatError::Damaged("it is cut off".into()));
    };
    if crc32fast::hash(checked) != u32::from_le_bytes(*checksum) {
        return Err(FormatError::Damaged("its checksum differs".into()));
    }
    Ok(body)
}
