//! The project's own commands: `cargo xtask help`.

#[cfg(not(unix))]
compile_error!("cargo xtask runs on Linux and macOS; on Windows, use it inside WSL");

mod browsers;
mod catalogue;
mod checks;
mod cmd;
mod counts;
mod crate_checks;
mod demo;
mod failure;
mod found;
mod lab_wasm;
mod lock;
mod node_tests;
mod pkg;
mod plan;
mod published;
mod release;
mod run;
mod schedule;
mod scripts;
mod servers;
mod setup;
mod signals;
mod site;
mod step;
mod test;
mod thin_wasm;
mod wasm;
mod wasm_checks;
mod workspace;

use std::ffi::OsString;
use std::process::ExitCode;
use std::str::FromStr;

use failure::Failure;
use lexopt::Parser;
use lexopt::prelude::*;
use plan::Context;
use workspace::Workspace;

const HELP: &str = "\
cargo xtask <command>

  demo [--once] [--port N]
      retries against a misbehaving server, in Node and then on a page;
      --once ends after the part in Node
  test [--quick] [--only NAME]... [--jobs N] [--list]
      every check there is, as steps that run at the same time
      --quick    only what needs no browser, random tests with fewer cases: for the daily loop
      --only     only the steps whose names contain NAME, and the set-up that these need
      --jobs     runs N steps at once; defaults to one more than the cores
      --list     prints the names of the steps
  watch [FILE]...
      after each change of src/js or pkg-template, assembles the package again, without Rust; after
      that, and after each change of the tests, runs these test files
  bench [--quick] [--only NAME]... [--node MAJOR] [--docs]
      measures the packed package against its peers: speed, memory, bytes; --quick is over in a
      minute; --only runs the parts whose names contain NAME; --docs writes docs/benchmarks.md
  hosts [--only NAME]... [--keep] [--docs]
      installs the packed package in the hosts and tools that users have, and runs one suite in each;
      some minutes. --only runs the hosts whose names contain NAME, --keep leaves their projects in
      target/hosts, --docs writes docs/hosts.md
  schedules [--count N] [--seed S]
      random hostile schedules against the packed package, half of them with protection; by
      default a million
  mutants [--rust] [--count N] [--seed S]
      a sample of small mistakes in src/js, or with --rust in src/core and src/retry, one at a time:
      names those that no test finds; an hour
  site [--out DIR]
      the page and the documentation as static files, in target/site or in DIR
  pkg
      builds the npm package into target/pkg and packs it
  crate [--check [--only NAME]...]
      assembles the crate as it is published, in target/crate; --check builds it with all sets of
      features, for all kinds of targets, with the oldest compiler, and programs against it
  release --dry-run
      builds what a release publishes, twice, and checks it without publishing
  help
      prints this

Each command first installs any missing dependencies. Browsers for the tests are packages of the
system: before xtask installs these with sudo it shows the commands, and asks if there is a terminal.
";

