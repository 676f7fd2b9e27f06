//! Large values in pieces. A page of the database holds at least one whole
//! value and is a power of two long: in pieces of just below 64 KB little of
//! the pages is wasted, and a text of 32 MB never stands whole in the
//! database's cache.

use std::collections::HashMap;
use std::str;
use std::sync::Arc;

use greenroom_protocol::session::Text;
use redb::{ReadOnlyTable, ReadableTable, Table};

use crate::store::format::{BlobId, BlobRef, BlobSource, FormatError};

type Key = (&'static [u8; 32], u32);

/// A piece and what the database writes beside it fill a page of 64 KB.
const PIECE: usize = 64 * 1024 - 128;

/// Stores a value, unless it is there.
pub(super) fn write(
    table: &mut Table<'_, Key, &'static [u8]>,
    id: BlobId,
    bytes: &[u8],
) -> Result<(), redb::Error> {
    if table.get((&id.0, 0))?.is_some() {
        return Ok(());
    }
    if bytes.is_empty() {
        table.insert((&id.0, 0), bytes)?;
    }
    for (number, piece) in (0u32..).zip(bytes.chunks(PIECE)) {
        table.insert((&id.0, number), piece)?;
    }
    Ok(())
}

/// The large values of one read. A value that several events hold is read once
/// and shared among them.
pub(super) struct StoredBlobs {
    table: Option<ReadOnlyTable<Key, &'static [u8]>>,
    bytes: HashMap<BlobId, Arc<[u8]>>,
    texts: HashMap<BlobId, Text>,
}

impl StoredBlobs {
    /// Reads from the table; without one, nothing is there.
    pub(super) fn new(table: Option<ReadOnlyTable<Key, &'static [u8]>>) -> StoredBlobs {
        StoredBlobs {
            table,
            bytes: HashMap::new(),
            texts: HashMap::new(),
        }
    }

    /// How much was read so far, equal values once.
    pub(super) fn bytes_read(&self) -> usize {
        let bytes = self.bytes.values().map(|bytes| bytes.len());
        bytes
            .chain(self.texts.values().map(|text| text.len()))
            .sum()
    }

    /// The value as it was written: its name is the proof.
    fn read(&self, blob: BlobRef) -> Result<Vec<u8>, FormatError> {
        let fault = |fault| FormatError::Blob { id: blob.id, fault };
        let Some(table) = &self.table else {
            return Err(fault("is missing"));
        };
        let len = usize::try_from(blob.len).map_err(|_| fault("is not whole"))?;
        let mut bytes = Vec::new();
        bytes
            .try_reserve_exact(len)
            .map_err(|_| fault("does not fit into memory"))?;
        let range = (&blob.id.0, 0)..=(&blob.id.0, u32::MAX);
        for entry in table.range(range).map_err(storage)? {
            let (_, piece) = entry.map_err(storage)?;
            bytes.extend_from_slice(piece.value());
        }
        if bytes.len() != len {
            return Err(fault("is not whole"));
        }
        if BlobId::of(&bytes) != blob.id {
            return Err(fault("is damaged"));
        }
        Ok(bytes)
    }
}

impl BlobSource for StoredBlobs {
    fn bytes(&mut self, blob: BlobRef) -> Result<Arc<[u8]>, FormatError> {
        if let Some(known) = self.bytes.get(&blob.id) {
            return Ok(known.clone());
        }
        let bytes: Arc<[u8]> = self.read(blob)?.into();
        self.bytes.insert(blob.id, bytes.clone());
        Ok(bytes)
    }

    fn text(&mut self, blob: BlobRef) -> Result<Text, FormatError> {
        if let Some(known) = self.texts.get(&blob.id) {
            return Ok(known.clone());
        }
        let bytes = self.read(blob)?;
        let text: Text = str::from_utf8(&bytes)
            .map_err(|_| FormatError::Blob {
                id: blob.id,
                fault: "is no text",
            })?
            .into();
        self.texts.insert(blob.id, text.clone());
        Ok(text)
    }
}

fn storage(error: redb::StorageError) -> FormatError {
    FormatError::Storage(error.to_string())
}
