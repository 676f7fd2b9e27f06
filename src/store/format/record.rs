//! A record's frame: version, event, checksum.
//!
//! Version 1 is `01`, the event as compact JSON, and the CRC-32 of all of that
//! (little-endian). The database does not check its pages on a plain read, so
//! the checksum is what keeps a damaged event from passing for another one.

use greenroom_protocol::session::{Event, Millis};
use serde::Deserialize;

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
    record.clear();
    record.push(VERSION);
    let shape = event.to_record(attachments)?;
    serde_json::to_writer(&mut *record, &shape)
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
