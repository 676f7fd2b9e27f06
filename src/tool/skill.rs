//! `skill`: loads a skill, or one of its files.

use greenroom_actors::ports::{PlannedCall, Ran, ToolFault, ToolSpec, Work};
use greenroom_protocol::session::{Category, Document, Text};

use super::call::{Job, Scene, Tool, at_once, done, failed, in_background, planned};
use super::input::{Fields, nearest};
use crate::skills::{self, Skill};

/// Its name, for those who leave it out where there are no skills.
pub const SKILL_TOOL: &str = "skill";

const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "name": {"type": "string", "description": "The skill."},
    "file": {"type": "string", "description": "One of its files, relative to its folder. Default: its instructions."}
  },
  "required": ["name"],
  "additionalProperties": false
}"#;

/// The tool.
pub(super) struct LoadSkill;

struct Input {
    name: String,
    file: Option<String>,
}

impl Input {
    fn read(input: &Document) -> Result<Input, ToolFault> {
        let mut fields = Fields::read(input)?;
        let name = fields.text("name")?;
        let file = fields.optional_text("file")?;
        fields.finish()?;
        Ok(Input { name, file })
    }
}

impl Tool for LoadSkill {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: Text::from(SKILL_TOOL),
            description: Text::from(
                "Load a skill: instructions for a certain task, of the project or the user, with the \
                 files that belong to them. The system prompt lists the skills.",
            ),
            schema: Document(Text::from(SCHEMA)),
            category: Category::Session,
        }
    }

    fn plan(&self, input: &Document, _: &Scene) -> Result<PlannedCall, ToolFault> {
        let wanted = Input::read(input)?;
        let summary = match wanted.file {
            Some(file) => format!("{}: {file}", wanted.name),
            None => wanted.name,
        };
        Ok(planned(
            SKILL_TOOL,
            Category::Session,
            summary,
            Vec::new(),
            input,
        ))
    }

    fn run(&self, job: Job) -> Work<Ran> {
        let input = match &job.planned.action {
            greenroom_actors::ports::Action::Run(input) => Input::read(input),
            _ => Err(ToolFault(
                "this call was not planned as one that runs".into(),
            )),
        };
        match input {
            Ok(input) => in_background(move |_| load(&input, &job.scene)),
            Err(fault) => at_once(failed(fault.0)),
        }
    }
}

fn load(input: &Input, scene: &Scene) -> Ran {
    let found = skills::find(&scene.context.root, &scene.kit.settings.skill_folders);
    let Some(skill) = found.named(&input.name) else {
        let names: Vec<&str> = found.skills.iter().map(|skill| &*skill.name).collect();
        let hint = match (nearest(&input.name, &names), names.is_empty()) {
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, false) => format!("the skills are {}", names.join(", ")),
            (None, true) => "there are none here".to_owned(),
        };
        return failed(format!("there is no skill `{}`: {hint}", input.name));
    };
    let text = match &input.file {
        Some(file) => skill
            .read(file)
            .map_err(|why| format!("`file`: {file}: {why}")),
        None => skill.body().map(|body| with_files(skill, body)),
    };
    match text {
        Ok(text) => done(text),
        Err(why) => failed(why),
    }
}

fn with_files(skill: &Skill, mut body: String) -> String {
    let files = skill.files();
    if !files.is_empty() {
        body.push_str(&format!(
            "\n\n[Files of this skill, in {}: {}]",
            skill.folder.display(),
            files.join(", ")
        ));
    }
    body
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::Bench;

    #[tokio::test]
    async fn a_skill_is_loaded_with_the_names_of_its_files() {
        let bench = Bench::new();
        let folder = ".greenroom/skills/release";
        bench.put(
            &format!("{folder}/SKILL.md"),
            "---\nname: release\ndescription: Makes releases.\n---\nTag it.\n",
        );
        bench.put(&format!("{folder}/tag.sh"), "git tag");
        let loaded = bench.call("skill", json!({"name": "release"})).await;
        let expected = format!(
            "Tag it.\n\n[Files of this skill, in {}: tag.sh]",
            bench.root().join(folder).display()
        );
        assert_eq!((loaded.text, loaded.failed), (expected, false));
        let file = bench
            .call("skill", json!({"name": "release", "file": "tag.sh"}))
            .await;
        assert_eq!(file.text, "git tag");
        let missing = bench.call("skill", json!({"name": "relese"})).await;
        assert_eq!(
            missing.text,
            "there is no skill `relese`: did you mean `release`?"
        );
        let outside = json!({"name": "release", "file": "../../x"});
        assert!(bench.call("skill", outside).await.failed);
    }
}
