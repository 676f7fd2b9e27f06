//! A server for one request, on the loopback.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// Answers one request with these bytes and closes. Gives the base address
/// and, at the end, what was asked.
pub async fn serve(answer: impl Into<Vec<u8>>) -> (String, JoinHandle<String>) {
    let answer = answer.into();
    serve_with(|mut socket| async move {
        // The client may leave before it has read everything.
        let _ = socket.write_all(&answer).await;
    })
    .await
}

/// The same with an answer that is more than bytes.
pub async fn serve_with<W>(
    answer: impl FnOnce(TcpStream) -> W + Send + 'static,
) -> (String, JoinHandle<String>)
where
    W: Future<Output = ()> + Send,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    let task = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut asked = Vec::new();
        while !is_whole(&asked) {
            assert_ne!(socket.read_buf(&mut asked).await.unwrap(), 0);
        }
        answer(socket).await;
        String::from_utf8(asked).unwrap()
    });
    (base, task)
}

/// A GET ends with its head, a POST of ours with the end of a JSON object.
fn is_whole(asked: &[u8]) -> bool {
    match asked.starts_with(b"GET ") {
        true => asked.ends_with(b"\r\n\r\n"),
        false => asked.ends_with(b"]}") || asked.ends_with(b"\r\n\r\n{}"),
    }
}
