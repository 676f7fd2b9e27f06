//! Connections: one request after the other, each with its reply.

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::reply::{Content, Ending, Reply};
use super::request::Request;
use super::{Service, Shared};

/// Takes connections until it is dropped, and ends them then.
pub(super) async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        shared.connections.send_modify(|count| *count += 1);
        connections.spawn(connection(stream, shared.clone()));
    }
}

/// Whether the connection goes on after a reply.
enum Then {
    GoOn,
    Close,
}

async fn connection(mut stream: TcpStream, shared: Arc<Shared>) {
    stream.set_nodelay(true).unwrap();
    while let Some(request) = Request::read(&mut stream).await {
        let service = Service::of_path(&request.path);
        let key = request.key().to_owned();
        let reply = shared.replies.lock().unwrap().pop_front();
        shared.requests.send_modify(|all| all.push(request));
        let reply = reply.unwrap_or_else(|| Reply::stream("no reply left").status(418));
        match answer(&mut stream, &reply, service, &key).await {
            Ok(Then::GoOn) => {}
            Ok(Then::Close) => return,
            // The client is gone before the end of the reply.
            Err(_) => {
                shared.hang_ups.send_modify(|count| *count += 1);
                return;
            }
        }
    }
}

async fn answer(
    stream: &mut TcpStream,
    reply: &Reply,
    service: Service,
    key: &str,
) -> io::Result<Then> {
    match reply.ending {
        Ending::CloseBeforeHeaders => return Ok(Then::Close),
        Ending::HangBeforeHeaders => return hung_up(stream).await,
        _ => {}
    }
    let rendered = reply.render(service, key);
    if let Content::Raw(bytes) = &reply.content {
        stream.write_all(bytes).await?;
        return Ok(Then::Close);
    }
    let mut head = format!(
        "HTTP/1.1 {} {}\r\n",
        rendered.status,
        reason(rendered.status)
    );
    for (name, value) in &rendered.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("transfer-encoding: chunked\r\nconnection: keep-alive\r\n\r\n");
    stream.write_all(head.as_bytes()).await?;

    let most = match reply.ending {
        Ending::EndAt(bytes) | Ending::CutAt(bytes) | Ending::HangAt(bytes) => bytes,
        _ => rendered.body.len(),
    };
    let body = rendered.body.get(..most).expect("the body is that long");
    for piece in pieces(body, reply.piece) {
        if let Some(gate) = &reply.gate {
            tokio::select! {
                () = gate.pass() => {}
                gone = hung_up(stream) => return gone,
            }
        }
        let chunk = [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat();
        stream.write_all(&chunk).await?;
    }
    match reply.ending {
        Ending::CutAt(_) => Ok(Then::Close),
        Ending::HangAt(_) => hung_up(stream).await,
        _ => {
            stream.write_all(b"0\r\n\r\n").await?;
            Ok(Then::GoOn)
        }
    }
}

/// Waits until the client closes the connection, which is always an error.
async fn hung_up(stream: &mut TcpStream) -> io::Result<Then> {
    match stream.read_u8().await {
        Ok(_) => panic!("the client speaks out of turn"),
        Err(error) => Err(error),
    }
}

/// Pieces of so many bytes; else whole events, each with its blank line.
fn pieces(body: &[u8], length: Option<usize>) -> Vec<&[u8]> {
    if let Some(length) = length {
        return body.chunks(length).collect();
    }
    let mut pieces = Vec::new();
    let mut rest = body;
    while let Some(end) = rest.windows(2).position(|two| two == b"\n\n") {
        let (event, after) = rest.split_at(end + 2);
        pieces.push(event);
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(rest);
    }
    pieces
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        402 => "Payment Required",
        403 => "Forbidden",
        404 => "Not Found",
        408 => "Request Timeout",
        413 => "Payload Too Large",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        // 529 has no name, and the services send none.
        _ => "",
    }
}
