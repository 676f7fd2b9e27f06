//! How a command is started that runs on when its call has ended.
//!
//! It has one stream of output, both of its own in one. Beside it, in its group
//! and with its mark, runs a watcher: a shell that waits on the other end of a
//! pipe that only this process holds, its *lifeline*. When this process ends,
//! however it does (`kill -9`), the lifeline breaks. The watcher of a usual
//! command then ends everything of its group and with its mark; that of a
//! command which was asked to stay reads on what it writes, so that it is not
//! ended by its own next word.

use std::io;
use std::os::fd::OwnedFd;
use std::process::Stdio;

use tokio::net::unix::pipe::Receiver;
use tokio::process::ChildStdin;

use super::hold::Hold;
use super::host::{CommandHost, Place};
use super::leash::Leash;

/// The lifeline comes as standard error, the one place that is free. `$1` is the
/// command's own line, `$2` the watcher's, `@` how a shell is called. The command
/// begins when its watcher says that it is ready: before that, whoever asks both
/// to go would find a watcher that goes.
const START: &str = r#"exec 3<&2 2>&1
ready=
trap 'ready=1' USR1
@ "$2" </dev/null >/dev/null 2>&1 &
tries=0
while [ -z "$ready" ] && [ "$tries" -lt 200 ] && kill -s 0 $!; do
  sleep 0.005
  tries=$((tries + 1))
done
trap - USR1
exec 3<&-
exec @ "$1""#;

/// The same where the watcher gets the other end of the output, too; there is
/// no input then.
const START_KEPT: &str = r#"exec 3<&0 4<&2 </dev/null 2>&1
@ "$2" </dev/null >/dev/null 2>&1 &
exec 3<&- 4<&-
exec @ "$1""#;

/// `end` is polite first, and looks twice in the end, since a process may fork
/// meanwhile. A watcher that is itself asked to go stays as long as its command
/// does: this process may be killed while a stubborn one is being ended. (Where
/// `read` knows no time limit, it goes.)
const WATCH: &str = r#"call() {
  for it in $(grep -lszxF -e "GREENROOM_CALL=$GREENROOM_CALL" /proc/[0-9]*/environ); do
    it=${it#/proc/}
    it=${it%/environ}
    [ "$it" = $$ ] || kill -s "$1" "$it"
  done
}
end() {
  trap '' TERM HUP INT
  call TERM
  kill -s TERM 0
  kill -s CONT 0
  sleep 1
  call KILL
  call KILL
  kill -s KILL 0
}
asked() {
  while kill -s 0 $PPID; do
    read -r -t 0.05 _ <&3
    case $? in
      1) end ;;
      2) exit ;;
    esac
  done
  exit
}
trap asked TERM
kill -s USR1 $PPID
read -r _ <&3
end"#;

/// Opened anew, because this process reads its own end without waiting.
const WATCH_KEPT: &str = r#"trap '' HUP INT
read -r _ <&3
exec 3<&-
exec cat /dev/fd/4"#;

/// A command that was started.
pub(in crate::tool) struct Started {
    /// The hold on it.
    pub leash: Leash,
    /// What it writes, both streams.
    pub output: Receiver,
    /// What it reads; nothing for one that is kept.
    pub input: Option<ChildStdin>,
}

impl CommandHost {
    /// Starts a command that runs on. A kept one outlives this process.
    pub(in crate::tool) fn start_background(
        &self,
        line: &str,
        place: &Place<'_>,
        marker: String,
        keep: bool,
    ) -> io::Result<Started> {
        let hold = Hold::new();
        let (output, written) = io::pipe()?;
        let (broken, lifeline) = io::pipe()?;
        let (start, watch) = match keep {
            true => (START_KEPT, WATCH_KEPT),
            false => (START, WATCH),
        };
        let mut command = self.command(place, &marker);
        command
            .arg(start.replace('@', &self.call_itself()))
            .arg("greenroom-job")
            .arg(line)
            .arg(watch)
            .stdout(written);
        match keep {
            true => command.stdin(broken).stderr(output.try_clone()?),
            false => command.stdin(Stdio::piped()).stderr(broken),
        };
        let child = self.spawn(place, command)?;
        let output = OwnedFd::from(output);
        let copy = output.try_clone();
        let mut leash = Leash::new(child, marker, hold);
        leash = leash.tied(copy?, lifeline.into());
        if keep {
            leash.keep();
        }
        Ok(Started {
            input: leash.take_stdin(),
            output: Receiver::from_owned_fd(output)?,
            leash,
        })
    }
}
