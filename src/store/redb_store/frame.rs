//! What stands in one frame of the log ahead: the batches of one append.
//!
//! For each batch: the length of the session's name (2 bytes), the name, the
//! number of events (4), and for each event the length of its record (4) and
//! the record, as it goes into the database. Numbers are little-endian.

use std::sync::Arc;

use greenroom_actors::ports::Batch;
use greenroom_protocol::session::{SessionId, Text};

use crate::store::format::{self, Attachments, BlobRef, BlobSource, FormatError};

/// Writes batches over whatever `body` held. False when they can't stand in a
/// frame: a large value belongs to them, or they are longer than `longest`
/// bytes.
pub(super) fn encode(
    batches: &[Batch],
    longest: usize,
    body: &mut Vec<u8>,
) -> Result<bool, FormatError> {
    body.clear();
    let mut record = Vec::new();
    for batch in batches {
        let name = batch.session.as_str().as_bytes();
        let (Ok(name_len), Ok(events)) =
            (u16::try_from(name.len()), u32::try_from(batch.events.len()))
        else {
            return Ok(false);
        };
        body.extend_from_slice(&name_len.to_le_bytes());
        body.extend_from_slice(name);
        body.extend_from_slice(&events.to_le_bytes());
        for event in &batch.events {
            let mut large = Attachments::refused();
            format::encode(event, &mut record, &mut large)?;
            let fits = body.len() + record.len() <= longest;
            let (true, true, Ok(len)) = (fits, !large.met(), u32::try_from(record.len())) else {
                return Ok(false);
            };
            body.extend_from_slice(&len.to_le_bytes());
            body.extend_from_slice(&record);
        }
    }
    Ok(body.len() <= longest)
}

/// Reads what [`encode`] wrote.
pub(super) fn decode(mut body: &[u8]) -> Result<Vec<Batch>, FormatError> {
    let mut batches = Vec::new();
    while !body.is_empty() {
        let name_len = u16::from_le_bytes(chunk(&mut body)?);
        let name = bytes(&mut body, usize::from(name_len))?;
        let name = std::str::from_utf8(name).map_err(|_| cut("a name is no text"))?;
        let session = SessionId::new(name);
        let count = u32::from_le_bytes(chunk(&mut body)?);
        let mut events = Vec::new();
        for _ in 0..count {
            let len = u32::from_le_bytes(chunk(&mut body)?);
            let record = bytes(&mut body, len as usize)?;
            events.push(Arc::new(format::decode(record, &mut Beside)?));
        }
        batches.push(Batch { session, events });
    }
    Ok(batches)
}

fn chunk<const N: usize>(body: &mut &[u8]) -> Result<[u8; N], FormatError> {
    let (chunk, rest) = body
        .split_first_chunk::<N>()
        .ok_or_else(|| cut("it is cut off"))?;
    *body = rest;
    Ok(*chunk)
}

fn bytes<'a>(body: &mut &'a [u8], len: usize) -> Result<&'a [u8], FormatError> {
    let (bytes, rest) = body
        .split_at_checked(len)
        .ok_or_else(|| cut("it is cut off"))?;
    *body = rest;
    Ok(bytes)
}

fn cut(fault: &str) -> FormatError {
    FormatError::Damaged(fault.into())
}

/// Frames have no large values.
struct Beside;

impl BlobSource for Beside {
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
