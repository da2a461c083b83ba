//! The project's own commands: `cargo xtask help`.

#[cfg(not(unix))]
compile_error!("cargo xtask runs on Linux and macOS; on Windows, use it inside WSL");

mod cmd;
mod lab_wasm;
mod pkg;
mod setup;
mod signals;
mod step;
mod workspace;

use std::process::ExitCode;

use cmd::Failure;
use step::Console;
use workspace::Workspace;

const HELP: &str = "\
cargo xtask <command>

  pkg    builds the npm package into target/pkg and packs it
  help   prints this
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    signals::listen();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn run(args: &[String]) -> Result<(), Failure> {
    let ws = Workspace::find();
    match args.first().map(String::as_str) {
        Some("pkg") => {
            let mut console = Console::new(&ws, "logs", false)?;
            setup::prepare(&ws, &mut console, pkg::NPM_FOLDERS)?;
            pkg::build(&ws, &mut console)?;
            Ok(())
        }
        _ => {
            print!("{HELP}");
            Ok(())
        }
    }
}
