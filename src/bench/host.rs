//! One daemon process as its host sees it: lines in, lines out, nothing shared.

use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command};
use std::thread::JoinHandle;
use std::time::Duration;

use memchr::memchr;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::time::Instant;

use super::frame::{Frame, kind};
use super::process::Process;
use super::stop::Stop;
use super::trouble::Trouble;

/// The longest that anything is waited for.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);
/// How often the user's wish to end is looked for.
const LOOK: Duration = Duration::from_millis(200);
/// Bytes that are read at once.
const READ_BYTES: usize = 256 << 10;

/// A daemon process. Dropping it kills the process.
pub(super) struct Host {
    child: Child,
    input: Option<ChildStdin>,
    output: ChildStdout,
    /// What was read, with the next line from `start` on and no line feed
    /// before `looked`.
    bytes: Vec<u8>,
    start: usize,
    looked: usize,
    chunk: Vec<u8>,
    stop: Stop,
}

/// A write that goes on while lines are read.
pub(super) struct Writing(JoinHandle<io::Result<ChildStdin>>);

impl Host {
    /// Starts the process.
    pub fn start(mut command: Command, stop: &Stop) -> Result<Host, Trouble> {
        let child = command.spawn();
        let mut child = child.map_err(|error| {
            let program = command.get_program().display();
            Trouble::unmeasured(format!("{program} cannot be started: {error}"))
        })?;
        let input = child.stdin.take();
        let Some(output) = child.stdout.take() else {
            return Err(Trouble::unmeasured("the process has no output"));
        };
        Ok(Host {
            child,
            input,
            output,
            bytes: Vec::new(),
            start: 0,
            looked: 0,
            chunk: vec![0; READ_BYTES],
            stop: stop.clone(),
        })
    }

    /// Starts the process and waits for its first line; returns the session's
    /// name too.
    pub fn greeted(command: Command, stop: &Stop) -> Result<(Host, String), Trouble> {
        let mut host = Host::start(command, stop)?;
        let deadline = Instant::now() + PATIENCE;
        let line = host.need_line("the first line", deadline)?;
        match Frame::read(line) {
            Some(frame) if frame.kind == "session_start" => {
                let session = frame.session.into_owned();
                Ok((host, session))
            }
            _ => Err(Trouble::broken("the first line is no session_start")),
        }
    }

    /// The process.
    pub fn process(&self) -> Process {
        Process(self.child.id())
    }

    /// Sends lines in one write; `text` is without the last line feed. They
    /// must fit into a pipe.
    pub fn send(&mut self, text: &str) -> Result<(), Trouble> {
        let Some(input) = &mut self.input else {
            return Err(Trouble::unmeasured("the input is closed"));
        };
        let written = input.write_all(format!("{text}\n").as_bytes());
        written.map_err(|error| self.ended(&format!("the input broke off ({error})")))
    }

    /// Sends a prompt.
    pub fn prompt(&mut self, text: &str) -> Result<(), Trouble> {
        self.send(&serde_json::json!({"type": "prompt", "text": text}).to_string())
    }

    /// Begins to send bytes of any length.
    pub fn begin_sending(&mut self, bytes: Vec<u8>) -> Result<Writing, Trouble> {
        let Some(mut input) = self.input.take() else {
            return Err(Trouble::unmeasured("the input is closed"));
        };
        Ok(Writing(std::thread::spawn(move || {
            input.write_all(&bytes)?;
            Ok(input)
        })))
    }

    /// Waits until all of it is sent. To be called when its answer is there:
    /// then it does not take long.
    pub fn end_sending(&mut self, writing: Writing) -> Result<(), Trouble> {
        match writing.0.join() {
            Ok(Ok(input)) => {
                self.input = Some(input);
                Ok(())
            }
            _ => Err(self.ended("the input broke off")),
        }
    }

    /// The next line, without its line feed; nothing when none comes in time.
    pub fn line(&mut self, deadline: Instant) -> Result<Option<&[u8]>, Trouble> {
        loop {
            let unseen = self.bytes.get(self.looked..).unwrap_or_default();
            if let Some(at) = memchr(b'\n', unseen) {
                let start = self.start;
                let end = self.looked + at;
                self.start = end + 1;
                self.looked = end + 1;
                return Ok(self.bytes.get(start..end));
            }
            self.bytes.drain(..self.start);
            self.start = 0;
            self.looked = self.bytes.len();
            if !self.wait_for_bytes(deadline)? {
                return Ok(None);
            }
            self.read_bytes()?;
        }
    }

