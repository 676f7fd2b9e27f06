//! Calls that are dropped, and servers that hang.

use greenroom_actors::ports::{Chunk, Model};
use tokio::sync::mpsc;

use super::{Rig, prompt, request, text};
use crate::mock_model::{Answer, Gate, Reply, Service, wait};

#[tokio::test]
async fn dropping_a_call_closes_its_connection() {
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        let gate = Gate::closed();
        let replies = [
            Reply::hang_before_headers(),
            Reply::hang_after_headers(),
            Reply::answer(Answer::new().say(&["one", "two"])).paced(&gate),
        ];
        for (number, reply) in replies.into_iter().enumerate() {
            rig.mock.push(reply);
            let (sink, _pieces) = mpsc::channel(16);
            let work = rig.providers.call(request(vec![prompt(1, "hello")]), sink);
            let work = tokio::spawn(work);
            rig.mock.asked(number + 1).await;
            work.abort();
            assert!(
                work.await.unwrap_err().is_cancelled(),
                "{service:?} {number}"
            );
            rig.mock.hung_up(number + 1).await;
        }
    }
}

#[tokio::test]
async fn dropping_a_call_in_the_middle_of_its_text_closes_its_connection() {
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        let whole = service.stream(&Answer::new().say(&["one", "two"]));
        let at = whole.windows(3).position(|part| part == b"two").unwrap() + 1;
        rig.mock
            .push(Reply::answer(Answer::new().say(&["one", "two"])).hang_at(at));
        let (sink, mut pieces) = mpsc::channel(16);
        let work = rig.providers.call(request(vec![prompt(1, "hello")]), sink);
        let work = tokio::spawn(work);
        loop {
            match wait(pieces.recv(), "the first word").await {
                Some(Chunk::Alive) => {}
                other => break assert_eq!(other, Some(text("one")), "{service:?}"),
            }
        }
        work.abort();
        rig.mock.hung_up(1).await;
    }
}

#[tokio::test]
async fn a_call_that_nobody_listens_to_ends() {
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        rig.mock.push(Reply::hang_after_headers());
        let (sink, pieces) = mpsc::channel(16);
        let work = rig.providers.call(request(vec![prompt(1, "hello")]), sink);
        let work = tokio::spawn(work);
        rig.mock.asked(1).await;
        drop(pieces);
        let ended = wait(work, "the end of the call").await.unwrap();
        assert!(!ended.unwrap_err().retryable, "{service:?}");
        rig.mock.hung_up(1).await;
    }
}

#[tokio::test]
async fn an_error_whose_body_never_ends_can_be_dropped() {
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        rig.mock
            .push(Reply::stream("{\"error\":").status(500).hang_at(5));
        let (sink, _pieces) = mpsc::channel(16);
        let work = rig.providers.call(request(vec![prompt(1, "hello")]), sink);
        let work = tokio::spawn(work);
        rig.mock.asked(1).await;
        work.abort();
        rig.mock.hung_up(1).await;
    }
}

#[tokio::test]
async fn the_next_call_works_after_a_dropped_one() {
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        rig.mock.push(Reply::hang_after_headers());
        rig.mock.push(Reply::text("here"));
        let (sink, _pieces) = mpsc::channel(16);
        let work = tokio::spawn(rig.providers.call(request(vec![prompt(1, "hello")]), sink));
        rig.mock.asked(1).await;
        work.abort();
        rig.mock.hung_up(1).await;
        let (_, answer) = rig.ask().await;
        assert_eq!(&*answer.unwrap().message.text, "here", "{service:?}");
    }
}
