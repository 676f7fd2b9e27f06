//! The key goes to the service and nowhere else.

use std::io;
use std::sync::{Arc, Mutex};

use greenroom_actors::ports::{Model, ModelError};
use tracing_subscriber::fmt::MakeWriter;

use super::{KEY, Rig, config, prompt, providers, request};
use crate::mock_model::{Answer, Reply, Service, Trouble};

/// Everything that was logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Log;

    fn make_writer(&'a self) -> Log {
        self.clone()
    }
}

/// All that an error shows to anybody.
fn shown(error: &ModelError) -> String {
    format!("{error} {error:?} {error:#?}")
}

// One thread, so that the subscriber sees all that the call does.
#[tokio::test]
async fn the_key_is_in_no_error_and_no_log() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
        .with_writer(log.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    tracing::trace!("the log is on");
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        for trouble in Trouble::ALL {
            rig.mock.push(Reply::trouble(trouble));
            let (_, answer) = rig.ask().await;
            let shown = shown(&answer.unwrap_err());
            assert!(!shown.contains(KEY), "{service:?} {trouble:?}: {shown}");
        }
        // A careless server says the key back within a stream, in a redirect
        // and in what is no HTTP.
        for reply in [
            Reply::stream(format!(
                "data: {{\"type\":\"error\",\"error\":{{\"message\":\"bad key {KEY}\"}}}}\n\n"
            )),
            Reply::stream(format!("data: {KEY}\n\n")),
            Reply::stream("")
                .status(302)
                .header("location", &format!("/?key={KEY}")),
            Reply::stream(format!("who is {KEY}?")).status(400),
            Reply::stream(format!("{{\"error\":\"{KEY}\"}}")).status(403),
            Reply::raw(format!("HTTP/1.1 {KEY}\r\n\r\n")),
            Reply::stream(KEY).header("content-type", "application/json"),
        ] {
            rig.mock.push(reply);
            let (_, answer) = rig.ask().await;
            let shown = shown(&answer.unwrap_err());
            assert!(!shown.contains(KEY), "{service:?}: {shown}");
        }
        rig.mock.push(Reply::answer(Answer::new().say(&["fine"])));
        rig.ask().await.1.unwrap();
        // It was sent each time, so there was something to hide.
        for request in rig.mock.requests() {
            let sent = request
                .headers
                .iter()
                .filter(|(_, value)| value.contains(KEY));
            assert_eq!(sent.count(), 1, "{service:?}");
            assert!(!request.text.contains(KEY), "{service:?}");
        }
    }
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains("the log is on"));
    assert!(!log.contains(KEY), "{log}");
}

/// Quotes are cut to a length: a key on the edge must not be cut in two and
/// then go unrecognised.
#[tokio::test]
async fn no_part_of_the_key_is_left_where_a_long_message_is_cut() {
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        // Around the ends of what is quoted and of what is read at all.
        for before in (0..2_100).step_by(11).chain((65_400..65_536).step_by(11)) {
            let words = "x".repeat(before);
            let body = format!("{{\"error\":{{\"message\":\"{words} {KEY} {words}\"}}}}");
            rig.mock.push(Reply::stream(body).status(400));
            let (_, answer) = rig.ask().await;
            let shown = shown(&answer.unwrap_err());
            let part = &KEY[..12];
            assert!(!shown.contains(part), "{service:?} {before}: {shown}");
        }
    }
}

#[tokio::test]
async fn no_secret_is_in_a_debug_form() {
    for service in Service::ALL {
        let mut config = config(service, "http://me:hunter2hunter2@127.0.0.1:9/v1".into());
        config.headers = vec![("x-auth".into(), "abcdefgh12345".into())];
        let shown = format!("{config:?} {config:#?}");
        for secret in [KEY, "abcdefgh12345", "hunter2hunter2"] {
            assert!(!shown.contains(secret), "{shown}");
        }
        assert!(
            shown.contains("x-auth") && shown.contains("127.0.0.1"),
            "{shown}"
        );
    }
}

#[tokio::test]
async fn a_password_in_the_address_is_not_shown() {
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        let address = rig
            .mock
            .url()
            .replace("http://", "http://me:hunter2hunter2@");
        let url = format!("{address}?token=abcdefgh12345");
        let providers = providers(config(service, url));
        rig.mock.push(Reply::trouble(Trouble::NoSuchModel));
        let ask = || request(vec![prompt(1, "hello")]);
        let (_, answer) = super::call(&providers, ask()).await;
        let mut shown = vec![shown(&answer.unwrap_err())];
        drop(rig);
        let (_, answer) = super::call(&providers, ask()).await;
        shown.push(self::shown(&answer.unwrap_err()));
        for shown in shown {
            assert!(!shown.contains("hunter2hunter2"), "{shown}");
            assert!(!shown.contains("abcdefgh12345"), "{shown}");
        }
    }
}

#[tokio::test]
async fn a_missing_key_is_not_sent_and_its_place_is_told() {
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        let mut config = config(service, rig.mock.url());
        config.key = None;
        let providers = providers(config);
        rig.mock.push(Reply::trouble(Trouble::WrongKey));
        let (_, answer) = super::call(&providers, request(vec![prompt(1, "hello")])).await;
        let error = answer.unwrap_err();
        assert!(error.message.contains("none is set"), "{error}");
        let request = rig.mock.request();
        let key = request
            .header("authorization")
            .or(request.header("x-api-key"));
        assert_eq!(key, None, "{service:?}");
    }
}

#[tokio::test]
async fn a_key_that_cannot_be_sent_is_told_without_being_shown() {
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        let mut config = config(service, rig.mock.url());
        config.key = Some(greenroom::secret::Secret::new(format!("{KEY}\nmore")));
        let providers = providers(config);
        let (sink, _pieces) = tokio::sync::mpsc::channel(16);
        let work = providers.call(request(vec![prompt(1, "hello")]), sink);
        let error = work.await.unwrap_err();
        assert!(!shown(&error).contains(KEY), "{error:?}");
        assert_eq!(rig.mock.requests().len(), 0, "{service:?}");
    }
}
