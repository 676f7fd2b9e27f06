//! The scripted provider: a YAML script plays the model, so that the daemon
//! works without a key or a network. `greenroom demo`, our own tests and
//! benches, and the test suites of hosts use it.
//!
//! Which step answers is read off the conversation alone, so a script works
//! the same after a crash, in a fork and in a thousand sessions at once. The
//! format is documented in `examples/scripts/README.md`.
//!
//! It knows no tool: it writes calls as any model does, and the session runs
//! them.

mod delivery;
mod fails;
mod fault;
mod keys;
mod moment;
mod play;
mod script;
mod template;
#[cfg(test)]
mod tests;
mod when;

use std::fs;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use greenroom_actors::ports::{
    ChunkSink, ModelAnswer, ModelError, ModelFacts, ModelRequest, Prices, Work,
};
use greenroom_protocol::session::{FailureKind, Text};

use super::ProviderConfig;
use fails::FailCounts;
use script::Script;

/// The script that plays when none is named.
const BUILTIN: &str = include_str!("../../../examples/scripts/builtin.yaml");
/// The script of `greenroom demo`.
const DEMO: &str = include_str!("../../../examples/scripts/demo.yaml");
/// What `base_url` (and `--script`) names for the script of `greenroom demo`.
pub const DEMO_NAME: &str = "builtin:demo";
/// A longer file is no script; bursts are written with `pieces`.
const LONGEST_SCRIPT: u64 = 16 << 20;
/// What a session is told when neither it nor the configuration names a model.
const MODEL_NAME: &str = "scripted";

/// A model that plays a script. Cheap to clone; clones share the parsed script
/// and the counters of `fail.times`.
#[derive(Debug, Clone)]
pub struct Scripted {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// Empty, [`DEMO_NAME`] or a path.
    place: String,
    /// The configured model id; may be empty.
    model: String,
    /// Parsed at the first use. Only a good script is kept, so that a mended
    /// file works without a restart.
    script: OnceLock<Arc<Script>>,
    fails: Mutex<FailCounts>,
}

impl Scripted {
    /// Plays the script that `base_url` names: a path (relative to the folder
    /// the process started in), `builtin:demo`, or nothing for the built-in
    /// one. Nothing is read yet.
    pub fn from_config(config: &ProviderConfig) -> Scripted {
        Scripted {
            shared: Arc::new(Shared {
                place: config.base_url.clone(),
                model: config.model.clone(),
                script: OnceLock::new(),
                fails: Mutex::new(FailCounts::default()),
            }),
        }
    }

    /// Reads and checks the script at `path` (the words of `base_url`). The
    /// error names the file, the line where it is known, and the remedy.
    pub fn check(path: &str) -> Result<(), String> {
        load(path).map(drop)
    }

    /// Plays the step that this request's conversation has come to. A script
    /// that cannot be read or parsed fails each call with
    /// [`FailureKind::Invalid`].
    pub fn call(
        &self,
        request: ModelRequest,
        sink: ChunkSink,
    ) -> Work<Result<ModelAnswer, ModelError>> {
        let shared = self.shared.clone();
        Box::pin(async move {
            let script = shared
                .script()
                .map_err(|message| ModelError::lasting(FailureKind::Invalid, message))?;
            play::answer(&script, &request, &shared.fails, &sink).await
        })
    }

    /// The script's `model` keys; defaults when it cannot be read.
    pub fn facts(&self, model: &str) -> ModelFacts {
        let known = match self.shared.script() {
            Ok(script) => script.model.clone(),
            Err(_) => Script::default().model,
        };
        let named = [model, self.shared.model.as_str(), MODEL_NAME];
        let id = named.into_iter().find(|name| !name.is_empty());
        ModelFacts {
            id: Text::from(id.unwrap_or(MODEL_NAME)),
            context_window: Some(known.context_window),
            images: known.images,
            prices: Some(Prices {
                input: (known.price.input * 1e6) as u64,
                output: (known.price.output * 1e6) as u64,
                cached: (known.price.input * 1e6) as u64,
            }),
        }
    }

    #[cfg(test)]
    fn fail_counts(&self) -> usize {
        self.shared.fails.lock().unwrap().len()
    }
}

impl Shared {
    /// A script is a small local file, read once: the caller's thread does it.
    /// Two first users may both read it; one of the equal results is kept.
    fn script(&self) -> Result<Arc<Script>, String> {
        if let Some(script) = self.script.get() {
            return Ok(script.clone());
        }
        let script = Arc::new(load(&self.place)?);
        Ok(self.script.get_or_init(|| script).clone())
    }
}

/// The script of that name or path.
fn load(place: &str) -> Result<Script, String> {
    match place {
        "" => fault::parse("builtin", BUILTIN),
        DEMO_NAME => fault::parse(DEMO_NAME, DEMO),
        path => fault::parse(path, &read(path)?),
    }
}

fn read(path: &str) -> Result<String, String> {
    let unreadable = |why: String| {
        format!(
            "script {path} {why}: give base_url the path of a script, `{DEMO_NAME}`, or nothing \
             for the built-in one"
        )
    };
    let facts =
        fs::metadata(path).map_err(|error| unreadable(format!("can't be read ({error})")))?;
    // A pipe or a device could keep the process waiting for ever.
    if !facts.is_file() {
        return Err(unreadable("is no regular file".into()));
    }
    if facts.len() > LONGEST_SCRIPT {
        return Err(format!(
            "script {path} is longer than {LONGEST_SCRIPT} bytes: write long answers with `pieces`"
        ));
    }
    fs::read_to_string(path).map_err(|error| unreadable(format!("can't be read ({error})")))
}

/// The counters stay right even if a thread died with the lock: each change of
/// them is one step.
fn locked(fails: &Mutex<FailCounts>) -> std::sync::MutexGuard<'_, FailCounts> {
    fails.lock().unwrap_or_else(PoisonError::into_inner)
}
