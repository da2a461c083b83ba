//! `cargo xtask`: hands over to `main.mjs`, which Node runs.

#[cfg(not(unix))]
compile_error!("cargo xtask runs on Linux and macOS; on Windows, use it inside WSL");

use std::env;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    // Cargo sets the variable when it runs us, so a moved checkout still finds itself.
    let folder =
        env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let program = Path::new(&folder).join("main.mjs");
    // Takes the place of this process, and returns only if it cannot.
    let error = Command::new("node")
        .arg(program)
        .args(env::args_os().skip(1))
        .exec();
    eprintln!("error: node could not be started: {error}\n  remedy:  install Node 20.19 or newer");
    ExitCode::FAILURE
}
