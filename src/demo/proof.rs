//! What is really on the disk afterwards: the agent's word is not taken for it.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tokio::process::Command;

/// The folder that the script works in, below the workspace.
const PROJECT: &str = "greenroom-demo";
/// How long each of its scripts may take.
const RUN_TIME: Duration = Duration::from_secs(5);

/// Runs what the agent wrote: the edited script must greet as asked, and its
/// test must pass. Nothing else may lie in the workspace.
pub(super) async fn check(workspace: &Path) -> Result<()> {
    let project = workspace.join(PROJECT);
    let said = run(&project, &["greet.sh", "Ada"]).await?;
    if said != "Hello, Ada!\n" {
        bail!("`sh greet.sh Ada` should say \"Hello, Ada!\" and says {said:?}");
    }
    run(&project, &["test.sh"]).await?;
    let mut names = names(workspace)?;
    names.retain(|name| name != ".git");
    if names != [PROJECT] {
        bail!("the workspace should hold {PROJECT} only and holds {names:?}");
    }
    let files = self::names(&project)?;
    if files != ["greet.sh", "test.sh"] {
        bail!("{PROJECT} should hold greet.sh and test.sh and holds {files:?}");
    }
    Ok(())
}

/// Runs a script with `sh`; its standard output, when it ends with 0.
async fn run(folder: &Path, arguments: &[&str]) -> Result<String> {
    let shown = format!("`sh {}`", arguments.join(" "));
    let mut sh = Command::new("sh");
    sh.args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let output = tokio::time::timeout(RUN_TIME, sh.output())
        .await
        .with_context(|| format!("{shown} takes too long"))?
        .with_context(|| format!("{shown} cannot be run"))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        bail!("{shown} ended with {}: {said}", output.status);
    }
    Ok(said)
}

fn names(folder: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}
