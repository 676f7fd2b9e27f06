//! Large values, kept beside the records: pictures, and texts of more than
//! 16 KB. They are named by the SHA-256 of their bytes, so that an equal value
//! is stored once however many events hold it.

use std::fmt;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use greenroom_protocol::session::Text;
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};

use super::FormatError;

/// Texts up to this many bytes stand in the record itself.
pub(super) const INLINE_LIMIT: usize = 16 * 1024;

/// A value's name: the SHA-256 of its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::store) struct BlobId(pub(in crate::store) [u8; 32]);

impl BlobId {
    /// The name of these bytes.
    pub(in crate::store) fn of(bytes: &[u8]) -> BlobId {
        let mut id = [0; 32];
        for (to, from) in id.iter_mut().zip(digest(&SHA256, bytes).as_ref()) {
            *to = *from;
        }
        BlobId(id)
    }
}

impl fmt::Display for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&URL_SAFE_NO_PAD.encode(self.0))
    }
}

impl fmt::Debug for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BlobId({self})")
    }
}

/// What a record says of a large value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) struct BlobRef {
    /// Its name.
    pub(in crate::store) id: BlobId,
    /// Its length in bytes.
    pub(in crate::store) len: u64,
}

/// A [`BlobRef`] in JSON: `{"blob":"<base64url>","len":<bytes>}`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BlobRecord {
    blob: String,
    len: u64,
}

impl BlobRecord {
    pub(super) fn of(blob: BlobRef) -> BlobRecord {
        BlobRecord {
            blob: blob.id.to_string(),
            len: blob.len,
        }
    }

    pub(super) fn read(&self) -> Result<BlobRef, FormatError> {
        let mut id = [0; 32];
        match URL_SAFE_NO_PAD.decode_slice(&self.blob, &mut id) {
            Ok(32) => Ok(BlobRef {
                id: BlobId(id),
                len: self.len,
            }),
            _ => Err(FormatError::Damaged("no name of a large value".into())),
        }
    }
}

/// The large values of records that are being written, borrowed from their
/// events: they are written straight from there.
#[derive(Default)]
pub(in crate::store) struct Attachments<'a> {
    /// Name and bytes; a value that several records hold may come repeatedly.
    pub(in crate::store) values: Vec<(BlobId, &'a [u8])>,
    /// Set by [`Attachments::refused`]: how many were met.
    refused: Option<usize>,
}

impl<'a> Attachments<'a> {
    /// Takes none up: a record that has large values is of no use then, see
    /// [`Attachments::met`]. Saves naming them, which takes time.
    pub(in crate::store) fn refused() -> Attachments<'a> {
        Attachments {
            values: Vec::new(),
            refused: Some(0),
        }
    }

    /// Whether a large value belongs to the records.
    pub(in crate::store) fn met(&self) -> bool {
        !self.values.is_empty() || self.refused.is_some_and(|count| count > 0)
    }

    /// Takes a value up and gives what the record says of it.
    pub(super) fn attach(&mut self, bytes: &'a [u8]) -> BlobRecord {
        let len = bytes.len() as u64;
        if let Some(count) = &mut self.refused {
            *count += 1;
            return BlobRecord::of(BlobRef {
                id: BlobId([0; 32]),
                len,
            });
        }
        let id = BlobId::of(bytes);
        self.values.push((id, bytes));
        BlobRecord::of(BlobRef { id, len })
    }
}

/// Where the large values of records that are being read come from. Values are
/// checked against their name by the source.
pub(in crate::store) trait BlobSource {
    /// A value's bytes, shared among its readers.
    fn bytes(&mut self, blob: BlobRef) -> Result<Arc<[u8]>, FormatError>;

    /// A value that is text, shared among its readers.
    fn text(&mut self, blob: BlobRef) -> Result<Text, FormatError>;
}
