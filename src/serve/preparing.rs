//! Commands whose pictures are being looked at, and those behind them.
//!
//! Commands keep their order. Only an abort does not wait: it takes back what
//! it would drop anyway.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;

use greenroom_protocol::session::{Command, Content, Refusal};

/// A command that is ready for the session, or refused.
pub(super) type Ready = Result<Command, Refusal>;

type Preparation = Pin<Box<dyn Future<Output = Ready> + Send>>;

/// Commands that are not ready yet, in order, each with what its dialect keeps.
pub(super) struct Preparing<A> {
    first: Option<(A, Preparation)>,
    behind: VecDeque<(A, Command)>,
}

impl<A> Preparing<A> {
    pub fn new() -> Preparing<A> {
        Preparing {
            first: None,
            behind: VecDeque::new(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    pub fn len(&self) -> usize {
        usize::from(self.first.is_some()) + self.behind.len()
    }

    /// Takes the next command; gives back what is ready now, in order.
    pub fn push(&mut self, asked: A, command: Command) -> Vec<(A, Ready)> {
        let mut ready = Vec::new();
        if matches!(command, Command::Abort) {
            ready.extend(self.take_back());
            ready.push((asked, Ok(command)));
            return ready;
        }
        self.behind.push_back((asked, command));
        self.go_on(&mut ready);
        ready
    }

    /// Waits until the first is ready; gives it with those behind it that are.
    /// Waits for ever when there is none. Loses nothing when it is dropped.
    pub async fn next(&mut self) -> Vec<(A, Ready)> {
        let command = match &mut self.first {
            Some((_, preparation)) => preparation.as_mut().await,
            None => std::future::pending().await,
        };
        let mut ready = Vec::new();
        if let Some((asked, _)) = self.first.take() {
            ready.push((asked, command));
        }
        self.go_on(&mut ready);
        ready
    }

    /// Ends it: commands with pictures are withdrawn, the others are ready.
    pub fn take_back(&mut self) -> Vec<(A, Ready)> {
        let mut ready = Vec::new();
        if let Some((asked, _)) = self.first.take() {
            ready.push((asked, Err(Refusal::Withdrawn)));
        }
        for (asked, command) in self.behind.drain(..) {
            match pictures_of(command) {
                Ok(command) => ready.push((asked, Ok(command))),
                Err(_) => ready.push((asked, Err(Refusal::Withdrawn))),
            }
        }
        ready
    }

    fn go_on(&mut self, ready: &mut Vec<(A, Ready)>) {
        while self.first.is_none()
            && let Some((asked, command)) = self.behind.pop_front()
        {
            match pictures_of(command) {
                Ok(command) => ready.push((asked, Ok(command))),
                Err((content, remake)) => {
                    // Pictures are decoded once, and scaled down when they are
                    // large; a false one refuses the whole command.
                    let preparation =
                        async move { crate::images::prepare(content).await.map(remake) };
                    self.first = Some((asked, Box::pin(preparation)));
                }
            }
        }
    }
}

type Remake = fn(Content) -> Command;

/// The command itself when it has no pictures, else its content and how it is
/// made again.
fn pictures_of(command: Command) -> Result<Command, (Content, Remake)> {
    let (content, remake): (Content, Remake) = match command {
        Command::Prompt(content) => (content, Command::Prompt),
        Command::Steer(content) => (content, Command::Steer),
        Command::FollowUp(content) => (content, Command::FollowUp),
        other => return Ok(other),
    };
    match content.image_count() {
        0 => Ok(remake(content)),
        _ => Err((content, remake)),
    }
}

#[cfg(test)]
mod tests {
    use greenroom_protocol::session::{Image, ImageFormat, Part};

    use super::*;

    fn false_picture() -> Command {
        let bytes = b"\x89PNG\r\n\x1a\nnot a picture"[..].into();
        let format = ImageFormat::Png;
        Command::Prompt(Content {
            parts: vec![Part::Image(Image { format, bytes })],
        })
    }

    #[tokio::test]
    async fn commands_keep_their_order() {
        let mut preparing = Preparing::new();
        assert_eq!(
            preparing.push(1, Command::GetState),
            [(1, Ok(Command::GetState))]
        );
        assert_eq!(preparing.push(2, false_picture()), []);
        assert_eq!(preparing.push(3, Command::GetState), []);
        let ready = preparing.next().await;
        assert!(matches!(
            &ready[..],
            [
                (2, Err(Refusal::BadImage { number: 1, .. })),
                (3, Ok(Command::GetState))
            ]
        ));
        assert!(preparing.is_empty());
    }

    #[tokio::test]
    async fn an_abort_does_not_wait() {
        let mut preparing = Preparing::new();
        preparing.push(1, false_picture());
        preparing.push(2, Command::GetState);
        preparing.push(3, false_picture());
        assert_eq!(preparing.len(), 3);
        assert_eq!(
            preparing.push(4, Command::Abort),
            [
                (1, Err(Refusal::Withdrawn)),
                (2, Ok(Command::GetState)),
                (3, Err(Refusal::Withdrawn)),
                (4, Ok(Command::Abort)),
            ]
        );
        assert!(preparing.is_empty());
    }
}
