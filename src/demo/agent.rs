//! The process at the other end, as lines in and out.

use std::collections::VecDeque;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use greenroom_protocol::wire::LineBuffer;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::scratch::Scratch;
use crate::cli::CommonOptions;
use crate::config::LogFormat;

/// The longest line that is read; the demonstration's longest has some 2 KiB.
const LINE_BYTES: usize = 4 << 20;
/// Bytes that are read at once.
const READ_BYTES: usize = 64 << 10;
/// How long an agent may take to end after SIGTERM, before it is killed.
const STOP_TIME: Duration = Duration::from_secs(5);
/// The flags that make a demonstration of it: what people can type, too.
pub(super) const FLAGS: &str = "agent --rpc --no-session --mode auto --script builtin:demo";

/// A running agent and the pipes to it.
pub(super) struct Agent {
    child: Child,
    input: Option<ChildStdin>,
    output: ChildStdout,
    cut: LineBuffer,
    /// Lines that are read but not yet taken.
    lines: VecDeque<String>,
}

impl Agent {
    /// Starts `program` on the scratch folder. Its standard error is ours.
    pub fn start(program: &Path, scratch: &Scratch, common: &CommonOptions) -> Result<Agent> {
        let mut command = Command::new(program);
        command
            .args(FLAGS.split(' '))
            .arg("--cwd")
            .arg(scratch.repository())
            .arg("--config")
            .arg(common.config.clone().unwrap_or_else(|| scratch.config()));
        if let Some(level) = &common.log {
            command.arg("--log").arg(level.as_str());
        }
        if let Some(format) = common.log_format {
            command.arg("--log-format").arg(match format {
                LogFormat::Text => "text",
                LogFormat::Json => "json",
            });
        }
        let mut child = command
            .env("GREENROOM_HOME", scratch.state())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("{} does not start", program.display()))?;
        let input = child.stdin.take();
        let output = child.stdout.take().context("it has no standard output")?;
        Ok(Agent {
            child,
            input,
            output,
            cut: LineBuffer::new(LINE_BYTES),
            lines: VecDeque::new(),
        })
    }

    /// Writes one command, which is one line.
    pub async fn send(&mut self, command: &str) -> Result<()> {
        let Some(input) = &mut self.input else {
            bail!("its standard input is closed already");
        };
        let line = format!("{command}\n");
        let written = async {
            input.write_all(line.as_bytes()).await?;
            input.flush().await
        };
        written.await.context("it no longer reads its input")
    }

    /// The next line, read as JSON; nothing at the end of the output. May be
    /// dropped while it waits: nothing is lost.
    pub async fn next(&mut self) -> Result<Option<Value>> {
        loop {
            if let Some(line) = self.lines.pop_front() {
                let event = serde_json::from_str(&line);
                return event.map(Some).with_context(|| format!("no JSON: {line}"));
            }
            let mut bytes = vec![0; READ_BYTES];
            let count = self.output.read(&mut bytes).await.context("its output")?;
            if count == 0 {
                let last = self.cut.finish();
                return match last {
                    None => Ok(None),
                    Some(_) => Err(anyhow!("its output ends in the middle of a line")),
                };
            }
            bytes.truncate(count);
            for line in self.cut.push(&bytes) {
                let line = line.map_err(|fault| anyhow!("a line cannot be read: {fault:?}"))?;
                self.lines.push_back(line.into_owned());
            }
        }
    }

    /// Closes its standard input: it ends once its work is done.
    pub fn close(&mut self) {
        self.input = None;
    }

    /// Waits for its end.
    pub async fn wait(&mut self) -> Result<ExitStatus> {
        self.child.wait().await.context("it cannot be waited for")
    }

    /// Ends it before its time: politely, so that it stops its tools, and by
    /// force when that takes too long.
    pub async fn stop(mut self) {
        self.input = None;
        #[cfg(unix)]
        if let Some(id) = self.child.id().and_then(|id| i32::try_from(id).ok())
            && let Some(process) = rustix::process::Pid::from_raw(id)
        {
            // It may have ended meanwhile.
            let _ = rustix::process::kill_process(process, rustix::process::Signal::TERM);
        }
        if tokio::time::timeout(STOP_TIME, self.child.wait())
            .await
            .is_err()
        {
            let _ = self.child.kill().await;
        }
    }
}
