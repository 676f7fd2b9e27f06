//! How an answer comes, piece by piece.

use greenroom_actors::ports::{Chunk, Model};
use tokio::sync::mpsc;

use super::{Rig, prompt, request, text};
use crate::mock_model::{Answer, Gate, Reply, Service, wait};

#[tokio::test]
async fn a_piece_is_told_as_soon_as_it_comes() {
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        let gate = Gate::closed();
        let words = ["one ", "two ", "three"];
        rig.mock
            .push(Reply::answer(Answer::new().say(&words)).paced(&gate));
        let (sink, mut pieces) = mpsc::channel(16);
        let work = rig.providers.call(request(vec![prompt(1, "hello")]), sink);
        let work = tokio::spawn(work);
        for word in words {
            // Lets event after event through until the word is told: the next
            // one is not sent before.
            let told = loop {
                gate.open(1);
                match wait(pieces.recv(), "a piece").await {
                    Some(Chunk::Alive) => {}
                    other => break other,
                }
            };
            assert_eq!(told, Some(text(word)), "{service:?}");
        }
        gate.open(1000);
        let answer = wait(work, "the answer").await;
        assert_eq!(&*answer.unwrap().unwrap().message.text, "one two three");
    }
}

#[tokio::test]
async fn a_reader_that_is_slow_loses_nothing() {
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        let words: Vec<String> = (0..2000).map(|number| format!("{number} ")).collect();
        let pieces: Vec<&str> = words.iter().map(String::as_str).collect();
        rig.mock.push(Reply::answer(Answer::new().say(&pieces)));
        let (sink, mut chunks) = mpsc::channel(1);
        let work = rig.providers.call(request(vec![prompt(1, "hello")]), sink);
        let work = tokio::spawn(work);
        let mut told = String::new();
        while let Some(chunk) = wait(chunks.recv(), "a piece").await {
            if let Chunk::Text(piece) = chunk {
                told.push_str(&piece);
            }
            tokio::task::yield_now().await;
        }
        assert_eq!(told, words.concat(), "{service:?}");
        let answer = work.await.unwrap().unwrap();
        assert_eq!(*answer.message.text, words.concat(), "{service:?}");
    }
}

#[tokio::test]
async fn signs_of_life_are_told_while_nothing_else_comes() {
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        let gate = Gate::closed();
        let ping = match service {
            Service::OpenAi => ": OPENROUTER PROCESSING\n\n",
            Service::Anthropic => "event: ping\ndata: {\"type\": \"ping\"}\n\n",
        };
        rig.mock.push(Reply::stream(ping.repeat(3)).paced(&gate));
        let (sink, mut pieces) = mpsc::channel(16);
        let work = tokio::spawn(rig.providers.call(request(vec![prompt(1, "hello")]), sink));
        for _ in 0..3 {
            gate.open(1);
            let told = wait(pieces.recv(), "a sign of life").await;
            assert_eq!(told, Some(Chunk::Alive), "{service:?}");
        }
        work.abort();
    }
}

#[tokio::test]
async fn pieces_of_a_call_s_input_are_signs_of_life() {
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        let gate = Gate::closed();
        let answer = Answer::new().call("c1", "write_file", &["{", "\"a\"", ":1}"]);
        let events = String::from_utf8(service.stream(&answer)).unwrap();
        let events = events.matches("\n\n").count();
        rig.mock.push(Reply::answer(answer).paced(&gate));
        let (sink, mut pieces) = mpsc::channel(16);
        let work = tokio::spawn(rig.providers.call(request(vec![prompt(1, "hello")]), sink));
        let mut drafted = 0;
        // All but the last event, after which nothing need be told.
        for _ in 1..events {
            gate.open(1);
            match wait(pieces.recv(), "a piece").await {
                Some(Chunk::Alive) => {}
                Some(Chunk::CallDrafted(tool)) if &*tool == "write_file" => drafted += 1,
                other => panic!("{service:?}: {other:?}"),
            }
        }
        gate.open(1);
        wait(work, "the answer").await.unwrap().unwrap();
        assert_eq!(drafted, 1, "{service:?}");
    }
}

#[tokio::test]
async fn an_answer_does_not_wait_for_the_connection_s_end() {
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        let answer = Answer::new().say(&["done"]);
        let all = service.stream(&answer).len();
        rig.mock.push(Reply::answer(answer).hang_at(all));
        let (chunks, answer) = rig.ask().await;
        assert_eq!(chunks, [text("done")], "{service:?}");
        assert_eq!(&*answer.unwrap().message.text, "done", "{service:?}");
        rig.mock.hung_up(1).await;
    }
}

#[tokio::test]
async fn a_body_without_a_length_ends_with_its_connection() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        let stream = service.stream(&Answer::new().say(&["done"]));
        let cut = &stream[..stream.len() / 2];
        rig.mock
            .push(Reply::raw([head.as_bytes(), &stream].concat()));
        rig.mock.push(Reply::raw([head.as_bytes(), cut].concat()));
        let (_, answer) = rig.ask().await;
        assert_eq!(&*answer.unwrap().message.text, "done", "{service:?}");
        let (_, answer) = rig.ask().await;
        assert!(answer.unwrap_err().retryable, "{service:?}");
    }
}

#[tokio::test]
async fn calls_side_by_side_do_not_mix() {
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        let gate = Gate::closed();
        let mut calls = Vec::new();
        for number in 0..20 {
            let word = format!("w{number} ");
            let pieces = vec![word.as_str(); 30];
            rig.mock
                .push(Reply::answer(Answer::new().say(&pieces)).paced(&gate));
            let (sink, mut pieces) = mpsc::channel(4);
            let work = rig.providers.call(request(vec![prompt(1, "hello")]), sink);
            calls.push(tokio::spawn(async move {
                let drain = async { while pieces.recv().await.is_some() {} };
                tokio::join!(work, drain).0
            }));
        }
        rig.mock.asked(20).await;
        gate.open(20 * 100);
        let mut told = Vec::new();
        for call in calls {
            let answer = wait(call, "an answer").await.unwrap().unwrap();
            told.push(answer.message.text.to_string());
        }
        let mut expected: Vec<String> = (0..20).map(|n| format!("w{n} ").repeat(30)).collect();
        told.sort();
        expected.sort();
        assert_eq!(told, expected, "{service:?}");
    }
}