#[derive(Debug, PartialEq, Eq)]
enum Command {
    Demo(demo::Options),
    Test(test::Options),
    /// One of the [`scripts`], with its options.
    Script(&'static str, Vec<OsString>),
    Site(site::Options),
    Pkg,
    Crate(published::Options),
    Release(release::Options),
    Help,
}

impl Command {
    /// Whether no other command may run at the same time. Demo and scripts lock for themselves.
    fn locks(&self) -> bool {
        match self {
            Self::Help | Self::Demo(_) | Self::Script(..) => false,
            Self::Test(options) => !options.list,
            _ => true,
        }
    }
}

fn main() -> ExitCode {
    signals::listen();
    let result = parse(Parser::from_env()).and_then(run);
    // 128 + the signal: as a shell reports what was ended by one.
    if let Some(signal) = signals::received() {
        let code = result
            .is_err()
            .then(|| u8::try_from(128 + signal).unwrap_or(u8::MAX));
        return code.map_or(ExitCode::SUCCESS, ExitCode::from);
    }
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !failure.reported {
                eprintln!("error: {failure}");
            }
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<(), Failure> {
    let ws = Workspace::find();
    let _lock = command.locks().then(|| lock::take(&ws)).transpose()?;
    let mut cx = Context::new(&ws);
    match command {
        Command::Demo(options) => demo::run(&cx, &options),
        Command::Test(options) => {
            cx.quick = options.quick;
            test::run(&cx, checks::steps, &options)
        }
        Command::Script(name, options) => scripts::run(&cx, name, &options),
        Command::Site(options) => site::run(&cx, &options),
        Command::Pkg => {
            cx.list_files = true;
            run::set_up(&cx, &[pkg::PACK])
        }
        Command::Crate(options) => published::run(&cx, crate_checks::all, &options),
        Command::Release(options) => release::run(&cx, &options),
        Command::Help => {
            print!("{HELP}");
            Ok(())
        }
    }
}

fn parse(mut args: Parser) -> Result<Command, Failure> {
    read_command(&mut args).map_err(|error| usage(error.to_string()))
}

fn read_command(args: &mut Parser) -> Result<Command, lexopt::Error> {
    let mut command = match args.next()? {
        None | Some(Long("help") | Short('h')) => return Ok(Command::Help),
        Some(Value(name)) => match name.to_str() {
            Some("demo") => Command::Demo(demo::Options::default()),
            Some("test") => Command::Test(test::Options::default()),
            Some("site") => Command::Site(site::Options::default()),
            Some("pkg") => Command::Pkg,
            Some("crate") => Command::Crate(published::Options::default()),
            Some("release") => Command::Release(release::Options::default()),
            Some("help") => Command::Help,
            _ => match scripts::NAMES.into_iter().find(|script| name == *script) {
                Some(script) => return Ok(Command::Script(script, args.raw_args()?.collect())),
                None => return Err(format!("unknown command {}", name.display()).into()),
            },
        },
        Some(option) => return Err(option.unexpected()),
    };
    while let Some(arg) = args.next()? {
        match (&mut command, arg) {
            (Command::Demo(options), Long("once")) => options.once = true,
            (Command::Demo(options), Long("port")) => options.port = Some(number(args, "--port")?),
            (Command::Test(options), Long("quick")) => options.quick = true,
            (Command::Test(options), Long("list")) => options.list = true,
            (Command::Test(options), Long("only")) => options.only.push(args.value()?.string()?),
            (Command::Test(options), Long("jobs")) => options.jobs = Some(number(args, "--jobs")?),
            (Command::Site(options), Long("out")) => options.out = Some(args.value()?.into()),
            (Command::Release(options), Long("dry-run")) => options.dry_run = true,
            (Command::Crate(options), Long("check")) => options.check = true,
            (Command::Crate(options), Long("only")) if options.check => {
                options.only.push(args.value()?.string()?)
            }
            (_, Long("help") | Short('h')) => return Ok(Command::Help),
            (_, arg) => return Err(arg.unexpected()),
        }
    }
    Ok(command)
}

/// The value of an option. lexopt's own message names the value alone.
fn number<T: FromStr>(args: &mut Parser, option: &str) -> Result<T, lexopt::Error>
where
    T::Err: std::error::Error + Send + Sync + 'static,
{
    let value = args.value()?;
    value
        .parse()
        .map_err(|error| format!("{option}: {error}").into())
}

fn usage(message: impl Into<String>) -> Failure {
    Failure::new(message).remedy("cargo xtask help")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroUsize;

    fn parsed(line: &str) -> Result<Command, String> {
        parse(Parser::from_args(line.split_whitespace())).map_err(|failure| failure.message)
    }

    #[test]
    fn commands_and_flags() {
        assert_eq!(parsed(""), Ok(Command::Help));
        assert_eq!(parsed("pkg"), Ok(Command::Pkg));
        let demo = demo::Options {
            once: true,
            port: Some(8080),
        };
        assert_eq!(parsed("demo --once --port 8080"), Ok(Command::Demo(demo)));
        let bench = Command::Script("bench", vec!["--only".into(), "heap".into()]);
        assert_eq!(parsed("bench --only heap"), Ok(bench));
        let site = site::Options {
            out: Some("a/b".into()),
        };
        assert_eq!(parsed("site --out a/b"), Ok(Command::Site(site)));
        let published = published::Options {
            check: true,
            only: vec!["tower".into()],
        };
        assert_eq!(
            parsed("crate --check --only tower"),
            Ok(Command::Crate(published))
        );
        let test = test::Options {
            only: vec!["wasm".into(), "lint".into()],
            jobs: NonZeroUsize::new(3),
            quick: true,
            list: true,
        };
        assert_eq!(
            parsed("test --only wasm --list --jobs=3 --quick --only lint"),
            Ok(Command::Test(test))
        );
    }

    #[test]
    fn mistakes_are_named() {
        for (line, word) in [
            ("tset", "tset"),
            ("demo --twice", "--twice"),
            ("demo --port 65536", "--port"),
            ("test --only", "--only"),
            ("test --jobs 0", "--jobs"),
            ("demo now", "now"),
            ("--once", "--once"),
            ("pkg --once", "--once"),
            ("crate --only tower", "--only"),
        ] {
            let message = parsed(line).unwrap_err();
            assert!(message.contains(word), "{line}: {message}");
        }
    }

    #[test]
    fn help_names_every_command() {
        let others = ["demo", "test", "site", "pkg", "crate", "release", "help"];
        for command in scripts::NAMES.into_iter().chain(others) {
            assert!(HELP.contains(&format!("\n  {command}")), "{command}");
        }
    }
}
