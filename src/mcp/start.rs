//! From a configuration to a connection that takes calls.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rmcp::ClientLifecycleMode::{self, Discover, Initialize};
use rmcp::model::{ErrorCode, ProtocolVersion};
use rmcp::serve_client_with_lifecycle;
use rmcp::service::{ClientInitializeError, RoleClient, RunningService};
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::sync::watch;
use tokio::time::timeout;

use super::catalog::Catalog;
use super::guarded::{Guarded, Watch};
use super::handler::{Changes, Handler};
use super::lists;
use super::mask::Mask;
use super::metered::{LONGEST_MESSAGE, Metered};
use super::open_calls::OpenCalls;
use super::programs::{ErrorTail, ProgramHost};
use super::remote::Reach;
use super::settings::{Launch, Program, Remote, ServerConfig, Transport};
use super::words;
use crate::tool::ServerProcess;

/// How long a server that closed its pipes has to end.
const ENDING: Duration = Duration::from_millis(500);

/// What a connection is made with.
pub(super) struct Starter {
    pub config: ServerConfig,
    pub root: Arc<Path>,
    pub programs: Arc<ProgramHost>,
    pub mask: Mask,
    pub calls: Arc<OpenCalls>,
    pub changes: Arc<Changes>,
    pub too_long: watch::Sender<u64>,
}

/// A connection that takes calls.
pub(super) struct Live {
    pub service: RunningService<RoleClient, Handler>,
    pub catalog: Catalog,
    pub watch: Arc<Watch>,
    pub process: Option<ServerProcess>,
    pub errors: Option<ErrorTail>,
}

impl Starter {
    /// Starts the server, shakes hands and reads its lists; a server that knows
    /// no handshake is asked anew, in the way of those. Dropping it stops what
    /// was started.
    pub async fn start(&self) -> Result<Live, String> {
        match self.start_by(Initialize).await {
            Ok(live) => Ok(live),
            Err(NotStarted::Because(reason)) => Err(reason),
            Err(NotStarted::NoHandshake(reason)) => {
                let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
                let discover = Discover { preferred_versions };
                self.start_by(discover).await.map_err(|_| reason)
            }
        }
    }

    async fn start_by(&self, lifecycle: ClientLifecycleMode) -> Result<Live, NotStarted> {
        match &self.config.launch {
            Launch::Program(program) => self.start_program(program, lifecycle).await,
            Launch::Remote(remote) => self.reach(remote, lifecycle).await,
        }
    }

    async fn start_program(
        &self,
        program: &Program,
        lifecycle: ClientLifecycleMode,
    ) -> Result<Live, NotStarted> {
        let mut process = self
            .programs
            .start(&self.config.name, program, &self.root)?;
        let errors = ErrorTail::read(process.take_stderr());
        let (Some(output), Some(input)) = (process.take_stdout(), process.take_stdin()) else {
            return Err("it has no pipes".to_owned().into());
        };
        let watch = Arc::new(Watch::default());
        let metered = Metered::new(output, self.too_long.clone(), watch.clone());
        let transport =
            AsyncRwTransport::new_client(metered, input).with_max_line_length(LONGEST_MESSAGE);
        let shaking = self.shake(transport, &watch, lifecycle);
        match timeout(self.config.start_timeout, shaking).await {
            Ok(Ok((service, catalog))) => Ok(Live {
                service,
                catalog,
                watch,
                process: Some(process),
                errors: Some(errors),
            }),
            Ok(Err(fault)) => Err(self
                .why_not_started(fault, &mut process, &errors, &watch)
                .await),
            Err(_) => Err(self.with_last_line(self.too_slow(), &errors).into()),
        }
    }

    async fn reach(
        &self,
        remote: &Remote,
        lifecycle: ClientLifecycleMode,
    ) -> Result<Live, NotStarted> {
        let watch = Arc::new(Watch::default());
        let reach = Reach::new(remote)?;
        let shaking = async {
            match remote.transport {
                Transport::Http => self.shake(reach.http(), &watch, lifecycle).await,
                Transport::Sse => {
                    let events = reach.events().await;
                    let events = events.map_err(|fault| Fault::Lists(words::of_sse(&fault)))?;
                    self.shake(events, &watch, lifecycle).await
                }
            }
        };
        let shaken = timeout(self.config.start_timeout, shaking).await;
        let shaken = shaken.map_err(|_| self.too_slow())?;
        let (service, catalog) = shaken.map_err(|fault| {
            let (place, said) = (remote.shown(), self.mask.reason(&fault.said()));
            let reason = format!("{place}: {said}; see that it is there, and takes these headers");
            fault.with(reason)
        })?;
        Ok(Live {
            service,
            catalog,
            watch,
            process: None,
            errors: None,
        })
    }

