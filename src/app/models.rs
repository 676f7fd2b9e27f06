//! `greenroom models`: the models that there are, as lines for people or as JSON
//! for programs. What the catalogue knows is shown without a call; with `--live`
//! the providers are asked, all at the same time.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use serde_json::{Value, json};

use super::rpc::cannot_start;
use super::run::{configured, refuse};
use crate::cli::{ModelsOptions, Usage};
use crate::config::Config;
use crate::provider::{HttpSettings, ModelListing, Providers};

/// What is shown of a provider.
struct Shown<'a> {
    name: &'a str,
    is_default: bool,
    /// The models, or why there is no list, with the remedy.
    models: Result<Vec<ModelListing>, String>,
}

/// Shows them; returns the exit code.
pub(super) fn run(options: &ModelsOptions) -> u8 {
    let (config, _logging) = match configured(&options.common, None) {
        Ok(configured) => configured,
        Err(usage) => return refuse(&usage),
    };
    show(options, &config).unwrap_or_else(|usage| refuse(&usage))
}

fn show(options: &ModelsOptions, config: &Config) -> Result<u8, Usage> {
    let names = chosen(options, config)?;
    let http = HttpSettings {
        connect: config.deadlines.connect,
    };
    let providers = Providers::new(config.providers.clone(), http);
    let lists = match options.live {
        true => live(&providers, &names)?,
        false => {
            let known = |name: &&str| Ok(providers.known_models(name).unwrap_or_default());
            names.iter().map(known).collect()
        }
    };
    let shown: Vec<Shown<'_>> = names
        .into_iter()
        .zip(lists)
        .map(|(name, models)| Shown {
            name,
            is_default: name == config.default_provider,
            models,
        })
        .collect();
    let text = match options.json {
        true => format!("{}\n", object(&shown, options.live)),
        false => shown.iter().map(paragraph).collect(),
    };
    print(&text)?;
    Ok(u8::from(shown.iter().any(|shown| shown.models.is_err())))
}

/// The names of the providers that are shown.
fn chosen<'a>(options: &ModelsOptions, config: &'a Config) -> Result<Vec<&'a str>, Usage> {
    let names = config
        .providers
        .iter()
        .map(|provider| provider.name.as_str());
    let Some(wanted) = &options.provider else {
        return Ok(names.collect());
    };
    let found: Vec<&str> = names.filter(|name| name == wanted).collect();
    if found.is_empty() {
        let known = config.provider_names();
        let reason = format!("--provider: there is no provider {wanted:?}; there are {known}");
        return Err(cannot_start(reason, 2));
    }
    Ok(found)
}

/// Asks the providers, all at the same time. Each has a deadline of its own.
fn live(
    providers: &Providers,
    names: &[&str],
) -> Result<Vec<Result<Vec<ModelListing>, String>>, Usage> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| cannot_start(format!("no runtime: {error}"), 1))?;
    Ok(runtime.block_on(async {
        let asked: Vec<_> = names
            .iter()
            .map(|name| tokio::spawn(providers.list_models(name)))
            .collect();
        let mut lists = Vec::new();
        for task in asked {
            lists.push(match task.await {
                Ok(list) => list.map_err(|error| error.message),
                Err(_) => Err("asking it failed; the log has more".to_owned()),
            });
        }
        lists
    }))
}

fn object(shown: &[Shown<'_>], live: bool) -> Value {
    let providers = shown.iter().map(|shown| {
        let models = shown.models.as_deref().unwrap_or_default();
        json!({
            "name": shown.name,
            "default": shown.is_default,
            "models": models.iter().map(model).collect::<Vec<_>>(),
            "error": shown.models.as_ref().err(),
        })
    });
    json!({"live": live, "providers": providers.collect::<Vec<_>>()})
}

fn model(model: &ModelListing) -> Value {
    let price = model.price.map(|(input, output)| {
        json!({"input_usd_per_million": dollars(input), "output_usd_per_million": dollars(output)})
    });
    json!({
        "id": model.id,
        "name": model.name,
        "context_window": model.context,
        "longest_answer": model.output,
        "images": model.images,
        "efforts": model.efforts,
        "price": price,
    })
}

fn paragraph(shown: &Shown<'_>) -> String {
    let mut text = String::new();
    let default = if shown.is_default { " (default)" } else { "" };
    match &shown.models {
        Err(reason) => {
            let _ = writeln!(text, "{}{default}: {}", shown.name, one_line(reason));
        }
        Ok(models) if models.is_empty() => {
            let _ = writeln!(text, "{}{default}: no model is known", shown.name);
        }
        Ok(models) => {
            let _ = writeln!(text, "{}{default}", shown.name);
            for model in models {
                text.push_str(&line(model));
            }
        }
    }
    text
}

fn line(model: &ModelListing) -> String {
    let mut facts = Vec::new();
    facts.extend(model.context.map(|tokens| format!("{tokens} tokens")));
    if model.images == Some(false) {
        facts.push("no pictures".to_owned());
    }
    if !model.efforts.is_empty() {
        facts.push(format!("effort {}", model.efforts.join("|")));
    }
    facts.extend(model.price.map(|(input, output)| {
        format!("${} in, ${} out a million", dollars(input), dollars(output))
    }));
    let line = format!("  {:<28} {}", one_line(&model.id), facts.join("; "));
    format!("{}\n", line.trim_end())
}

/// Micro-dollars as dollars.
fn dollars(micros: u64) -> f64 {
    micros as f64 / 1e6
}

/// Control characters would be acted on by a terminal.
fn one_line(text: &str) -> String {
    text.replace(|c: char| c.is_control(), " ")
}

fn print(text: &str) -> Result<(), Usage> {
    match io::stdout().write_all(text.as_bytes()) {
        // Whoever reads has read enough.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(cannot_start(format!("it cannot be shown: {error}"), 1))
        }
        _ => Ok(()),
    }
}
