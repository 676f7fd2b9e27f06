use tokio::sync::mpsc;

use super::*;

fn session(name: &str) -> SessionId {
    SessionId::new(name)
}

/// A server that takes so many requests in each second, and refuses the others.
struct Server {
    per_second: usize,
    start: Instant,
    taken: Vec<usize>,
}

impl Server {
    fn ask(&mut self) -> Result<(), Duration> {
        let since = self.start.elapsed();
        let second = since.as_secs() as usize;
        self.taken.resize(self.taken.len().max(second + 1), 0);
        if self.taken[second] < self.per_second {
            self.taken[second] += 1;
            return Ok(());
        }
        Err(Duration::from_secs(second as u64 + 1) - since)
    }
}

#[tokio::test(start_paused = true)]
async fn a_hundred_sessions_keep_a_limit_of_ten_a_second_in_turn() {
    let gate = Arc::new(Gate::default());
    let server = Arc::new(Mutex::new(Server {
        per_second: 10,
        start: Instant::now(),
        taken: Vec::new(),
    }));
    let served = Arc::new(Mutex::new(Vec::new()));
    let mut all = tokio::task::JoinSet::new();
    for number in 0..100 {
        let (gate, server, served) = (gate.clone(), server.clone(), served.clone());
        all.spawn(async move {
            let name = session(&format!("S{number}"));
            let mut refusals = 0;
            for _ in 0..3 {
                loop {
                    let (sink, _pieces) = mpsc::channel(8);
                    gate.pass(&name, 0, &sink).await.unwrap();
                    let asked = server.lock().unwrap().ask();
                    match asked {
                        Ok(()) => break gate.taken(&HeaderMap::new()),
                        Err(after) => {
                            refusals += 1;
                            gate.refused(Some(after));
                            tokio::time::sleep(after).await;
                        }
                    }
                }
                served.lock().unwrap().push(number);
            }
            refusals
        });
    }
    let mut most = 0;
    while let Some(refusals) = all.join_next().await {
        most = most.max(refusals.unwrap());
    }
    assert!(most < 5, "a turn would have failed: {most} refusals");
    let seconds = server.lock().unwrap().taken.len();
    assert!(seconds <= 45, "300 requests took {seconds} s, 30 would do");
    // Nobody has had three turns before all had one.
    let served = served.lock().unwrap();
    let first_third: std::collections::BTreeSet<_> = served.iter().take(150).collect();
    assert!(first_third.len() >= 95, "{}", first_third.len());
}

#[tokio::test(start_paused = true)]
async fn parents_go_before_their_children_and_the_refusal_holds_for_all() {
    let gate = Arc::new(Gate::default());
    gate.refused(Some(Duration::from_secs(3)));
    let start = Instant::now();
    let order = Arc::new(Mutex::new(Vec::new()));
    let mut all = tokio::task::JoinSet::new();
    for (name, depth) in [("grandchild", 2), ("child", 1), ("parent", 0)] {
        let (gate, order) = (gate.clone(), order.clone());
        all.spawn(async move {
            let (sink, mut pieces) = mpsc::channel(8);
            gate.pass(&session(name), depth, &sink).await.unwrap();
            order.lock().unwrap().push(name);
            assert!(matches!(pieces.try_recv(), Ok(Chunk::Throttled { .. })));
            assert_eq!(pieces.try_recv(), Ok(Chunk::Admitted));
        });
        tokio::task::yield_now().await;
    }
    while let Some(done) = all.join_next().await {
        done.unwrap();
    }
    assert_eq!(*order.lock().unwrap(), ["parent", "child", "grandchild"]);
    assert!(start.elapsed() >= Duration::from_secs(3));
}

#[tokio::test(start_paused = true)]
async fn who_gives_up_leaves_the_line() {
    let gate = Arc::new(Gate::default());
    gate.refused(Some(Duration::from_secs(3)));
    let (sink, _pieces) = mpsc::channel(8);
    let one = session("one");
    let waits = tokio::time::timeout(Duration::from_secs(1), gate.pass(&one, 0, &sink));
    assert!(waits.await.is_err());
    assert_eq!(gate.lock().line.len(), 0);
    assert!(gate.pass(&session("two"), 0, &sink).await.is_ok());
}

#[test]
fn one_key_has_one_gate() {
    let governor = Governor::default();
    let one = governor.gate("https://a", Some("k"));
    assert!(Arc::ptr_eq(&one, &governor.gate("https://a", Some("k"))));
    assert!(!Arc::ptr_eq(&one, &governor.gate("https://a", Some("l"))));
    assert!(!Arc::ptr_eq(&one, &governor.gate("https://b", Some("k"))));
}
