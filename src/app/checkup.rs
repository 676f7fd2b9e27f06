//! `greenroom doctor`: gives the doctor what it looks at.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use greenroom_actors::ports::{StoreError, Tools as _};

use super::mcp;
use super::parts::{journal_in, open_guard};
use super::run::refuse;
use crate::cli::{DoctorOptions, Usage};
use crate::config::{Config, Environment, Places};
use crate::doctor::{DoctorInput, Host, McpState, StoreState, examine};
use crate::provider::{Checked, HttpSettings, Providers, add_models};
use crate::store::{RedbSettings, RedbStore, holder_of};
use crate::tool::{ToolSettings, Toolbox};

/// Looks at everything and tells what is fine; returns the exit code.
pub(super) fn run(options: &DoctorOptions) -> u8 {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            return refuse(&Usage {
                text: format!("error: no runtime: {error}\n"),
                exit_code: 1,
            });
        }
    };
    let report = runtime.block_on(examine(input(options)));
    let text = match options.json {
        true => report.json(),
        false => report.text(),
    };
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => report.exit_code(),
        Err(_) => 1,
    }
}

fn input(options: &DoctorOptions) -> DoctorInput {
    let env = Environment::process();
    let file = options.common.config.as_deref();
    let config = Config::load(file, None, &env);
    let providers = match &config {
        Ok(config) => {
            add_models(config.models.clone());
            config.providers.clone()
        }
        Err(_) => Vec::new(),
    };
    let http = HttpSettings {
        connect: std::time::Duration::from_secs(5),
    };
    let providers = Arc::new(Providers::new(providers, http));
    let mcp = match (&config, std::env::current_dir()) {
        (Ok(config), Ok(root)) => McpState {
            loaded: mcp::find(config, &root, &env),
            root,
            path: env.get("PATH"),
        },
        _ => McpState::default(),
    };
    let rules = match (&config, std::env::current_dir()) {
        (Ok(config), Ok(root)) => open_guard(config)
            .and_then(|guard| guard.check(&root))
            .err()
            .map(|error| error.to_string()),
        _ => None,
    };
    let tools = Toolbox::new(ToolSettings::default());
    let tools = tools
        .specs()
        .iter()
        .map(|spec| spec.name.to_string())
        .collect();
    DoctorInput {
        rules,
        tools,
        mcp,
        places: Places::find(file, &env).ok(),
        config,
        store: Box::new(store_state),
        probe: Box::new(move |name| {
            let (providers, name) = (providers.clone(), name.to_owned());
            Box::pin(async move {
                let answer = providers.reachable(&name).await;
                answer.map_err(|reason| match providers.check_model(&name, "") {
                    Some(Checked::Unknown(like)) if !like.is_empty() => {
                        let like = like.join(", ");
                        format!("{reason}; nor is its model known here (did you mean {like}?)")
                    }
                    _ => reason,
                })
            })
        }),
        host: Host::here(&env),
    }
}

fn store_state(home: &Path) -> StoreState {
    let path = journal_in(home);
    if !path.exists() {
        return StoreState::Absent;
    }
    if let Some(holder) = holder_of(&path) {
        return StoreState::Held(holder);
    }
    match RedbStore::open(&path, RedbSettings::default()) {
        Ok(_) => StoreState::Free(path.display().to_string()),
        Err(StoreError { message }) => StoreState::Broken(message),
    }
}
