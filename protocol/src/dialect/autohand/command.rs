//! Lines of the client: what they ask for.

use crate::session::{CallId, Command, Content, Decision, Mention, Part, Scope, Verdict};
use crate::wire::{
    Asked, Commands, LineFault, Object, ReadCommand, Unfit, UnknownName, Unread, read_answers,
    read_images, shorten,
};

/// Stands for a command's name that could not be read.
const NAMELESS: &str = "parse";

/// The answer to a line that is no text.
pub(super) fn unreadable(fault: LineFault) -> Unread {
    let error = match fault {
        LineFault::TooLong { limit } => {
            format!("Invalid JSON: the line is longer than {limit} bytes")
        }
        LineFault::NotUtf8 => "Invalid JSON: the line is not UTF-8".to_owned(),
    };
    Unread::nameless(None, NAMELESS, error)
}

/// All fields that any command has.
const FIELDS: &[&str] = &[
    "id",
    "type",
    "message",
    "mentions",
    "context",
    "images",
    "limit",
    "requestId",
    "approve",
    "allowed",
    "decision",
    "note",
    "answer",
    "answers",
];

const COMMANDS: Commands = Commands {
    known: KNOWN,
    nameless: NAMELESS,
    unknown,
};

const KNOWN: &[(&str, ReadCommand)] = &[
    ("prompt", prompt),
    ("abort", |_| Ok(Command::Abort)),
    ("reset", |_| Ok(Command::Reset)),
    ("get_state", |_| Ok(Command::GetState)),
    ("get_messages", get_messages),
    ("permission_response", permission_response),
    ("question_response", question_response),
];

/// Commands of the peer's page, the planned ones included, that have no answer
/// here yet.
const NOT_YET: &[&str] = &[
    "get_history",
    "automode_start",
    "automode_status",
    "automode_pause",
    "automode_resume",
    "automode_cancel",
    "automode_get_log",
    "get_skills_registry",
    "install_skill",
    "mcp_list_servers",
    "mcp_list_tools",
    "mcp_get_server_configs",
    "mcp_set_vscode_tools",
    "mcp_invoke_response",
    "plan_mode_set",
    "yolo_set",
    "changes_decision",
    "set_model",
    "cycle_model",
    "get_available_models",
    "set_thinking_level",
    "cycle_thinking_level",
    "compact",
    "set_auto_compaction",
];

/// More mentions in one prompt than this are refused.
const MOST_MENTIONS: usize = 1000;
/// Reads one line. Whatever is wrong with it, it gets exactly one answer.
pub(super) fn read(line: &str) -> Result<(Asked, Command), Unread> {
    let fields = Object::read(line, FIELDS)
        .map_err(|error| Unread::nameless(None, NAMELESS, format!("Invalid JSON: {error}")))?;
    COMMANDS.read(&fields)
}

fn unknown(given: &str) -> String {
    if NOT_YET.contains(&given) {
        format!("not supported yet: {given}")
    } else {
        format!("Unknown command: {}", shorten(given))
    }
}

/// Mentions come before the message, as the model should read them; `context`
/// is the SDKs' place for them. With pictures the message may be left out.
fn prompt(fields: &Object<'_>) -> Result<Command, Unfit> {
    let mut paths = fields
        .list_of_names("mentions", MOST_MENTIONS)?
        .unwrap_or_default();
    if let Some(context) = fields.object("context", &["files"])? {
        paths.extend(
            context
                .list_of_names("files", MOST_MENTIONS)?
                .unwrap_or_default(),
        );
    }
    let images = read_images(fields, "images")?;
    let message = match fields.text("message")? {
        None if images.is_empty() => fields.need_text("message").map(Some)?,
        message => message,
    };
    let mention = |path| Part::Mention(Mention { path, lines: None });
    let mut parts: Vec<Part> = paths.into_iter().map(mention).collect();
    let message = message.filter(|message| !message.is_empty());
    parts.extend(message.map(Part::Text));
    parts.extend(images.into_iter().map(Part::Image));
    Ok(Command::Prompt(Content { parts }))
}

fn get_messages(fields: &Object<'_>) -> Result<Command, Unfit> {
    let limit = fields.number("limit")?;
    let limit = limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(Command::GetMessages { limit })
}

/// `approve` is the page's field, `allowed` and `decision` are the SDKs'. A
/// decision that nobody knows is refused: it must never count as one.
fn permission_response(fields: &Object<'_>) -> Result<Command, Unfit> {
    let call = CallId::new(fields.need_name("requestId")?);
    let verdict = match fields.string("decision")? {
        Some(name) => verdict(&name)?,
        None => {
            let allow = match fields.flag("allowed")? {
                Some(allowed) => allowed,
                None => fields.need_flag("approve")?,
            };
            if allow {
                Verdict::Allow(Scope::Once)
            } else {
                Verdict::Deny(Scope::Once)
            }
        }
    };
    let decision = Decision {
        verdict,
        note: fields.text("note")?.filter(|note| !note.is_empty()),
        amendment: None,
    };
    Ok(Command::Decide { call, decision })
}

/// The wire's names of decisions, in the order in which they are offered.
pub(super) const DECISIONS: [(&str, Verdict); 8] = [
    ("allow_once", Verdict::Allow(Scope::Once)),
    ("deny_once", Verdict::Deny(Scope::Once)),
    ("allow_session", Verdict::Allow(Scope::Session)),
    ("deny_session", Verdict::Deny(Scope::Session)),
    ("allow_always_project", Verdict::Allow(Scope::Project)),
    ("deny_always_project", Verdict::Deny(Scope::Project)),
    ("allow_always_user", Verdict::Allow(Scope::User)),
    ("deny_always_user", Verdict::Deny(Scope::User)),
];

fn verdict(name: &str) -> Result<Verdict, UnknownName> {
    match DECISIONS.iter().find(|(known, _)| *known == name) {
        Some((_, verdict)) => Ok(*verdict),
        None => Err(UnknownName::new(
            "decision",
            name,
            DECISIONS.map(|(known, _)| known),
        )),
    }
}

/// An extension: the page has no word for questions. `answer` is for the first
/// one, `answers` for several: `[{"id":"q0","answer":"…"}]`.
fn question_response(fields: &Object<'_>) -> Result<Command, Unfit> {
    let call = CallId::new(fields.need_name("requestId")?);
    let answers = read_answers(fields, "answer", &["id", "answer"])?;
    Ok(Command::Reply { call, answers })
}
