//! A server that speaks as the services of model providers do, byte for byte:
//! OpenAI chat completions and Anthropic messages, with their headers, their
//! event streams and their errors. It listens on the loopback only.
//!
//! A test pushes one [`Reply`] a request and then reads what was asked:
//!
//! ```ignore
//! let mock = MockModel::start().await;
//! mock.push(Reply::text("hi"));
//! // … a provider with `base_url: mock.url()` is called …
//! assert_eq!(mock.requests()[0].body["stream"], true);
//! ```
//!
//! The path of a request tells which service is meant, so one reply serves both
//! wires. Time never passes by itself here: a slow stream is paced by a
//! [`Gate`] that the test opens.

mod answer;
mod anthropic;
mod errors;
mod gate;
mod openai;
mod reply;
mod request;
mod server;

pub use answer::{Answer, Tokens};
pub use errors::Trouble;
pub use gate::Gate;
pub use reply::Reply;
pub use request::Request;

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// How long a test waits for what must come. Long, because machines under load
/// are slow; a test that works never waits for it.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Which service is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    OpenAi,
    Anthropic,
}

impl Service {
    pub const ALL: [Service; 2] = [Service::OpenAi, Service::Anthropic];

    /// The bytes of an answer's event stream.
    pub fn stream(self, answer: &Answer) -> Vec<u8> {
        match self {
            Service::OpenAi => openai::stream(answer),
            Service::Anthropic => anthropic::stream(answer),
        }
    }

    fn of_path(path: &str) -> Service {
        match path.ends_with("/messages") {
            true => Service::Anthropic,
            false => Service::OpenAi,
        }
    }
}

/// The server. It ends, with all its connections, when it is dropped.
pub struct MockModel {
    shared: Arc<Shared>,
    address: SocketAddr,
    serving: JoinHandle<()>,
}

struct Shared {
    replies: Mutex<VecDeque<Reply>>,
    requests: watch::Sender<Vec<Request>>,
    connections: watch::Sender<usize>,
    hang_ups: watch::Sender<usize>,
}

impl MockModel {
    /// Starts one on a free port.
    pub async fn start() -> MockModel {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            replies: Mutex::default(),
            requests: watch::Sender::default(),
            connections: watch::Sender::default(),
            hang_ups: watch::Sender::default(),
        });
        let serving = tokio::spawn(server::serve(listener, shared.clone()));
        MockModel {
            shared,
            address,
            serving,
        }
    }

    /// The `base_url` for a provider, of either wire.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Answers the next request that has no reply yet. A request without one
    /// gets status 418.
    pub fn push(&self, reply: Reply) {
        self.shared.replies.lock().unwrap().push_back(reply);
    }

    /// All requests so far.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.requests.borrow().clone()
    }

    /// The only request so far.
    pub fn request(&self) -> Request {
        let requests = self.requests();
        assert_eq!(requests.len(), 1, "one request");
        requests.into_iter().next().unwrap()
    }

    /// Waits until so many requests have come.
    pub async fn asked(&self, count: usize) {
        let mut requests = self.shared.requests.subscribe();
        let asked = requests.wait_for(|requests| requests.len() >= count);
        wait(asked, "a request").await.unwrap();
    }

    /// How many connections were opened so far.
    pub fn connections(&self) -> usize {
        *self.shared.connections.borrow()
    }

    /// Waits until the client has closed so many connections in the middle of
    /// a reply.
    pub async fn hung_up(&self, count: usize) {
        let mut hang_ups = self.shared.hang_ups.subscribe();
        let closed = hang_ups.wait_for(|closed| *closed >= count);
        wait(closed, "the client to hang up").await.unwrap();
    }
}

impl Drop for MockModel {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// Waits for what must come.
pub async fn wait<T>(work: impl Future<Output = T>, what: &str) -> T {
    match tokio::time::timeout(PATIENCE, work).await {
        Ok(came) => came,
        Err(_) => panic!("waited {PATIENCE:?} for {what}"),
    }
}
