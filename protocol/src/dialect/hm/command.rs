//! Lines of the client: what they ask for.

use crate::session::{
    AgentId, AgentOrder, Amendment, CallId, Command, Content, Decision, Effort, EntryId,
    ExportFormat, ExportRequest, FileEdit, Mode, ModelChange, Part, Scope, Text, Verdict,
};
use crate::wire::{
    Asked, Commands, LineFault, NotAnObject, Object, RawId, ReadCommand, Unfit, UnknownName,
    Unread, read_answers, read_images, shorten,
};

/// Stands for a command's name that could not be read.
const NAMELESS: &str = "";

/// The answer to a line that is no text.
pub(super) fn unreadable(fault: LineFault) -> Unread {
    let error = match fault {
        LineFault::TooLong { limit } => format!("line too long (at most {limit} bytes)"),
        LineFault::NotUtf8 => "not a JSON object: the line is not UTF-8".to_owned(),
    };
    Unread::nameless(Some(RawId::null()), NAMELESS, error)
}

/// All fields that any command has.
const FIELDS: &[&str] = &[
    "id",
    "type",
    "text",
    "images",
    "call_id",
    "allow",
    "for_session",
    "note",
    "edits",
    "answers",
    "mode",
    "provider",
    "model",
    "effort",
    "focus",
    "all",
    "entry",
    "format",
    "path",
    "all_branches",
    "grant",
    "agent",
    "limit",
];

const COMMANDS: Commands = Commands {
    known: KNOWN,
    nameless: NAMELESS,
    unknown: |given| format!("unknown command {:?}", shorten(given)),
};

const KNOWN: &[(&str, ReadCommand)] = &[
    ("prompt", |fields| Ok(Command::Prompt(content(fields)?))),
    ("steer", steer),
    ("follow_up", |fields| {
        Ok(Command::FollowUp(content(fields)?))
    }),
    ("abort", abort),
    ("approve", approve),
    ("answer", answer),
    ("set_mode", set_mode),
    ("set_model", set_model),
    ("get_state", |_| Ok(Command::GetState)),
    ("compact", compact),
    ("list_sessions", list_sessions),
    ("fork", fork),
    ("export", export),
    ("revoke", revoke),
    ("agent_messages", agent_messages),
];

/// More edited files in one approval than this are refused.
const MOST_EDITS: usize = 1000;

/// Reads one line. Whatever is wrong with it, it gets exactly one answer.
pub(super) fn read(line: &str) -> Result<(Asked, Command), Unread> {
    let fields = Object::read(line, FIELDS).map_err(|error| {
        let error = match error {
            NotAnObject::OtherJson => "not a JSON object".to_owned(),
            NotAnObject::NotJson(_) | NotAnObject::TooDeep => {
                format!("not a JSON object: {error}")
            }
        };
        Unread::nameless(Some(RawId::null()), NAMELESS, error)
    })?;
    COMMANDS.read(&fields)
}

/// A text, pictures, or both.
fn content(fields: &Object<'_>) -> Result<Content, Unfit> {
    let text = fields.text("text")?.filter(|text| !text.is_empty());
    let images = read_images(fields, "images")?;
    let mut parts: Vec<Part> = text.into_iter().map(Part::Text).collect();
    parts.extend(images.into_iter().map(Part::Image));
    Ok(Content { parts })
}

/// With `agent`, an extension: for that sub-agent.
fn steer(fields: &Object<'_>) -> Result<Command, Unfit> {
    let content = content(fields)?;
    Ok(match agent(fields)? {
        Some(agent) => {
            let order = AgentOrder::Steer(content);
            Command::Agent { agent, order }
        }
        None => Command::Steer(content),
    })
}

/// With `agent`, an extension: that sub-agent alone.
fn abort(fields: &Object<'_>) -> Result<Command, Unfit> {
    Ok(match agent(fields)? {
        Some(agent) => {
            let order = AgentOrder::Interrupt;
            Command::Agent { agent, order }
        }
        None => Command::Abort,
    })
}

/// An extension: the conversation of a sub-agent, its last `limit` messages.
fn agent_messages(fields: &Object<'_>) -> Result<Command, Unfit> {
    let agent = AgentId::new(fields.need_name("agent")?);
    let limit = fields.number("limit")?;
    let limit = limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let order = AgentOrder::GetMessages { limit };
    Ok(Command::Agent { agent, order })
}

fn agent(fields: &Object<'_>) -> Result<Option<AgentId>, Unfit> {
    match fields.has("agent") {
        true => Ok(Some(AgentId::new(fields.need_name("agent")?))),
        false => Ok(None),
    }
}

