//! Standard input and output as a transport. The only place that writes to
//! standard output while a session is served.
//!
//! Pipes and sockets, which hosts give, are read and written without a thread
//! in between. Neither is made non-blocking for that: the flag belongs to all
//! who hold the same end, such as whoever shares our standard error. A pipe is
//! opened anew, and a socket is told with each call not to wait. What is
//! neither, a file or a terminal, goes through tokio's own threads.

mod socket;

use std::io;
use std::os::fd::AsFd;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf, Stdin, Stdout};
use tokio::net::unix::pipe;

use socket::Socket;

/// Standard input. A read of a terminal or a file that is under way when the
/// process ends stays behind in its thread, so the runtime must be left without
/// waiting for it.
#[derive(Debug)]
pub enum Input {
    /// A pipe's reading end.
    Pipe(pipe::Receiver),
    /// A socket.
    Socket(Socket),
    /// Anything else.
    Other(Stdin),
}

/// Standard output.
#[derive(Debug)]
pub enum Output {
    /// A pipe's writing end.
    Pipe(pipe::Sender),
    /// A socket.
    Socket(Socket),
    /// Anything else.
    Other(Stdout),
}

/// Both ends. Must be called inside a tokio runtime with I/O.
pub fn open() -> (Input, Output) {
    (Input::open(), Output::open())
}

/// Waits until nobody reads standard output any more, also while nothing is
/// written. Only pipes tell; for anything else it waits for ever.
pub async fn output_closed() {
    let Ok(pipe) = pipe::OpenOptions::new().open_sender("/proc/self/fd/1") else {
        return std::future::pending().await;
    };
    loop {
        match pipe.ready(Interest::ERROR).await {
            Ok(ready) if ready.is_error() || ready.is_write_closed() => return,
            Ok(_) => tokio::time::sleep(LOOK_AGAIN).await,
            Err(_) => std::future::pending().await,
        }
    }
}

/// A pipe that says something else than that it is closed is asked again.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

impl Input {
    fn open() -> Input {
        // Fails for all but pipes, and for pipes of another user.
        if let Ok(pipe) = pipe::OpenOptions::new().open_receiver("/proc/self/fd/0") {
            return Input::Pipe(pipe);
        }
        match Socket::open(io::stdin().as_fd()) {
            Some(socket) => Input::Socket(socket),
            None => Input::Other(tokio::io::stdin()),
        }
    }
}

impl Output {
    fn open() -> Output {
        if let Ok(pipe) = pipe::OpenOptions::new().open_sender("/proc/self/fd/1") {
            return Output::Pipe(pipe);
        }
        match Socket::open(io::stdout().as_fd()) {
            Some(socket) => Output::Socket(socket),
            None => Output::Other(tokio::io::stdout()),
        }
    }
}

impl AsyncRead for Input {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Input::Pipe(pipe) => Pin::new(pipe).poll_read(context, buffer),
            Input::Socket(socket) => Pin::new(socket).poll_read(context, buffer),
            Input::Other(other) => Pin::new(other).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Output {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Output::Pipe(pipe) => Pin::new(pipe).poll_write(context, bytes),
            Output::Socket(socket) => Pin::new(socket).poll_write(context, bytes),
            Output::Other(other) => Pin::new(other).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Output::Pipe(pipe) => Pin::new(pipe).poll_flush(context),
            Output::Socket(socket) => Pin::new(socket).poll_flush(context),
            Output::Other(other) => Pin::new(other).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Output::Pipe(pipe) => Pin::new(pipe).poll_shutdown(context),
            Output::Socket(socket) => Pin::new(socket).poll_shutdown(context),
            Output::Other(other) => Pin::new(other).poll_shutdown(context),
        }
    }
}
