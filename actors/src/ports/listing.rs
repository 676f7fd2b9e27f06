//! What a list shows of a session, folded from its events one by one: stores
//! keep it beside a journal, so that a list reads no journal.

use greenroom_protocol::session::{
    Event, Happening, Millis, Outcome, SessionId, SessionListing, Status, Usage,
};

/// The listing of a session whose journal begins with this event. Nothing when
/// the event opens no session.
pub fn begin(session: &SessionId, first: &Event) -> Option<SessionListing> {
    let Happening::Opened {
        root,
        mode,
        model,
        fork_of,
        parent,
    } = &first.happening
    else {
        return None;
    };
    Some(SessionListing {
        id: session.clone(),
        title: "".into(),
        mode: mode.clone(),
        model: model.clone(),
        root: root.clone(),
        parent: parent.clone(),
        fork_of: fork_of.clone(),
        status: Status::Idle,
        updated: first.at,
        turns: 0,
        usage: Usage::default(),
    })
}

/// Whether an event changes more of a listing than when it was updated.
pub fn changes(event: &Event) -> bool {
    matches!(
        event.happening,
        Happening::Titled { .. }
            | Happening::ModeChanged { .. }
            | Happening::ModelChanged { .. }
            | Happening::CompactionEnded { .. }
            | Happening::AgentEnded { .. }
            | Happening::TurnEnded { .. }
    )
}

/// Takes the next event in. A turn that still runs, or was cut, counts when it
/// has ended.
pub fn follow(listing: &mut SessionListing, event: &Event) {
    listing.updated = event.at;
    match &event.happening {
        Happening::Titled { title } => listing.title = title.clone(),
        Happening::ModeChanged { mode } => listing.mode = mode.clone(),
        Happening::ModelChanged { model } => listing.model = model.clone(),
        Happening::CompactionEnded { usage, .. } | Happening::AgentEnded { usage, .. } => {
            listing.usage = listing.usage.plus(*usage);
        }
        Happening::TurnEnded { outcome, usage, .. } => {
            listing.turns += 1;
            listing.usage = listing.usage.plus(*usage);
            listing.status = match outcome {
                Outcome::Failed(_) => Status::Failed,
                _ => Status::Idle,
            };
        }
        _ => (),
    }
}

/// The listing of a whole journal. Nothing when it does not begin with the
/// opening of a session.
pub fn of<'a>(
    session: &SessionId,
    events: impl IntoIterator<Item = &'a Event>,
) -> Option<SessionListing> {
    let mut events = events.into_iter();
    let mut listing = begin(session, events.next()?)?;
    for event in events {
        follow(&mut listing, event);
    }
    Some(listing)
}

/// Sorts as lists are told: the latest changed first; of equal ones the one
/// with the later name.
pub fn latest_first(listings: &mut [SessionListing]) {
    listings.sort_by(|a, b| place(b).cmp(&place(a)));
}

fn place(listing: &SessionListing) -> (Millis, &SessionId) {
    (listing.updated, &listing.id)
}
