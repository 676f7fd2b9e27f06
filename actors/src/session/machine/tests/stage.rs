//! A session in a test, with a short word for each input.

use expect_test::Expect;
use greenroom_protocol::session::{
    CallId, Command, Content, Decision, Document, Millis, SubscriberId, Ticket, Verdict,
};

use crate::ports::{Act, Chunk, Guard, Judgement, ModelAnswer, Ran};
use crate::session::{Effect, Input, Judged, Session, Settings, WorkId};
use crate::testing::{self, FakeGuard};

/// The stage.
pub struct Stage {
    session: Session,
    lines: String,
    tickets: u64,
    work: u64,
}

impl Stage {
    pub fn new() -> Stage {
        Stage::with(|_| ())
    }

    pub fn with(change: impl FnOnce(&mut Settings)) -> Stage {
        let mut settings = testing::settings("S1");
        change(&mut settings);
        let (session, _) = Session::open(settings, Millis(1000));
        Stage {
            session,
            lines: String::new(),
            tickets: 0,
            work: 0,
        }
    }

    pub fn input(&mut self, input: Input) -> &mut Stage {
        for effect in self.session.handle(Millis(1000), input) {
            self.lines += &testing::line(&effect);
            self.lines += "\n";
            if let Effect::CallModel { work, .. } = effect {
                self.work = work.0;
            }
        }
        self
    }

    pub fn ask(&mut self, command: Command) -> &mut Stage {
        self.tickets += 1;
        self.input(Input::Asked {
            by: SubscriberId(1),
            ticket: Ticket(self.tickets),
            command,
        })
    }

    pub fn prompt(&mut self, text: &str) -> &mut Stage {
        self.ask(Command::Prompt(Content::text(text)))
    }

    pub fn says(&mut self, text: &str) -> &mut Stage {
        let work = WorkId(self.work);
        let chunks = vec![Chunk::Text(text.to_owned())];
        self.input(Input::ModelSaid { work, chunks })
    }

    pub fn answers(&mut self, text: &str) -> &mut Stage {
        let work = WorkId(self.work);
        let result = Ok(testing::answer(text));
        self.input(Input::ModelAnswered { work, result })
    }

    /// The same of a provider that does not tell what it read.
    pub fn answers_silently(&mut self, text: &str) -> &mut Stage {
        let work = WorkId(self.work);
        let answer = ModelAnswer {
            usage: None,
            ..testing::answer(text)
        };
        let result = Ok(answer);
        self.input(Input::ModelAnswered { work, result })
    }

    pub fn calls(&mut self, calls: &[(&str, &str)]) -> &mut Stage {
        let work = WorkId(self.work);
        let result = Ok(testing::calls(calls));
        self.input(Input::ModelAnswered { work, result })
    }

    /// The call is planned and judged as the fake guard does.
    pub fn judged(&mut self, call: &str, tool: &str, input: &str) -> &mut Stage {
        let judged = judged(tool, input);
        let call = CallId::new(call);
        let warnings = Some(Vec::new());
        self.input(Input::CallJudged {
            call,
            judged,
            warnings,
        })
    }

    pub fn ran(&mut self, call: &str) -> &mut Stage {
        let ran = Ran {
            text: "ok".to_owned(),
            ..Default::default()
        };
        let call = CallId::new(call);
        self.input(Input::ToolRan { call, ran })
    }

    pub fn decide(&mut self, call: &str, verdict: Verdict) -> &mut Stage {
        self.ask(Command::Decide {
            call: CallId::new(call),
            decision: Decision {
                verdict,
                note: None,
                amendment: None,
            },
        })
    }

    /// From here on effects are compared.
    pub fn mark(&mut self) -> &mut Stage {
        self.lines.clear();
        self
    }

    /// The effects since the mark.
    pub fn taken(&mut self) -> String {
        std::mem::take(&mut self.lines)
    }

    #[track_caller]
    pub fn check(&mut self, expected: Expect) -> &mut Stage {
        expected.assert_eq(&std::mem::take(&mut self.lines));
        self
    }
}

pub fn judged(tool: &str, input: &str) -> Judged {
    let document = Document(input.into());
    match testing::plan(tool, &document) {
        Err(fault) => Judged::Fault(fault),
        Ok(planned) => {
            let act = Act {
                call: &planned,
                named: "auto",
                mode: Default::default(),
                root: Default::default(),
                sub_agent: false,
            };
            let judgement: Judgement = FakeGuard.judge(&act);
            let likeness = FakeGuard.likeness(&act);
            Judged::Planned {
                judgement,
                likeness,
                planned: Box::new(planned),
            }
        }
    }
}
