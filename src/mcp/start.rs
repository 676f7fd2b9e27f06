//! From a configuration to a connection that takes calls.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rmcp::service::{ClientInitializeError, RoleClient, RunningService, serve_client};
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
    /// Starts the server, shakes hands and reads its lists. Dropping it stops
    /// what was started.
    pub async fn start(&self) -> Result<Live, String> {
        match &self.config.launch {
            Launch::Program(program) => self.start_program(program).await,
            Launch::Remote(remote) => self.reach(remote).await,
        }
    }

    async fn start_program(&self, program: &Program) -> Result<Live, String> {
        let mut process = self
            .programs
            .start(&self.config.name, program, &self.root)?;
        let errors = ErrorTail::read(process.take_stderr());
        let (Some(output), Some(input)) = (process.take_stdout(), process.take_stdin()) else {
            return Err("it has no pipes".into());
        };
        let watch = Arc::new(Watch::default());
        let metered = Metered::new(output, self.too_long.clone());
        let transport =
            AsyncRwTransport::new_client(metered, input).with_max_line_length(LONGEST_MESSAGE);
        let transport = Guarded::new(transport, watch.clone());
        let shaking = async {
            let service = serve_client(self.handler(), transport).await;
            let service = service.map_err(|fault| Fault::Handshake(Box::new(fault)))?;
            let catalog = lists::read_all(service.peer())
                .await
                .map_err(Fault::Lists)?;
            Ok((service, catalog))
        };
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
            Err(_) => Err(self.with_last_line(self.too_slow(), &errors)),
        }
    }

    async fn reach(&self, remote: &Remote) -> Result<Live, String> {
        let watch = Arc::new(Watch::default());
        let reach = Reach::new(remote)?;
        let shaking = async {
            match remote.transport {
                Transport::Http => self.shake(reach.http(), &watch).await,
                Transport::Sse => {
                    let events = reach
                        .events()
                        .await
                        .map_err(|fault| words::of_sse(&fault))?;
                    self.shake(events, &watch).await
                }
            }
        };
        let shaken = timeout(self.config.start_timeout, shaking).await;
        let shaken = shaken.map_err(|_| self.too_slow())?;
        let (service, catalog) = shaken.map_err(|fault| {
            let (place, fault) = (remote.shown(), self.mask.reason(&fault));
            format!("{place}: {fault}; see that it is there, and takes these headers")
        })?;
        Ok(Live {
            service,
            catalog,
            watch,
            process: None,
            errors: None,
        })
    }

    /// Shakes hands over a transport to a remote server, and reads its lists.
    async fn shake<T>(
        &self,
        transport: T,
        watch: &Arc<Watch>,
    ) -> Result<(RunningService<RoleClient, Handler>, Catalog), String>
    where
        T: rmcp::transport::Transport<RoleClient> + Send + 'static,
        T::Error: Send + Sync + 'static,
    {
        let transport = Guarded::new(transport, watch.clone());
        let service = serve_client(self.handler(), transport).await;
        let service = service.map_err(|fault| words::of_handshake(&fault))?;
        let catalog = lists::read_all(service.peer()).await?;
        Ok((service, catalog))
    }

    fn handler(&self) -> Handler {
        Handler::new(
            &self.config.name,
            &self.root,
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
    ) -> String {
        if let Some(trouble) = watch.trouble() {
            return trouble.to_owned();
        }
        let reason = match fault {
            Fault::Handshake(fault) if is_answer(&fault) => {
                format!("it does not speak MCP: {}", words::of_handshake(&fault))
            }
            // It may just be ending: what it ends with says more.
            fault => match timeout(ENDING, process.wait()).await {
                Ok(Ok(status)) => format!("it ended at its start ({})", words::of_ending(status)),
                _ => match fault {
                    Fault::Handshake(fault) => {
                        format!("it does not speak MCP: {}", words::of_handshake(&fault))
                    }
                    Fault::Lists(fault) => fault,
                },
            },
        };
        self.with_last_line(self.mask.reason(&reason), errors)
    }

    /// A reason with the last line that the server wrote on standard error.
    pub fn with_last_line(&self, reason: String, errors: &ErrorTail) -> String {
        match errors.last_line() {
            Some(line) => format!("{reason}; it said last: {}", self.mask.reason(&line)),
            None => reason,
        }
    }
}

/// Why a handshake came to nothing.
enum Fault {
    Handshake(Box<ClientInitializeError>),
    Lists(String),
}

/// Whether a handshake failed by what the server said, and not by its silence.
fn is_answer(fault: &ClientInitializeError) -> bool {
    !matches!(
        fault,
        ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::TransportError { .. }
    )
}
