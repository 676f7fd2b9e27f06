//! The toolbox: all tools behind the `Tools` port.

use std::sync::Arc;

use greenroom_actors::ports::{
    JobBoard, OutputSink, PlannedCall, Ran, ToolContext, ToolFault, ToolSpec, Tools, Work,
};
use greenroom_protocol::session::{Amendment, CallId, Document};

use super::ALL;
use super::call::{Job, Kit, Scene, Tool, at_once, failed};
use super::input::nearest;
use super::jobs::Jobs;
use super::outputs::Outputs;
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
        let jobs = Arc::new(Jobs::new(settings.jobs, settings.job_output_bytes));
        Toolbox {
            specs: ALL.iter().map(|tool| tool.spec()).collect(),
            kit: Arc::new(Kit {
                seen: SeenFiles::default(),
                outputs: Outputs::new(&settings),
                settings,
                host,
                jobs,
            }),
        }
    }

    /// The commands in the background: who hears of their ends, and how they end
    /// with their session.
    pub fn job_board(&self) -> Arc<dyn JobBoard> {
        self.kit.jobs.clone()
    }

    /// Where outputs are kept that are longer than what the model reads: for
    /// tools that are not in this box, and to be told which sessions are over.
    pub fn outputs(&self) -> Outputs {
        self.kit.outputs.clone()
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
        let kit = self.kit.clone();
        let (session, named) = (context.session.clone(), call.clone());
        let work = tool.run(Job {
            call,
            planned,
            amendment,
            scene: self.scene(context),
            output,
        });
        if tool.bounds_itself() {
            return work;
        }
        Box::pin(async move {
            let ran = work.await;
            let most = kit.settings.output_bytes;
            let (text, is_cut) = kit.outputs.fit(&session, &named, ran.text, most).await;
            Ran {
                text,
                truncated: ran.truncated || is_cut,
                ..ran
            }
        })
    }
}

#[cfg(test)]
mod tests;
