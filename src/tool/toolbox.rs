//! The toolbox: all tools behind the `Tools` port.

use std::sync::Arc;

use greenroom_actors::ports::{
    OutputSink, PlannedCall, Ran, ToolContext, ToolFault, ToolSpec, Tools, Work,
};
use greenroom_protocol::session::{Amendment, CallId, Document};

use super::ALL;
use super::call::{Job, Kit, Scene, Tool, at_once, failed};
use super::input::nearest;
use super::seen::SeenFiles;
use super::settings::ToolSettings;
use super::shell::CommandHost;
use super::skill::SKILL_TOOL;
use super::web_fetch::WEB_FETCH_TOOL;

/// All tools, with what they share: limits, what sessions have read, the
/// environment of commands. Needs a tokio runtime with its timer and I/O on.
pub struct Toolbox {
    specs: Arc<[ToolSpec]>,
    kit: Arc<Kit>,
}

impl Toolbox {
    /// A toolbox with these limits.
    pub fn new(mut settings: ToolSettings) -> Toolbox {
        let host = CommandHost::new(&mut settings);
        Toolbox {
            specs: ALL.iter().map(|tool| tool.spec()).collect(),
            kit: Arc::new(Kit {
                settings,
                seen: SeenFiles::default(),
                host,
            }),
        }
    }

    fn find(&self, name: &str) -> Result<&'static dyn Tool, ToolFault> {
        let mut both = ALL.iter().zip(self.specs.iter());
        if let Some((tool, _)) = both.find(|(_, spec)| &*spec.name == name) {
            return Ok(*tool);
        }
        // They are not offered where there are no skills, or no web.
        let names: Vec<&str> = (self.specs.iter().map(|spec| &*spec.name))
            .filter(|name| *name != SKILL_TOOL && *name != WEB_FETCH_TOOL)
            .collect();
        let hint = match nearest(name, &names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the tools are {}", names.join(", ")),
        };
        Err(ToolFault(format!("there is no tool `{name}`: {hint}")))
    }

    fn scene(&self, context: ToolContext) -> Scene {
        Scene {
            context,
            kit: self.kit.clone(),
        }
    }
}

impl Tools for Toolbox {
    fn specs(&self) -> Arc<[ToolSpec]> {
        self.specs.clone()
    }

    fn plan(
        &self,
        tool: &str,
        input: &Document,
        context: &ToolContext,
    ) -> Work<Result<PlannedCall, ToolFault>> {
        let tool = match self.find(tool) {
            Ok(tool) => tool,
            Err(fault) => return Box::pin(std::future::ready(Err(fault))),
        };
        let input = input.clone();
        let scene = self.scene(context.clone());
        Box::pin(async move {
            let planning = tokio::task::spawn_blocking(move || tool.plan(&input, &scene));
            planning.await.unwrap_or_else(|error| {
                tracing::error!(%error, "a tool broke down");
                Err(ToolFault(
                    "the tool broke down while it read the input".into(),
                ))
            })
        })
    }

    fn run(
        &self,
        call: CallId,
        planned: PlannedCall,
        amendment: Option<Amendment>,
        context: ToolContext,
        output: OutputSink,
    ) -> Work<Ran> {
        let tool = match self.find(&planned.tool) {
            Ok(tool) => tool,
            Err(fault) => return at_once(failed(fault.0)),
        };
        if let Some(Amendment::Input(_)) = amendment {
            // Another input is another call: it must be judged before it runs.
            return at_once(failed(
                "nothing was run: an amended input has to be planned anew",
            ));
        }
        tool.run(Job {
            call,
            planned,
            amendment,
            scene: self.scene(context),
            output,
        })
    }
}

#[cfg(test)]
mod tests;
