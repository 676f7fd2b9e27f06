use std::io::Write;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use tracing::subscriber::with_default;

use super::*;
use crate::config::LogFilter;
use crate::redact::{Known, Tally};
use crate::secret::Secret;

/// More than any of these needs, on a machine under load.
const LONG: Duration = Duration::from_secs(20);

/// Keeps what is written.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Kept {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Says that it writes, and stays in it until it is let go.
struct Stuck {
    entered: Sender<()>,
    go: Receiver<()>,
    kept: Kept,
}

impl Write for Stuck {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.entered.send(());
        let _ = self.go.recv();
        self.kept.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A standard error that is closed.
struct Closed;

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }
    fn flush(&mut self) -> io::Result<()> {
        Err(io::ErrorKind::BrokenPipe.into())
    }
}

fn logged(level: &str, format: LogFormat, act: impl FnOnce()) -> String {
    let kept = Kept::default();
    let queue = Arc::new(Queue::new(Box::new(kept.clone()), left_out_line(format)));
    let settings = LogSettings {
        level: LogFilter::parse(level).unwrap(),
        format,
    };
    with_default(subscriber(&settings, Writer(queue.clone())), act);
    queue.flush(LONG);
    kept.text()
}

fn text_queue(writer: impl Write + Send + 'static) -> Queue {
    Queue::new(Box::new(writer), left_out_line(LogFormat::Text))
}

fn say_all() {
    tracing::error!(target: "greenroom::a", code = 7, "an error");
    tracing::warn!(target: "greenroom::b", "a warning");
    tracing::info!(target: "greenroom::c", "an info");
    tracing::debug!(target: "ractor::x", "chatter");
    tracing::warn!(target: "ractor::x", "an actor's warning");
}

/// The lines without their times.
fn without_times(text: &str) -> Vec<&str> {
    text.lines()
        .map(|line| line.split_once("Z ").unwrap().1.trim_start())
        .collect()
}

#[test]
fn levels_choose_the_lines() {
    let text = logged("warn", LogFormat::Text, say_all);
    let expected = [
        "ERROR greenroom::a: an error code=7",
        "WARN greenroom::b: a warning",
        "WARN ractor::x: an actor's warning",
    ];
    assert_eq!(without_times(&text), expected);
    let text = logged("trace", LogFormat::Text, say_all);
    assert!(
        text.contains("an info") && !text.contains("chatter"),
        "{text}"
    );
    let text = logged("off,ractor=debug", LogFormat::Text, say_all);
    let expected = [
        "DEBUG ractor::x: chatter",
        "WARN ractor::x: an actor's warning",
    ];
    assert_eq!(without_times(&text), expected);
    assert_eq!(logged("off", LogFormat::Text, say_all), "");
}

#[test]
fn text_is_plain_and_json_is_json() {
    let text = logged("error", LogFormat::Text, || {
        tracing::error!("an escape \u{1b}[31m is shown, not sent");
    });
    assert!(!text.contains('\u{1b}'), "{text}");
    let json = logged("error", LogFormat::Json, say_all);
    let line: serde_json::Value = serde_json::from_str(json.trim_end()).unwrap();
    assert_eq!(line["level"], "ERROR");
    assert_eq!(line["target"], "greenroom::a");
    assert_eq!(line["fields"]["message"], "an error");
    assert_eq!(line["fields"]["code"], 7);
}

#[test]
fn a_closed_standard_error_does_no_harm() {
    let queue = Arc::new(text_queue(Closed));
    let settings = LogSettings::default();
    with_default(subscriber(&settings, Writer(queue.clone())), say_all);
    queue.flush(LONG);
}

#[test]
fn a_reader_that_does_not_read_holds_nobody_up() {
    let (entered, has_entered) = channel();
    let (let_go, go) = channel();
    let kept = Kept::default();
    let queue = text_queue(Stuck {
        entered,
        go,
        kept: kept.clone(),
    });
    queue.push(b"first\n");
    has_entered.recv_timeout(LONG).unwrap();
    let line = [b'x'; 1024];
    for _ in 0..(queue::MOST_BYTES / line.len()) + 5 {
        queue.push(&line);
    }
    // Gives up, since nothing moves.
    queue.flush(Duration::from_millis(1));
    drop(let_go);
    queue.flush(LONG);
    let text = kept.text();
    assert!(text.starts_with("first\n"));
    assert_eq!(text.matches('x').count(), queue::MOST_BYTES);
    assert!(
        text.contains("5 log lines were left out"),
        "{}",
        &text[text.len() - 200..]
    );
}

