//! The providers: their keys, and whether they answer.

use std::time::Duration;

use super::Probe;
use super::report::{Area, Finding};
use crate::config::{Config, ProviderNote, SCRIPTED};
use crate::provider::{ProviderConfig, Wire};

/// How long one provider may take. All are asked at the same time.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) async fn look(config: &Config, probe: &Probe) -> Vec<Finding> {
    let mut waiting = Vec::new();
    for (provider, note) in config.providers.iter().zip(&config.provider_notes) {
        let has_missing_key = note.key.is_some() && provider.key.is_none();
        let is_asked = provider.wire != Wire::Scripted && !has_missing_key;
        // Spawned, so that all of them are asked side by side.
        let answer = is_asked.then(|| {
            let work = tokio::time::timeout(PATIENCE, probe(&provider.name));
            tokio::spawn(work)
        });
        waiting.push((provider, note, answer));
    }
    let mut findings = Vec::new();
    for (provider, note, answer) in waiting {
        let is_default = provider.name == config.default_provider;
        let answer = match answer {
            None => None,
            Some(task) => Some(match task.await {
                Ok(Ok(answer)) => answer,
                Ok(Err(_)) => Err(format!("no answer within {} s", PATIENCE.as_secs())),
                Err(_) => Err("asking it failed; the log has more".to_owned()),
            }),
        };
        findings.extend(judge(provider, note, answer, is_default));
    }
    if config.default_provider == SCRIPTED && config.providers.len() == 1 {
        findings.push(Finding::warn(
            Area::Providers,
            "no model is configured, so a script answers",
            "set $ANTHROPIC_API_KEY, $OPENAI_API_KEY, $OPENROUTER_API_KEY, $OLLAMA_HOST or $GEMINI_API_KEY",
        ));
    }
    findings
}

fn judge(
    provider: &ProviderConfig,
    note: &ProviderNote,
    answer: Option<Result<String, String>>,
    is_default: bool,
) -> Vec<Finding> {
    let name = match is_default {
        true => format!("{} (default)", provider.name),
        false => provider.name.clone(),
    };
    // What the default provider lacks stops sessions; the others may idle.
    let bad = match is_default {
        true => Finding::fail,
        false => Finding::warn,
    };
    let mut findings = Vec::new();
    match (answer, &note.problem) {
        (None, _) if provider.wire == Wire::Scripted => {
            findings.push(scripted(&name, provider, bad))
        }
        (None, problem) => {
            let problem = problem.as_deref().unwrap_or("its key is missing");
            let (what, next) = problem
                .split_once("; ")
                .unwrap_or((problem, "put the key there"));
            findings.push(bad(
                Area::Providers,
                format!("{name}: {what}"),
                next.to_owned(),
            ));
        }
        (Some(Ok(detail)), _) => {
            findings.push(Finding::ok(Area::Providers, format!("{name}: {detail}")));
        }
        (Some(Err(reason)), _) => findings.push(bad(
            Area::Providers,
            format!("{name}: {reason}"),
            format!("see that it can be reached at {}", provider.base_url),
        )),
    }
    if provider.key.is_some()
        && let Some(problem) = &note.problem
    {
        let (what, next) = problem.split_once("; ").unwrap_or((problem, "mend it"));
        findings.push(Finding::warn(
            Area::Providers,
            format!("{name}: {what}"),
            next,
        ));
    }
    if provider.model.is_empty() {
        findings.push(Finding::warn(
            Area::Providers,
            format!("{name}: it has no model of its own"),
            format!("set providers.{}.model, or pass --model", provider.name),
        ));
    }
    findings
}

fn scripted(
    name: &str,
    provider: &ProviderConfig,
    bad: fn(Area, String, String) -> Finding,
) -> Finding {
    let script = &provider.base_url;
    if script.is_empty() {
        return Finding::ok(
            Area::Providers,
            format!("{name}: plays its built-in script"),
        );
    }
    match std::fs::File::open(script) {
        Ok(_) => Finding::ok(Area::Providers, format!("{name}: plays {script}")),
        Err(error) => bad(
            Area::Providers,
            format!("{name}: {script} cannot be read: {error}"),
            "name a script that is there".to_owned(),
        ),
    }
}
