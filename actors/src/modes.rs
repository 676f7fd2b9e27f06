//! Modes: those that are always there, and the configuration's own.

use std::collections::BTreeMap;

use greenroom_protocol::session::{Mode, ModelChange, Text};

/// Every mode that a session may be in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Modes {
    custom: BTreeMap<Text, ModeSpec>,
}

/// A mode of the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModeSpec {
    /// The built-in mode whose policy it has where no rule speaks.
    pub base: Mode,
    /// What the system prompt says beyond the usual.
    pub system: Option<Text>,
    /// The tools that the model is offered; nothing means all.
    pub tools: Option<Vec<Text>>,
    /// The model that its turns use; what is left out is the session's.
    pub model: ModelChange,
}

impl Modes {
    /// The built-in modes and these, by their names.
    pub fn new(custom: BTreeMap<Text, ModeSpec>) -> Modes {
        Modes { custom }
    }

    /// Whether there is such a mode.
    pub fn knows(&self, mode: &Mode) -> bool {
        match mode {
            Mode::Custom(name) => self.custom.contains_key(name),
            _ => true,
        }
    }

    /// Those of the configuration, by name.
    pub fn own(&self) -> impl Iterator<Item = (&Text, &ModeSpec)> {
        self.custom.iter()
    }

    /// What the configuration says of a mode; nothing of a built-in one.
    pub fn spec(&self, mode: &Mode) -> Option<&ModeSpec> {
        match mode {
            Mode::Custom(name) => self.custom.get(name),
            _ => None,
        }
    }

    /// The tools that a mode offers; nothing means all.
    pub fn offers(&self, mode: &Mode) -> Option<&[Text]> {
        self.spec(mode)?.tools.as_deref()
    }

    /// The built-in mode whose policy holds. Of a mode that is not there it is
    /// the most careful that works: everything but reads asks.
    pub fn base(&self, mode: &Mode) -> Mode {
        match mode {
            Mode::Custom(name) => self
                .custom
                .get(name)
                .map_or(Mode::Ask, |spec| spec.base.clone()),
            built_in => built_in.clone(),
        }
    }

    /// All names, for people: the built-in ones first.
    pub fn names(&self) -> Text {
        let built_in = Mode::BUILT_IN.iter().map(|mode| mode.name());
        let custom = self.custom.keys().map(AsRef::as_ref);
        let names: Vec<&str> = built_in.chain(custom).collect();
        names.join(", ").into()
    }
}