    /// The next line, which must come.
    pub fn need_line(&mut self, what: &str, deadline: Instant) -> Result<&[u8], Trouble> {
        match self.line(deadline)? {
            Some(line) => Ok(line),
            None => Err(Trouble::broken(format!("{what} did not come in time"))),
        }
    }

    /// Reads lines up to one of this type, and gives what `take` makes of it.
    /// A refused command on the way is a broken promise: none is sent that
    /// should be refused.
    pub fn until<R>(
        &mut self,
        wanted: &str,
        take: impl FnOnce(&Frame<'_>) -> R,
    ) -> Result<R, Trouble> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let line = self.need_line(wanted, deadline)?;
            let kind = kind(line);
            if kind != wanted.as_bytes() && kind != b"response" {
                continue;
            }
            let Some(frame) = Frame::read(line) else {
                return Err(Trouble::broken("a line is not JSON"));
            };
            if let Some(false) = frame.ok {
                let error = frame.error.unwrap_or_default();
                return Err(Trouble::broken(format!("a command was refused: {error}")));
            }
            if kind == wanted.as_bytes() {
                return Ok(take(&frame));
            }
        }
    }

    /// Waits for the end of the turn, which must end so.
    pub fn turn_ends(&mut self, status: &str) -> Result<(), Trouble> {
        let found = self.until("turn_end", |end| end.status.clone())?;
        match found.as_deref() == Some(status) {
            true => Ok(()),
            false => Err(Trouble::broken(format!(
                "a turn ended as {found:?}, not as {status}"
            ))),
        }
    }

    /// Plays a whole turn; returns the time from the prompt to its end.
    pub fn turn(&mut self, text: &str) -> Result<Duration, Trouble> {
        let began = Instant::now();
        self.prompt(text)?;
        self.turn_ends("ok")?;
        Ok(began.elapsed())
    }

    /// Closes the input and waits for the end of the process, which must be a
    /// clean one.
    pub fn finish(mut self) -> Result<(), Trouble> {
        self.input = None;
        let deadline = Instant::now() + PATIENCE;
        while kind(self.need_line("session_end", deadline)?) != b"session_end" {}
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(()),
                Ok(Some(status)) => return Err(Trouble::broken(format!("it ended with {status}"))),
                Ok(None) if Instant::now() < deadline => {
                    self.stop.check()?;
                    std::thread::sleep(Duration::from_micros(500));
                }
                _ => return Err(Trouble::broken("it did not end")),
            }
        }
    }

    fn wait_for_bytes(&self, deadline: Instant) -> Result<bool, Trouble> {
        loop {
            self.stop.check()?;
            let now = Instant::now();
            let left = deadline.saturating_duration_since(now).min(LOOK);
            let time = Timespec {
                tv_sec: 0,
                tv_nsec: left.subsec_nanos().into(),
            };
            let mut fds = [PollFd::new(&self.output, PollFlags::IN)];
            match poll(&mut fds, Some(&time)) {
                Ok(0) if now >= deadline => return Ok(false),
                Ok(0) | Err(rustix::io::Errno::INTR) => (),
                Ok(_) => return Ok(true),
                Err(error) => return Err(Trouble::unmeasured(error)),
            }
        }
    }

    fn read_bytes(&mut self) -> Result<(), Trouble> {
        match self.output.read(&mut self.chunk) {
            Ok(0) => Err(self.ended("the output ended")),
            Ok(count) => {
                let read = self.chunk.get(..count).unwrap_or_default();
                self.bytes.extend_from_slice(read);
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(error) => Err(self.ended(&format!("the output broke off ({error})"))),
        }
    }

    /// A process that ends unasked breaks its promise, but not when the user
    /// ended it with the bench.
    fn ended(&mut self, what: &str) -> Trouble {
        if let Err(stopped) = self.stop.check() {
            return stopped;
        }
        match self.child.try_wait() {
            Ok(Some(status)) => Trouble::broken(format!("{what}; the process ended with {status}")),
            _ => Trouble::broken(what),
        }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // After a clean end both do nothing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
