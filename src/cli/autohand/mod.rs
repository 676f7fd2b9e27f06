//! `--mode rpc`: Autohand's form. It has no command, and hosts pass flags of
//! many versions to it: what is unknown is warned about and passed over, since
//! a host that swaps the executable must not be left without an agent.
//!
//! - [`table`]: the flags that are known, and how many values each takes.
//! - [`read`]: arguments become flags with values.
//! - [`meaning`]: flags become [`super::RpcOptions`].

mod meaning;
mod read;
mod table;

pub(super) use meaning::parse;
