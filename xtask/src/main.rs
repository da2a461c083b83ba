//! The project's own commands: `cargo xtask help`.

#[cfg(not(unix))]
compile_error!("cargo xtask runs on Linux and macOS; on Windows, use it inside WSL");

mod bench;
mod browsers;
mod checks;
mod cmd;
mod counts;
mod demo;
mod lab_wasm;
mod pkg;
mod plan;
mod schedule;
mod schedules;
mod setup;
mod signals;
mod site;
mod step;
mod test;
mod thin_wasm;
mod wasm;
mod workspace;

use std::process::ExitCode;

use cmd::Failure;
use plan::Context;
use workspace::Workspace;

const HELP: &str = "\
cargo xtask <command>

  demo [--once] [--port N]
      retries against a misbehaving server, in Node and then on a page;
      --once ends after the part in Node
  test [--quick] [--list] [--only NAME]... [--jobs N] [--verbose]
      every check there is; --quick runs those that need no browser; --only runs the steps whose
      names contain NAME; --jobs runs so many steps at once, by default one per core;
      --verbose shows all output, one step at a time
  bench [--quick] [--only NAME]... [--readme]
      measures the packed package against its peers: speed, memory, bytes; --quick is over in a
      minute; --only runs the parts whose names contain NAME; --readme writes the README's tables
  schedules [--count N] [--seed S]
      random hostile schedules against the packed package, a million by default
  site [--out DIR]
      the page as static files, in target/site or in DIR
  pkg
      builds the npm package into target/pkg and packs it
  help
      prints this

Each command first installs any missing dependencies. Browsers for the tests are packages of the
system: before xtask installs these with sudo it shows the commands, and asks if there is a terminal.
";

#[derive(Debug, PartialEq, Eq)]
enum Command {
    Demo(demo::Options),
    Test(test::Options),
    Bench(bench::Options),
    Schedules(schedules::Options),
    Site(site::Options),
    Pkg,
    Help,
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    signals::listen();
    let result = parse(&args).and_then(run);
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
    match command {
        Command::Demo(options) => demo::run(&ws, &options),
        Command::Test(options) => test::run(&ws, &options),
        Command::Bench(options) => bench::run(&ws, &options),
        Command::Schedules(options) => schedules::run(&ws, &options),
        Command::Site(options) => site::run(&ws, &options),
        Command::Pkg => {
            let cx = Context {
                list_files: true,
                ..Context::new(&ws)
            };
            plan::set_up(&cx, &[pkg::PACK])
        }
        Command::Help => {
            print!("{HELP}");
            Ok(())
        }
    }
}

fn parse(args: &[String]) -> Result<Command, Failure> {
    let mut args = args.iter().map(String::as_str);
    let name = args.next().unwrap_or("help");
    let mut command = match name {
        "demo" => Command::Demo(demo::Options::default()),
        "test" => Command::Test(test::Options::default()),
        "bench" => Command::Bench(bench::Options::default()),
        "schedules" => Command::Schedules(schedules::Options::default()),
        "site" => Command::Site(site::Options::default()),
        "pkg" => Command::Pkg,
        "help" | "--help" | "-h" => Command::Help,
        _ => return Err(usage(format!("there is no command {name:?}"))),
    };
    while let Some(arg) = args.next() {
        match (&mut command, arg) {
            (Command::Demo(options), "--once") => options.once = true,
            (Command::Demo(options), "--port") => {
                let port = args.next().and_then(|port| port.parse().ok());
                options.port =
                    Some(port.ok_or_else(|| usage("--port needs a number up to 65535"))?);
            }
            (Command::Test(options), "--list") => options.list = true,
            (Command::Test(options), "--verbose") => options.verbose = true,
            (Command::Test(options), "--quick") => options.quick = true,
            (Command::Test(options), "--jobs") => {
                let jobs = args.next().and_then(|number| number.parse().ok());
                let jobs = jobs.filter(|jobs| *jobs > 0);
                options.jobs = Some(jobs.ok_or_else(|| usage("--jobs needs a positive integer"))?);
            }
            (Command::Test(options), "--only") => {
                let step = args
                    .next()
                    .ok_or_else(|| usage("--only needs the name of a step"))?;
                options.only.push(step.to_owned());
            }
            (Command::Bench(options), "--quick") => options.quick = true,
            (Command::Bench(options), "--readme") => options.readme = true,
            (Command::Bench(options), "--only") => {
                let part = args
                    .next()
                    .ok_or_else(|| usage("--only needs the name of a part"))?;
                options.only.push(part.to_owned());
            }
            (Command::Schedules(options), "--count") => {
                let count = args.next().and_then(|number| number.parse().ok());
                options.count = count.ok_or_else(|| usage("--count needs a whole number"))?;
            }
            (Command::Schedules(options), "--seed") => {
                let seed = args.next().and_then(|number| number.parse().ok());
                options.seed = Some(seed.ok_or_else(|| usage("--seed needs a whole number"))?);
            }
            (Command::Site(options), "--out") => {
                let folder = args.next().ok_or_else(|| usage("--out needs a folder"))?;
                options.out = Some(folder.into());
            }
            _ => return Err(usage(format!("{name} does not know {arg:?}"))),
        }
    }
    Ok(command)
}

fn usage(message: impl Into<String>) -> Failure {
    Failure::new(message).remedy("cargo xtask help")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Command, String> {
        let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        parse(&args).map_err(|failure| failure.message)
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
        let bench = bench::Options {
            quick: true,
            only: vec!["heap".into(), "cold".into()],
            readme: true,
        };
        assert_eq!(
            parsed("bench --only heap --quick --readme --only cold"),
            Ok(Command::Bench(bench))
        );
        let schedules = schedules::Options {
            count: 50,
            seed: Some(3),
        };
        assert_eq!(
            parsed("schedules --seed 3 --count 50"),
            Ok(Command::Schedules(schedules))
        );
        let site = site::Options {
            out: Some("a/b".into()),
        };
        assert_eq!(parsed("site --out a/b"), Ok(Command::Site(site)));
        let test = test::Options {
            only: vec!["wasm".into(), "lint".into()],
            verbose: true,
            ..test::Options::default()
        };
        assert_eq!(
            parsed("test --only wasm --verbose --only lint"),
            Ok(Command::Test(test))
        );
    }

    #[test]
    fn mistakes_are_named() {
        for (line, word) in [
            ("tset", "tset"),
            ("demo --twice", "--twice"),
            ("demo --port", "--port"),
            ("demo --port 65536", "--port"),
            ("test --only", "--only"),
            ("pkg --once", "--once"),
            ("bench --only", "--only"),
            ("bench --once", "--once"),
            ("schedules --count many", "--count"),
            ("schedules --seed", "--seed"),
            ("site --out", "--out"),
        ] {
            let message = parsed(line).unwrap_err();
            assert!(message.contains(word), "{line}: {message}");
        }
    }

    #[test]
    fn help_names_every_command() {
        for command in ["demo", "test", "bench", "schedules", "site", "pkg", "help"] {
            assert!(HELP.contains(&format!("\n  {command}")), "{command}");
        }
    }
}
