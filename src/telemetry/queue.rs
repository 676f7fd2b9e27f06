//! Lines on their way to a writer that may be slow, stuck or gone.

use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Bytes that may wait. Lines beyond it are counted and left out.
pub(super) const MOST_BYTES: usize = 1 << 20;

/// A bounded queue with a thread that writes. The thread starts with the first
/// line.
pub(super) struct Queue {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    /// Told when lines come and when they are written.
    changed: Condvar,
    left_out_line: fn(u64) -> String,
}

struct State {
    /// Whole lines, one after another.
    waiting: Vec<u8>,
    left_out: u64,
    is_writing: bool,
    /// The writer, until its thread takes it.
    writer: Option<Box<dyn Write + Send>>,
}

impl Queue {
    /// A queue to that writer. `left_out_line` makes the line that tells how
    /// many lines had no room.
    pub(super) fn new(writer: Box<dyn Write + Send>, left_out_line: fn(u64) -> String) -> Queue {
        let state = State {
            waiting: Vec::new(),
            left_out: 0,
            is_writing: false,
            writer: Some(writer),
        };
        Queue {
            shared: Arc::new(Shared {
                state: Mutex::new(state),
                changed: Condvar::new(),
                left_out_line,
            }),
        }
    }

    /// Adds a line; never waits for the writer.
    pub(super) fn push(&self, line: &[u8]) {
        let mut state = self.shared.lock();
        if state.waiting.len().saturating_add(line.len()) > MOST_BYTES {
            state.left_out += 1;
            return;
        }
        state.waiting.extend_from_slice(line);
        if let Some(writer) = state.writer.take() {
            self.start(writer);
        }
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Waits until all lines are written, for at most `most`.
    pub(super) fn flush(&self, most: Duration) {
        let state = self.shared.lock();
        // Nothing is to be done about a writer that is still stuck.
        let _ = self
            .shared
            .changed
            .wait_timeout_while(state, most, |state| {
                let has_thread = state.writer.is_none();
                has_thread && (state.is_writing || !state.waiting.is_empty())
            });
    }

    fn start(&self, writer: Box<dyn Write + Send>) {
        let shared = self.shared.clone();
        // Without a thread the lines stay where they are: no reason to end.
        let _ = std::thread::Builder::new()
            .name("log".to_owned())
            .stack_size(256 << 10)
            .spawn(move || shared.write_all(writer));
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes whatever comes, for the rest of the process's life.
    fn write_all(&self, mut writer: Box<dyn Write + Send>) {
        loop {
            let (lines, left_out) = self.next_lines();
            // Standard error may be closed; there is nobody to tell.
            let _ = writer.write_all(&lines);
            if left_out > 0 {
                let _ = writer.write_all((self.left_out_line)(left_out).as_bytes());
            }
            self.lock().is_writing = false;
            self.changed.notify_all();
        }
    }

    fn next_lines(&self) -> (Vec<u8>, u64) {
        let mut state = self
            .changed
            .wait_while(self.lock(), |state| state.waiting.is_empty())
            .unwrap_or_else(PoisonError::into_inner);
        state.is_writing = true;
        let lines = std::mem::take(&mut state.waiting);
        (lines, std::mem::take(&mut state.left_out))
    }
}
