//! What several dialects share: bytes to lines, lines to fields, fields to
//! frames. It knows no dialect and no wire's words.
//!
//! Reading never builds a tree: [`Object`] leaves values where they are in the
//! line. Writing never does either: [`json`] appends to the frames' buffer.

mod answers;
mod document;
mod escape;
mod fault;
mod frames;
mod id;
mod images;
pub mod json;
mod line;
mod object;
mod request;
mod time;
mod values;

pub use answers::read_answers;
pub use fault::{FieldFault, Problem, Unfit, UnknownName, shorten};
pub use frames::Frames;
pub use id::RawId;
pub use images::{ImageFault, MOST_IMAGES, read_images};
pub use line::{LINE_LIMIT, Line, LineBuffer, LineFault, Lines};
pub use object::{DEEPEST, NotAnObject, Object};
pub use request::{Asked, Commands, ReadCommand, Unread};
pub use time::{Stamps, write_time};
