//! Very long input lines.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tokio::time::Instant;

use super::figure::Figure;
use super::frame::{Frame, kind};
use super::host::{Host, PATIENCE};
use super::samples::Samples;
use super::site::Site;
use super::trouble::Trouble;

const LINE_BYTES: usize = 32 << 20;
const BAR_MS: f64 = 300.0;
const BAR_MEMORY: f64 = 3.0;

/// One kind of line.
struct Case {
    names: [&'static str; 2],
    what: &'static str,
    note: &'static str,
    /// The line, its line feed included.
    line: Vec<u8>,
    /// Whether it is taken, and makes a turn.
    is_prompt: bool,
}

/// A line of 32 MiB that is no command, one that is a long prompt, and one
/// with a picture.
pub(super) fn measure(site: &Site, figures: &mut Vec<Figure>) -> Result<(), Trouble> {
    let runs = site.pick(1, 3);
    for case in [unknown(), prompt(), image()?] {
        let mut times = Samples::default();
        let mut peak = 0;
        for _ in 0..runs {
            site.check()?;
            let (time, memory) = send(site, &case)?;
            times.add(time);
            peak = peak.max(memory);
        }
        let [time_name, memory_name] = case.names;
        let what = case.what;
        let time = Figure::new(
            time_name,
            format!("{what}: answered in, p50"),
            times.p50(),
            "ms",
        );
        figures.push(time.at_most(BAR_MS).runs(runs).note(case.note));
        let ratio = peak as f64 / case.line.len() as f64;
        let memory = Figure::new(
            memory_name,
            format!("{what}: peak memory / line"),
            ratio,
            "x",
        );
        figures.push(memory.at_most(BAR_MEMORY).runs(runs));
    }
    Ok(())
}

/// Sends the line to a new process. Returns the time to its answer, and the
/// peak of the process's memory up to the end of the turn that it made.
fn send(site: &Site, case: &Case) -> Result<(std::time::Duration, u64), Trouble> {
    let home = site.home(case.names[0]);
    let script = site.plain_script();
    let flags = ["--script", script.to_str().unwrap_or_default()];
    let (mut host, _) = Host::greeted(site.session(&home, &flags), &site.stop)?;
    let line = case.line.clone();
    let began = Instant::now();
    let deadline = began + PATIENCE;
    let writing = host.begin_sending(line)?;
    let taken = loop {
        let line = host.need_line("the answer to a long line", deadline)?;
        if kind(line) == b"response" {
            break Frame::read(line).and_then(|frame| frame.ok);
        }
    };
    let time = began.elapsed();
    host.end_sending(writing)?;
    if taken != Some(case.is_prompt) {
        let what = format!("{} was answered with {taken:?}", case.what);
        return Err(Trouble::broken(what));
    }
    if case.is_prompt {
        host.turn_ends("ok")?;
    }
    let peak = host.process().peak_memory()?;
    host.finish()?;
    std::fs::remove_dir_all(home).map_err(Trouble::unmeasured)?;
    Ok((time, peak))
}

fn unknown() -> Case {
    let head = r#"{"id":1,"type":"no_such_command","text":""#;
    Case {
        names: ["line.unknown.time", "line.unknown.memory"],
        what: "32 MiB line, no known command",
        note: "",
        line: line(head, b"a long line ", "\"}\n"),
        is_prompt: false,
    }
}

fn prompt() -> Case {
    let head = r#"{"id":1,"type":"prompt","text":""#;
    Case {
        names: ["line.prompt.time", "line.prompt.memory"],
        what: "32 MiB line, a prompt",
        note: "answered when it is on the disk",
        line: line(head, br#"a line of a log, and \"more\"\n"#, "\"}\n"),
        is_prompt: true,
    }
}

fn image() -> Result<Case, Trouble> {
    let head = r#"{"id":1,"type":"prompt","text":"look","images":[{"data":""#;
    let tail = "\"}]}\n";
    let room = (LINE_BYTES - head.len() - tail.len()) / 4 * 3;
    let mut line = head.as_bytes().to_vec();
    line.extend_from_slice(STANDARD.encode(picture(room)?).as_bytes());
    line.extend_from_slice(tail.as_bytes());
    Ok(Case {
        names: ["line.image.time", "line.image.memory"],
        what: "32 MiB line, a prompt with a picture",
        note: "a small picture in a large file",
        line,
        is_prompt: true,
    })
}

/// A line of the whole length, filled with a text that is JSON as it is.
fn line(head: &str, text: &[u8], tail: &str) -> Vec<u8> {
    let count = (LINE_BYTES - head.len() - tail.len()) / text.len();
    [head.as_bytes(), &text.repeat(count), tail.as_bytes()].concat()
}

/// A PNG of this many bytes, and no more to it than its bytes: most of them
/// are a chunk that readers skip.
fn picture(bytes: usize) -> Result<Vec<u8>, Trouble> {
    const HEADER_BYTES: usize = 33;
    const CHUNK_FRAME: usize = 12;
    let mut small = std::io::Cursor::new(Vec::new());
    image::RgbImage::new(8, 8)
        .write_to(&mut small, image::ImageFormat::Png)
        .map_err(Trouble::unmeasured)?;
    let mut picture = small.into_inner();
    let room = bytes.saturating_sub(picture.len() + CHUNK_FRAME);
    let mut chunk = b"prVt".to_vec();
    chunk.extend(std::iter::repeat_with(|| fastrand::u8(..)).take(room));
    let sum = crc32fast::hash(&chunk).to_be_bytes();
    let length = u32::try_from(room).map_err(Trouble::unmeasured)?;
    let whole = [&length.to_be_bytes(), chunk.as_slice(), &sum].concat();
    picture.splice(HEADER_BYTES..HEADER_BYTES, whole);
    Ok(picture)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_length_and_are_json() {
        for case in [unknown(), prompt(), image().unwrap()] {
            let missing = LINE_BYTES - case.line.len();
            assert!(missing < 64, "{}: {missing}", case.what);
            let parsed: serde_json::Value = serde_json::from_slice(&case.line).unwrap();
            assert_eq!(parsed["id"], 1, "{}", case.what);
        }
    }

    #[test]
    fn the_picture_is_one() {
        let picture = picture(100_000).unwrap();
        assert_eq!(picture.len(), 100_000);
        let image = image::load_from_memory(&picture).unwrap();
        assert_eq!((image.width(), image.height()), (8, 8));
    }
}
