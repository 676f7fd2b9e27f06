//! Standard input and output as a transport. The only place that writes to
//! standard output while a session is served.

use tokio::io::{Stdin, Stdout};

/// Both ends. A read that is under way when the process ends stays behind in
/// its thread, so the runtime must be left without waiting for it.
pub fn open() -> (Stdin, Stdout) {
    (tokio::io::stdin(), tokio::io::stdout())
}
