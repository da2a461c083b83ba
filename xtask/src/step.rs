//! Steps: each has a name and a log file with the output of its commands, and ends with one clear message.

use std::fs;
use std::io::{self, IsTerminal, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::cmd::{Cmd, Output, append};
use crate::failure::{Failure, file_failure};
use crate::log::{self, COMMAND, last_line, read, tail};
use crate::signals;
use crate::workspace::Workspace;

/// Without a terminal, a running step speaks up after this time, and again after each further one.
const QUIET: Duration = Duration::from_secs(15);

/// Prints the steps of one xtask command, several of which may run at the same time.
pub struct Console {
    logs: PathBuf,
    screen: Screen,
    pub verbose: bool,
}

/// Standard output, which the steps and the progress of others share.
struct Screen {
    terminal: bool,
    lock: Mutex<()>,
}

/// A step while it runs, on a thread of its own.
pub struct Step<'a> {
    log: PathBuf,
    screen: &'a Screen,
    note: String,
    report: String,
}

/// A step that has ended.
#[derive(Debug)]
pub struct Ended {
    pub time: Duration,
    pub result: Result<(), Failure>,
    log: PathBuf,
    note: String,
    report: String,
}

/// The shown state of a step that runs.
pub struct Progress {
    name: String,
    log: PathBuf,
    started: Instant,
    shown: Instant,
    /// How much of the log was streamed already.
    streamed: u64,
}

impl Console {
    /// `folder` (under target) receives one log per step; the logs of an earlier run are removed.
    pub fn new(workspace: &Workspace, folder: &str, verbose: bool) -> Result<Self, Failure> {
        let logs = workspace.target.join(folder);
        drop(fs::remove_dir_all(&logs));
        fs::create_dir_all(&logs).map_err(|error| file_failure("create", &logs, &error))?;
        let terminal = io::stdout().is_terminal() && !verbose;
        let screen = Screen {
            terminal,
            lock: Mutex::new(()),
        };
        Ok(Self {
            logs,
            screen,
            verbose,
        })
    }

    /// Runs the body of step number `number`. Prints nothing.
    pub fn run(
        &self,
        number: usize,
        name: &str,
        body: impl FnOnce(&mut Step<'_>) -> Result<(), Failure>,
    ) -> Ended {
        let started = Instant::now();
        let mut step = Step {
            log: self.log_of(number, name),
            screen: &self.screen,
            note: String::new(),
            report: String::new(),
        };
        let result = body(&mut step);
        let Step {
            log, note, report, ..
        } = step;
        Ended {
            time: started.elapsed(),
            result,
            log,
            note,
            report,
        }
    }

    /// Returns the progress of a step that starts now.
    pub fn started(&self, number: usize, name: &str) -> Progress {
        let _screen = self.screen.take();
        if self.verbose {
            println!("> {name}");
        }
        let now = Instant::now();
        Progress {
            name: name.to_owned(),
            log: self.log_of(number, name),
            started: now,
            shown: now,
            streamed: 0,
        }
    }

    /// Shows which steps run: on a terminal in one line that is erased again, elsewhere in a line each now and then.
    pub fn show<'a>(&self, running: impl Iterator<Item = &'a mut Progress>) {
        let _screen = self.screen.take();
        let mut status = Vec::new();
        for progress in running {
            let seconds = progress.started.elapsed().as_secs();
            if self.verbose {
                progress.stream();
            } else if self.screen.terminal {
                status.push(format!("{}, {seconds} s", progress.name));
            } else if progress.shown.elapsed() >= QUIET {
                progress.shown = Instant::now();
                let line = format!(
                    "  …       {}, {seconds} s  {}",
                    progress.name,
                    last_line(&tail(&progress.log))
                );
                println!("{}", one_line(line));
            }
        }
        if !status.is_empty() {
            print!(
                "\r\x1b[2K{}",
                one_line(format!("  …       {}", status.join("; ")))
            );
        }
        drop(io::stdout().flush());
    }

    /// Prints how a step ended. If it failed, prints its whole log.
    pub fn ended(
        &self,
        mut progress: Progress,
        Ended {
            time,
            result,
            log,
            note,
            report,
        }: &Ended,
    ) {
        let _screen = self.screen.take();
        if self.verbose {
            progress.stream();
        }
        let name = progress.name;
        let seconds = time.as_secs_f64();
        match result {
            Ok(()) => {
                println!("  ok      {name:<34} {seconds:>6.1} s  {note}");
                print!("{report}");
            }
            Err(failure) if failure.interrupted => {
                println!("  stopped {name:<34} {seconds:>6.1} s")
            }
            Err(failure) => {
                println!("  FAILED  {name:<34} {seconds:>6.1} s");
                if !self.verbose {
                    print!("{}", indented(&read(log)));
                }
                println!("step \"{name}\" failed: {failure}");
                if log.exists() {
                    println!("  log:     {}", log.display());
                }
            }
        }
        // A pipe shows the line now, not at the end.
        drop(io::stdout().flush());
    }

    /// Prints that a step was not run, because a step that it needs failed.
    pub fn blocked(&self, name: &str, by: &str) {
        let _screen = self.screen.take();
        println!("  NOT RUN {name}: it needs \"{by}\"");
    }

    /// Prints a text at once.
    pub fn say(&self, text: &str) {
        self.screen.say(text);
    }