    /// Shakes hands over a transport, and reads its lists.
    async fn shake<T>(
        &self,
        transport: T,
        watch: &Arc<Watch>,
        lifecycle: ClientLifecycleMode,
    ) -> Result<(RunningService<RoleClient, Handler>, Catalog), Fault>
    where
        T: rmcp::transport::Transport<RoleClient> + Send + 'static,
        T::Error: Send + Sync + 'static,
    {
        let transport = Guarded::new(transport, watch.clone());
        let service = serve_client_with_lifecycle(self.handler(), transport, lifecycle).await;
        let service = service.map_err(|fault| Fault::Handshake(Box::new(fault)))?;
        let catalog = lists::read_all(service.peer()).await;
        Ok((service, catalog.map_err(Fault::Lists)?))
    }

    fn handler(&self) -> Handler {
        Handler::new(
            &self.config.name,
            self.root.clone(),
            self.calls.clone(),
            self.changes.clone(),
            self.mask.clone(),
        )
    }

    fn too_slow(&self) -> String {
        let seconds = self.config.start_timeout.as_secs_f32();
        format!(
            "it was not ready within {seconds} s; see what holds it up, or raise start_timeout_seconds"
        )
    }

    async fn why_not_started(
        &self,
        fault: Fault,
        process: &mut ServerProcess,
        errors: &ErrorTail,
        watch: &Watch,
    ) -> NotStarted {
        if let Some(trouble) = watch.trouble() {
            return trouble.to_owned().into();
        }
        let is_answer = matches!(&fault, Fault::Handshake(fault) if is_answer(fault));
        let said = match is_answer {
            true => format!("it does not speak MCP: {}", fault.said()),
            // It may just be ending: what it ends with says more.
            false => match timeout(ENDING, process.wait()).await {
                Ok(Ok(status)) => format!("it ended at its start ({})", words::of_ending(status)),
                _ => fault.said(),
            },
        };
        fault.with(self.with_last_line(self.mask.reason(&said), errors))
    }

    /// A reason with the last line that the server wrote on standard error.
    pub fn with_last_line(&self, reason: String, errors: &ErrorTail) -> String {
        match errors.last_line() {
            Some(line) => format!("{reason}; it said last: {}", self.mask.reason(&line)),
            None => reason,
        }
    }
}

/// Why a server is not there.
enum NotStarted {
    /// For this reason.
    Because(String),
    /// It knows no handshake; else for this reason.
    NoHandshake(String),
}

impl From<String> for NotStarted {
    fn from(reason: String) -> NotStarted {
        NotStarted::Because(reason)
    }
}

/// Why a handshake came to nothing.
enum Fault {
    Handshake(Box<ClientInitializeError>),
    Lists(String),
}

impl Fault {
    fn said(&self) -> String {
        match self {
            Fault::Handshake(fault) => words::of_handshake(fault),
            Fault::Lists(fault) => fault.clone(),
        }
    }

    /// The same in these words.
    fn with(&self, reason: String) -> NotStarted {
        let unknown = [
            ErrorCode::METHOD_NOT_FOUND,
            ErrorCode::UNSUPPORTED_PROTOCOL_VERSION,
        ];
        match self {
            Fault::Handshake(fault) => match &**fault {
                ClientInitializeError::JsonRpcError(error) if unknown.contains(&error.code) => {
                    NotStarted::NoHandshake(reason)
                }
                _ => reason.into(),
            },
            Fault::Lists(_) => reason.into(),
        }
    }
}

/// Whether a handshake failed by what the server said, and not by its silence.
fn is_answer(fault: &ClientInitializeError) -> bool {
    !matches!(
        fault,
        ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::TransportError { .. }
    )
}
