//! Parses the command line, runs it, and turns the outcome into an exit code.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use greenroom::app;
use greenroom::cli::Invocation;
use greenroom::tool::{KEEPER_WORD, keep_server};

fn main() -> ExitCode {
    let mut args = std::env::args_os();
    let argv0 = args.next().unwrap_or_else(|| OsString::from("greenroom"));
    let mut args: Vec<OsString> = args.collect();
    // We started ourselves, to keep a server: no flags, and nothing but that.
    if args.first().is_some_and(|word| word == KEEPER_WORD) {
        return ExitCode::from(keep_server(args.split_off(1)));
    }
    let code = match Invocation::parse(&argv0, args) {
        Ok(invocation) => app::run(invocation),
        Err(usage) => {
            // Nobody may be there to read it; the code says it too.
            let _ = std::io::stderr().write_all(usage.text.as_bytes());
            usage.exit_code
        }
    };
    // Threads may still wait in a read of standard input: they are left behind.
    ExitCode::from(code)
}
