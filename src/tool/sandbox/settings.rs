//! What may be set of the sandbox.

use std::path::PathBuf;

/// The sandbox of commands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SandboxSettings {
    /// Whether there is one. Default: off.
    pub mode: SandboxMode,
    /// Whether commands may use the network. Default: they may.
    pub network: Network,
    /// More files and folders that they may write: absolute. Default: none.
    pub extra_write: Vec<PathBuf>,
    /// More files and folders that they may read: absolute. Default: none.
    pub extra_read: Vec<PathBuf>,
}

/// Which sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SandboxMode {
    /// None.
    #[default]
    Off,
    /// Commands write in the workspace and in temporary folders, and read
    /// these, the system and toolchains.
    Workspace,
}

/// Whether commands may use the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Network {
    /// They may.
    #[default]
    Allow,
    /// No sockets but those of the file system.
    Deny,
}
