//! The tools of a session: those that all have, and those that it has besides,
//! which come and go.

use std::sync::Arc;

use greenroom_protocol::session::{Category, Happening, Mode, Text};

use super::core::Core;
use crate::ports::ToolSpec;

/// What a session has besides.
#[derive(Debug, Default)]
pub(crate) struct Extras {
    specs: Vec<ToolSpec>,
    /// What people were told of it.
    notices: Vec<Text>,
}

impl Core {
    /// The tools that the model is offered in a mode, in a stable order. The same
    /// from step to step, unless some have come or gone.
    pub fn tools_in(&self, mode: &Mode) -> Arc<[ToolSpec]> {
        let settings = &self.settings;
        let offered = settings.modes.offers(mode);
        let delegates = settings.delegates();
        let is_usual = offered.is_none() && delegates && settings.only_tools.is_none();
        if is_usual && self.extras.specs.is_empty() {
            return settings.tools.clone();
        }
        let names = |list: Option<&[Text]>, tool: &ToolSpec| {
            list.is_none_or(|list| list.iter().any(|name| stands_for(name, &tool.name)))
        };
        let is_offered = |tool: &&ToolSpec| {
            names(offered, tool)
                && names(settings.only_tools.as_deref(), tool)
                && (delegates || tool.category != Category::Agent)
        };
        let all = settings.tools.iter().chain(&self.extras.specs);
        all.filter(is_offered).cloned().collect()
    }

    /// What the description of a tool says that it does.
    pub fn category_of(&self, tool: &str) -> Option<Category> {
        let mut all = self.settings.tools.iter().chain(&self.extras.specs);
        all.find(|spec| *spec.name == *tool)
            .map(|spec| spec.category)
    }

    /// What the session has besides is another now. People are told what they
    /// should know, once.
    pub fn tools_changed(&mut self, specs: Vec<ToolSpec>, notices: Vec<Text>) {
        self.extras.specs = specs;
        let known = std::mem::take(&mut self.extras.notices);
        for text in &notices {
            if !known.contains(text) {
                let text = text.clone();
                self.tell(Happening::Noticed { text });
            }
        }
        self.extras.notices = notices;
    }
}

/// Whether a name of a list, which may end with `*`, means a tool.
pub(crate) fn stands_for(name: &str, tool: &str) -> bool {
    match name.strip_suffix('*') {
        Some(begin) => tool.starts_with(begin),
        None => name == tool,
    }
}