fn approve(fields: &Object<'_>) -> Result<Command, Unfit> {
    let call = CallId::new(fields.need_name("call_id")?);
    let allow = fields.need_flag("allow")?;
    let for_session = fields.flag("for_session")?.unwrap_or(false);
    let note = fields.text("note")?.filter(|note| !note.is_empty());
    let edits = edits(fields)?;
    let verdict = match (allow, for_session) {
        (true, true) => Verdict::Allow(Scope::Session),
        (true, false) => Verdict::Allow(Scope::Once),
        (false, _) => Verdict::Deny(Scope::Once),
    };
    let decision = Decision {
        verdict,
        note,
        amendment: edits.filter(|_| allow).map(Amendment::Files),
    };
    Ok(Command::Decide { call, decision })
}

fn edits(fields: &Object<'_>) -> Result<Option<Vec<FileEdit>>, Unfit> {
    let Some(entries) = fields.objects("edits", MOST_EDITS, &["path", "content"])? else {
        return Ok(None);
    };
    let mut edits = Vec::with_capacity(entries.len());
    for entry in &entries {
        edits.push(FileEdit {
            path: entry.need_name("path")?,
            content: entry.need_text("content")?,
        });
    }
    Ok(Some(edits))
}

/// `text` answers the first question, or all of them as one text. As an
/// extension, `answers` settles several one by one.
fn answer(fields: &Object<'_>) -> Result<Command, Unfit> {
    let call = CallId::new(fields.need_name("call_id")?);
    let answers = read_answers(fields, "text", &["question", "text"])?;
    Ok(Command::Reply { call, answers })
}

fn set_mode(fields: &Object<'_>) -> Result<Command, Unfit> {
    let name = fields.need_name("mode")?;
    Ok(Command::SetMode(Mode::named(&name)))
}

fn set_model(fields: &Object<'_>) -> Result<Command, Unfit> {
    let change = ModelChange {
        provider: fields.text("provider")?.filter(|name| !name.is_empty()),
        model: fields.text("model")?,
        effort: effort(fields)?,
    };
    if !["provider", "model", "effort"]
        .iter()
        .any(|name| fields.has(name))
    {
        let error = "nothing to change; give \"provider\", \"model\" or \"effort\"";
        return Err(Unfit(error.to_owned()));
    }
    Ok(Command::SetModel(change))
}

/// Nothing keeps it; an empty name goes back to the provider's own.
fn effort(fields: &Object<'_>) -> Result<Option<Option<Effort>>, Unfit> {
    let Some(name) = fields.string("effort")? else {
        return Ok(None);
    };
    if name.is_empty() {
        return Ok(Some(None));
    }
    match Effort::named(&name) {
        Some(effort) => Ok(Some(Some(effort))),
        None => Err(UnknownName::new("effort", &name, Effort::ALL.map(Effort::name)).into()),
    }
}

fn compact(fields: &Object<'_>) -> Result<Command, Unfit> {
    let focus = fields.text("focus")?.filter(|focus| !focus.is_empty());
    Ok(Command::Compact { focus })
}

fn list_sessions(fields: &Object<'_>) -> Result<Command, Unfit> {
    let everywhere = fields.flag("all")?.unwrap_or(false);
    Ok(Command::ListSessions { everywhere })
}

/// `entry` is an `id` of a `message_end`; a number is taken as well.
fn fork(fields: &Object<'_>) -> Result<Command, Unfit> {
    if let Ok(number) = fields.number("entry") {
        let from = number.map(EntryId);
        return Ok(Command::Fork { from });
    }
    let name = fields.need_text("entry")?;
    if name.is_empty() {
        return Ok(Command::Fork { from: None });
    }
    match name.parse() {
        Ok(number) => Ok(Command::Fork {
            from: Some(EntryId(number)),
        }),
        Err(_) => Err(Unfit("no such entry".to_owned())),
    }
}

fn export(fields: &Object<'_>) -> Result<Command, Unfit> {
    let format = match fields.string("format")? {
        None => ExportFormat::default(),
        Some(name) => ExportFormat::named(&name).ok_or_else(|| {
            UnknownName::new("format", &name, ExportFormat::ALL.map(ExportFormat::name))
        })?,
    };
    let path: Option<Text> = fields.text("path")?.filter(|path| !path.is_empty());
    Ok(Command::Export(ExportRequest {
        format,
        path,
        all_branches: fields.flag("all_branches")?.unwrap_or(false),
    }))
}

/// An extension: takes back what `for_session` gave. `grant` is a `name` of the
/// state's `grants`.
fn revoke(fields: &Object<'_>) -> Result<Command, Unfit> {
    let grant = fields.need_text("grant")?;
    Ok(Command::Revoke { grant })
}