    fn log_of(&self, number: usize, name: &str) -> PathBuf {
        self.logs.join(log::name(number, name))
    }
}

impl Screen {
    /// Waits until no step prints, and erases the line of progress.
    fn take(&self) -> MutexGuard<'_, ()> {
        let guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        if self.terminal {
            print!("\r\x1b[2K");
        }
        guard
    }

    fn say(&self, text: &str) {
        let _screen = self.take();
        print!("{text}");
        drop(io::stdout().flush());
    }
}

impl Step<'_> {
    /// Runs a command and returns what it printed.
    pub fn run(&mut self, cmd: &Cmd) -> Result<String, Failure> {
        // A signal between two commands stops here.
        if signals::received().is_some() {
            return Err(Failure::stopped());
        }
        append(&self.log)
            .and_then(|mut log| writeln!(log, "{COMMAND}{cmd}"))
            .map_err(|error| file_failure("write", &self.log, &error))?;
        let before = read(&self.log).len();
        cmd.run(&Output::File(&self.log))?;
        Ok(read(&self.log).get(before..).unwrap_or_default().to_owned())
    }

    /// Prints `text` at once and asks the reader a question. Ctrl-C ends the wait for the answer.
    pub fn confirm(&self, text: &str, question: &str) -> Result<bool, Failure> {
        // Until the answer: progress of other steps would hide the question.
        let _screen = self.screen.take();
        print!("{text}{question} [Y/n] ");
        drop(io::stdout().flush());
        let (send, answer) = mpsc::channel();
        // A thread, because reading a line goes on after a signal.
        thread::spawn(move || {
            let mut line = String::new();
            let read = io::stdin().read_line(&mut line).unwrap_or(0);
            drop(send.send((read > 0).then_some(line)));
        });
        loop {
            match answer.recv_timeout(Duration::from_millis(50)) {
                Ok(line) => return Ok(line.is_some_and(|line| agrees(&line))),
                Err(RecvTimeoutError::Disconnected) => return Ok(false),
                Err(RecvTimeoutError::Timeout) if signals::received().is_some() => {
                    return Err(Failure::stopped());
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Prints a text at once.
    pub fn say(&self, text: &str) {
        self.screen.say(text);
    }

    /// A few words next to the time of the step.
    pub fn note(&mut self, note: impl Into<String>) {
        self.note = note.into();
    }

    /// Lines to print below the step once it has succeeded.
    pub fn report(&mut self, report: impl Into<String>) {
        self.report = report.into();
    }

    /// Output of this step's commands so far.
    pub fn printed(&self) -> String {
        log::output(&read(&self.log))
    }
}

impl Progress {
    fn stream(&mut self) {
        let mut fresh = Vec::new();
        let read = fs::File::open(&self.log).and_then(|mut file| {
            file.seek(SeekFrom::Start(self.streamed))?;
            file.read_to_end(&mut fresh)
        });
        if let Ok(length) = read {
            self.streamed += length as u64;
            drop(io::stdout().write_all(&fresh));
        }
    }
}

/// So short that it can be erased.
fn one_line(mut line: String) -> String {
    if let Some((end, _)) = line.char_indices().nth(78) {
        line.truncate(end);
    }
    line
}

/// Enter alone takes the answer in upper case.
fn agrees(line: &str) -> bool {
    matches!(line.trim().to_ascii_lowercase().as_str(), "" | "y" | "yes")
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    | {line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace(name: &str) -> Workspace {
        let root = std::env::temp_dir().join(format!("xtask-step-{}-{name}", std::process::id()));
        Workspace {
            target: root.join("target"),
            root,
        }
    }

    #[test]
    fn a_step_returns_only_the_output_of_its_command() {
        let ws = workspace("output");
        let console = Console::new(&ws, "logs", false).unwrap();
        let ended = console.run(1, "two commands", |step| {
            step.run(&Cmd::new("echo").arg("first"))?;
            assert_eq!(step.run(&Cmd::new("echo").arg("second"))?, "second\n");
            assert_eq!(step.printed(), "first\nsecond\n");
            Ok(())
        });
        ended.result.unwrap();
        let log = fs::read_to_string(ws.target.join("logs/01-two-commands.log")).unwrap();
        assert_eq!(log, "$ echo first\nfirst\n$ echo second\nsecond\n");
        fs::remove_dir_all(ws.root).unwrap();
    }

    #[test]
    fn the_first_failure_ends_a_step() {
        let ws = workspace("failure");
        let console = Console::new(&ws, "logs", false).unwrap();
        let ended = console.run(1, "fails", |step| {
            step.run(&Cmd::new("false"))?;
            step.run(&Cmd::new("echo").arg("not reached")).map(drop)
        });
        assert!(ended.result.unwrap_err().message.contains("exit code 1"));
        let log = fs::read_to_string(ws.target.join("logs/01-fails.log")).unwrap();
        assert!(!log.contains("not reached"));
        fs::remove_dir_all(ws.root).unwrap();
    }

    #[test]
    fn only_a_yes_is_a_yes() {
        for yes in ["\n", "y\n", "Yes\n", " YES "] {
            assert!(agrees(yes), "{yes:?}");
        }
        for no in ["n\n", "no\n", "nope", "yn", "?"] {
            assert!(!agrees(no), "{no:?}");
        }
    }
}
