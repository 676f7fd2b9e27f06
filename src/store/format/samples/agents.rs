//! Plans, compactions, sub-agents.

use super::*;

pub(super) fn agents() -> Vec<Happening> {
    let agent = AgentId::new("20260101-101010-mnopqr");
    let item = |status, priority| PlanItem {
        text: text("find it"),
        status,
        priority,
    };
    vec![
        Happening::PlanChanged {
            items: vec![
                item(PlanStatus::Pending, Priority::High),
                item(PlanStatus::InProgress, Priority::Medium),
                item(PlanStatus::Completed, Priority::Low),
            ],
        },
        Happening::CompactionEnded {
            compacted: Some(Compacted {
                entry: EntryId(4),
                summary: text("all is well"),
                keeps_from: Some(EntryId(3)),
            }),
            context: 3,
            usage: Usage::default(),
            failure: None,
        },
        Happening::Rewound { to: EntryId(3) },
        Happening::CallJudged {
            call: CallId::new("c2"),
            ruling: Ruling::Deny,
            rule: text("user deny[0]"),
        },
        Happening::CompactionEnded {
            compacted: None,
            context: 9,
            usage: Usage::default(),
            failure: Some(failure(FailureKind::Broken)),
        },
        Happening::AgentStarted {
            agent: agent.clone(),
            call: CallId::new("c2"),
            name: text("explore"),
            task: text("look"),
            background: true,
        },
        Happening::AgentEnded {
            agent,
            outcome: Outcome::Completed,
            text: text("nothing"),
            usage: Usage::default(),
        },
        Happening::ConversationReset,
    ]
}
