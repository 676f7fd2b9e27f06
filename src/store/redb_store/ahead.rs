//! The log ahead of the database. A commit of the database writes many pages;
//! a frame in this file is one write and one sync of a place that the file
//! already has, so that a turn waits a fraction of the time. What stands here
//! goes into the database later, many frames at once.
//!
//! The file is as long as it will ever be, and is written from its start again
//! after each checkpoint. What it holds counts only under the key that the
//! database names: a checkpoint changes the key in its own transaction, and
//! with that moment all older frames are void. A file that belongs to another
//! database, or is older than it, therefore says nothing.
//!
//! A frame: length of its body (4 bytes), CRC-32 of key and body (4), key (8),
//! body; numbers little-endian. Frames follow each other without a gap; the
//! first that does not fit its sum or the key ends them.

use std::io::{ErrorKind, Result};

/// Length, sum and key.
const HEAD: usize = 16;

/// Where frames are written. There is one of these in the daemon; tests have
/// another that fails on demand.
pub(super) trait AheadFile: Send + 'static {
    /// How long the file is.
    fn len(&self) -> Result<u64>;

    /// Fills `out` from a place in the file.
    fn read(&self, offset: u64, out: &mut [u8]) -> Result<()>;

    /// Writes at a place in the file.
    fn write(&self, offset: u64, bytes: &[u8]) -> Result<()>;

    /// Returns when all that was written will survive a power cut.
    fn sync(&self) -> Result<()>;
}

/// Which frames count: changed by every checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AheadKey(pub(super) u64);

impl AheadKey {
    /// One that no frame has.
    pub(super) fn fresh() -> AheadKey {
        AheadKey(fastrand::u64(..))
    }
}

/// The log, ready to be written.
pub(super) struct Ahead {
    file: Box<dyn AheadFile>,
    capacity: u64,
    key: AheadKey,
    /// Where the next frame goes.
    end: u64,
    frame: Vec<u8>,
    /// A frame that was refused may stand at `end`.
    has_refused: bool,
}

impl Ahead {
    /// Takes a file, and makes it `capacity` bytes long if it is shorter: with
    /// zeros that are really there, so that later syncs have no room to find.
    pub(super) fn prepare(file: Box<dyn AheadFile>, capacity: u64, key: AheadKey) -> Result<Ahead> {
        let len = file.len()?;
        if len < capacity {
            let missing = usize::try_from(capacity - len).unwrap_or(usize::MAX);
            file.write(len, &vec![0; missing])?;
            file.sync()?;
        }
        Ok(Ahead {
            file,
            capacity,
            key,
            end: 0,
            frame: Vec::new(),
            has_refused: false,
        })
    }

    /// Whether a body of this length can stand behind the frames that are there.
    pub(super) fn has_room(&self, body: usize) -> bool {
        self.end + (HEAD + body) as u64 <= self.capacity
    }

    /// Writes a frame behind the others; it is there for good when this returns
    /// without an error. After an error it may be there: see
    /// [`Ahead::take_back`].
    pub(super) fn append(&mut self, body: &[u8]) -> Result<()> {
        let length = u32::try_from(body.len()).map_err(|_| ErrorKind::FileTooLarge)?;
        let AheadKey(key) = self.key;
        self.frame.clear();
        self.frame.extend_from_slice(&length.to_le_bytes());
        self.frame.extend_from_slice(&sum(key, body).to_le_bytes());
        self.frame.extend_from_slice(&key.to_le_bytes());
        self.frame.extend_from_slice(body);
        self.has_refused = true;
        self.file.write(self.end, &self.frame)?;
        self.file.sync()?;
        self.has_refused = false;
        self.end += self.frame.len() as u64;
        Ok(())
    }

    /// Sees to it that a frame whose append failed is not there: who asked for
    /// it was told so.
    pub(super) fn take_back(&mut self) -> Result<()> {
        if self.has_refused {
            self.file.write(self.end, &[0; HEAD])?;
            self.file.sync()?;
            self.has_refused = false;
        }
        Ok(())
    }

    /// Begins at the start again: all frames are in the database, which names
    /// this key.
    pub(super) fn restart(&mut self, key: AheadKey) {
        self.key = key;
        self.end = 0;
        self.has_refused = false;
    }
}

/// The bodies of all frames under a key, in order.
pub(super) fn frames(file: &dyn AheadFile, key: AheadKey) -> Result<Vec<Vec<u8>>> {
    let len = file.len()?;
    let mut bodies = Vec::new();
    let mut at = 0;
    while let Some(body) = frame_at(file, len, at, key)? {
        at += (HEAD + body.len()) as u64;
        bodies.push(body);
    }
    Ok(bodies)
}

fn frame_at(file: &dyn AheadFile, len: u64, at: u64, key: AheadKey) -> Result<Option<Vec<u8>>> {
    let body_at = at + HEAD as u64;
    if body_at > len {
        return Ok(None);
    }
    let mut head = [0; HEAD];
    file.read(at, &mut head)?;
    let (length, rest) = number(&head);
    let (expected, rest) = number(rest);
    let is_ours = rest == key.0.to_le_bytes();
    if !is_ours || u64::from(length) > len - body_at {
        return Ok(None);
    }
    let mut body = vec![0; length as usize];
    file.read(body_at, &mut body)?;
    Ok((sum(key.0, &body) == expected).then_some(body))
}

fn number(bytes: &[u8]) -> (u32, &[u8]) {
    match bytes.split_first_chunk() {
        Some((number, rest)) => (u32::from_le_bytes(*number), rest),
        None => (0, bytes),
    }
}

fn sum(key: u64, body: &[u8]) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&key.to_le_bytes());
    sum.update(body);
    sum.finalize()
}

impl AheadFile for std::fs::File {
    fn len(&self) -> Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(self, out, offset)
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> Result<()> {
        std::os::unix::fs::FileExt::write_all_at(self, bytes, offset)
    }

    fn sync(&self) -> Result<()> {
        self.sync_data()
    }
}
