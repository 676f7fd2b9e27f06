//! Events as bytes.
//!
//! The vocabulary has no serde on purpose: a word may be renamed or reshaped
//! there without a thought for files. Here stands what files say: `words`
//! and `happenings` list every stored word with its frozen key, `stored` is
//! the machinery that turns such a list into serde records and back, `record`
//! frames a record with its version and checksum, `blob` names the large
//! values that are kept beside records.
//!
//! Rules: whatever an older build could not read is a new version; a version
//! is never changed once it was released, and `golden/` has bytes of each that
//! a test reads. This module knows no file and no database.

mod record;

mod happenings;
mod words;

mod blob;
mod error;
mod plain;
mod stored;
mod text;

pub(super) use blob::{Attachments, BlobId, BlobRef, BlobSource};
pub(super) use error::FormatError;
pub(super) use record::{decode, decode_listing, encode, encode_listing, written_at};

#[cfg(test)]
pub(super) mod arbitrary;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;
