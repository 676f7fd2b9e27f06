//! A stream socket that somebody else may hold too.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rustix::net::{RecvFlags, SendFlags, SocketType, recv, send};
use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A socket, by a descriptor of its own. No call waits, though the socket
/// itself stays as it is.
#[derive(Debug)]
pub struct Socket(AsyncFd<OwnedFd>);

impl Socket {
    /// Nothing when the descriptor is no stream socket.
    pub fn open(descriptor: BorrowedFd<'_>) -> Option<Socket> {
        let kind = rustix::net::sockopt::socket_type(descriptor).ok()?;
        if kind != SocketType::STREAM {
            return None;
        }
        let own = descriptor.try_clone_to_owned().ok()?;
        #[expect(
            deprecated,
            reason = "an owned descriptor stays the same and open, which is all that its unsafe successor asks for"
        )]
        let registered = AsyncFd::new(own);
        registered.ok().map(Socket)
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            let mut ready = ready!(self.0.poll_read_ready(context))?;
            let outcome = ready.try_io(|socket| {
                let room = buffer.initialize_unfilled();
                let (count, _) = recv(socket.get_ref(), room, RecvFlags::DONTWAIT)?;
                Ok(count)
            });
            match outcome {
                Ok(Ok(count)) => {
                    buffer.advance(count);
                    return Poll::Ready(Ok(()));
                }
                Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => (),
                Ok(Err(error)) => return Poll::Ready(Err(error)),
                Err(_would_block) => (),
            }
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        loop {
            let mut ready = ready!(self.0.poll_write_ready(context))?;
            let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
            let outcome = ready.try_io(|socket| Ok(send(socket.get_ref(), bytes, flags)?));
            match outcome {
                Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => (),
                Ok(outcome) => return Poll::Ready(outcome),
                Err(_would_block) => (),
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixStream;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    fn is_blocking(stream: &UnixStream) -> bool {
        let flags = rustix::fs::fcntl_getfl(stream).unwrap();
        !flags.contains(rustix::fs::OFlags::NONBLOCK)
    }

    #[tokio::test]
    async fn more_than_fits_passes_and_the_socket_stays_blocking() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let mut writer = Socket::open(ours.as_fd()).unwrap();
        let mut reader = Socket::open(theirs.as_fd()).unwrap();
        let sent: Vec<u8> = (0..4_000_000_u32).map(|at| at as u8).collect();
        let expected = sent.clone();
        let stream = ours.try_clone().unwrap();
        let writing = tokio::spawn(async move {
            writer.write_all(&sent).await.unwrap();
            writer.flush().await.unwrap();
            stream.shutdown(std::net::Shutdown::Write).unwrap();
        });
        let mut received = Vec::new();
        reader.read_to_end(&mut received).await.unwrap();
        writing.await.unwrap();
        assert!(received == expected);
        assert!(is_blocking(&ours) && is_blocking(&theirs));
    }

    #[tokio::test]
    async fn a_closed_peer_is_an_error_and_no_signal() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let mut writer = Socket::open(ours.as_fd()).unwrap();
        drop(theirs);
        let error = writer.write(b"x").await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }

    #[tokio::test]
    async fn what_is_no_socket_is_refused() {
        let (reader, _writer) = io::pipe().unwrap();
        assert!(Socket::open(reader.as_fd()).is_none());
    }
}