#[test]
fn nothing_is_waited_for_when_nothing_was_logged() {
    // It would hang here, since no thread ever comes.
    text_queue(Closed).flush(Duration::from_secs(24 * 3600));
}

#[test]
fn lines_left_out_are_told_in_the_form_of_the_others() {
    let text = left_out_line(LogFormat::Text)(3);
    assert_eq!(
        text,
        " WARN greenroom: 3 log lines were left out: nobody reads fast enough\n"
    );
    let json = left_out_line(LogFormat::Json)(3);
    let line: serde_json::Value = serde_json::from_str(json.trim_end()).unwrap();
    assert_eq!(line["fields"]["count"], 3);
}

/// What is logged by an act, with these values known as secrets.
fn logged_without(secrets: &[&str], format: LogFormat, act: impl FnOnce()) -> String {
    let kept = Kept::default();
    let known: Vec<Known> = secrets
        .iter()
        .map(|secret| Known::new("house key", Secret::new((*secret).to_owned())))
        .collect();
    let make = Box::new(move || Redactor::only_known(known));
    let writer = Redacting::new(kept.clone(), make);
    let queue = Arc::new(Queue::new(Box::new(writer), left_out_line(format)));
    let settings = LogSettings {
        level: LogFilter::parse("info").unwrap(),
        format,
    };
    with_default(subscriber(&settings, Writer(queue.clone())), act);
    queue.flush(LONG);
    kept.text()
}

#[test]
fn known_secrets_stay_out_of_every_line() {
    let plain = "hunter2-hunter2";
    let odd = "a\"b\\c/d\nsesame";
    let encoded = "aHVudGVyMi1odW50ZXIy";
    let act = || {
        tracing::warn!(key = plain, "no");
        tracing::warn!("the key {plain} in a message");
        tracing::warn!(key = odd, shown = %odd, deep = ?Some(odd), "{odd}");
        tracing::warn!(header = encoded, count = 3, "the last");
        let span = tracing::info_span!("call", key = plain);
        let _entered = span.enter();
        tracing::info!("in a span");
    };
    for format in [LogFormat::Text, LogFormat::Json] {
        let text = logged_without(&[plain, odd], format, act);
        for part in [plain, "sesame", encoded] {
            assert!(!text.contains(part), "{part} in {text}");
        }
        assert!(text.matches("[redacted: house key]").count() >= 7, "{text}");
        assert!(
            text.contains("the last") && text.contains("in a span"),
            "{text}"
        );
        if let LogFormat::Json = format {
            let lines = text.lines().map(serde_json::from_str::<serde_json::Value>);
            let lines: Vec<_> = lines.map(Result::unwrap).collect();
            assert_eq!(lines.len(), 5);
            assert_eq!(lines[0]["fields"]["key"], "[redacted: house key]");
            assert_eq!(lines[3]["fields"]["count"], 3);
        }
    }
}

/// Lines hold times and names that a guess at shapes might take for secrets.
#[test]
fn what_is_not_known_is_logged_as_it_is() {
    let shaped = format!("ghp_{}", "0123456789abcdefghijABCDEFGHIJ012345");
    let guessed = Redactor::default()
        .redact(&shaped, &mut Tally::default())
        .into_owned();
    assert_ne!(guessed, shaped);
    let text = logged_without(&["hunter2-hunter2"], LogFormat::Text, || {
        tracing::warn!("{shaped}");
    });
    assert!(text.contains(&shaped), "{text}");
}

#[test]
fn no_redactor_is_made_when_nothing_is_logged() {
    let make = Box::new(|| panic!("nothing was logged"));
    let queue = text_queue(Redacting::new(Kept::default(), make));
    queue.flush(Duration::from_secs(24 * 3600));
}
