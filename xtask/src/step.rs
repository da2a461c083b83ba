//! Named, timed steps: progress while one runs, its output in a log file, one clear message when it
//! fails.

use std::fs;
use std::io::{self, IsTerminal, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::cmd::{Cmd, Failure, Output, append};
use crate::signals;
use crate::workspace::Workspace;

/// Without a terminal, a running step speaks up after this time, and again after each further one.
const QUIET: Duration = Duration::from_secs(15);

/// Marks the lines of a log that are the commands.
const COMMAND: &str = "$ ";

/// Prints the steps of one xtask command.
pub struct Console {
    logs: PathBuf,
    terminal: bool,
    verbose: bool,
    steps: usize,
}

/// A step while it runs.
pub struct Step<'a> {
    name: &'a str,
    log: PathBuf,
    progress: Progress,
    note: String,
}

struct Progress {
    started: Instant,
    terminal: bool,
    verbose: bool,
    shown: Option<Instant>,
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
        Ok(Self {
            logs,
            terminal,
            verbose,
            steps: 0,
        })
    }

    pub fn heading(&self, text: &str) {
        println!("{text}");
    }

    /// Runs `body` as a step. On failure the whole log is printed.
    pub fn step<T>(
        &mut self,
        name: &str,
        body: impl FnOnce(&mut Step<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.steps += 1;
        let log = self.logs.join(log_name(self.steps, name));
        let started = Instant::now();
        let progress = Progress {
            started,
            terminal: self.terminal,
            verbose: self.verbose,
            shown: None,
            streamed: 0,
        };
        let mut step = Step {
            name,
            log,
            progress,
            note: String::new(),
        };
        if self.verbose {
            println!("> {name}");
        }
        step.tick();
        // A signal between two commands stops here.
        let result = match signals::received() {
            Some(_) => Err(Failure {
                interrupted: true,
                ..Failure::new("stopped")
            }),
            None => body(&mut step),
        };
        step.erase();
        let seconds = started.elapsed().as_secs_f64();
        match &result {
            Ok(_) => println!("  ok      {name:<34} {seconds:>6.1} s  {}", step.note),
            Err(failure) if failure.interrupted => {
                println!("  stopped {name:<34} {seconds:>6.1} s");
            }
            Err(failure) => {
                println!("  FAILED  {name:<34} {seconds:>6.1} s");
                if !self.verbose {
                    print!("{}", indented(&step.output()));
                }
                println!("step \"{name}\" failed: {failure}");
                if step.log.exists() {
                    println!("  log:     {}", step.log.display());
                }
            }
        }
        // A pipe shows the line now, not at the end.
        drop(io::stdout().flush());
        result.map_err(|failure| Failure {
            reported: true,
            ..failure
        })
    }
}

impl Step<'_> {
    /// Runs a command and returns what it printed.
    pub fn run(&mut self, cmd: &Cmd) -> Result<String, Failure> {
        let start = || -> io::Result<()> {
            // Again: another xtask that begins meanwhile removes the logs of earlier runs.
            fs::create_dir_all(self.log.parent().unwrap_or(Path::new("")))?;
            writeln!(append(&self.log)?, "{COMMAND}{cmd}")
        };
        start().map_err(|error| file_failure("write", &self.log, &error))?;
        let before = self.output().len();
        let log = self.log.clone();
        let result = cmd.run(&Output::File(&log), || self.tick());
        self.progress.stream(&log);
        // Another run in the same folder may have removed what was there before.
        result.map(|()| self.output().get(before..).unwrap_or_default().to_owned())
    }

    /// Prints a text between the lines of progress.
    pub fn say(&self, text: &str) {
        self.erase();
        print!("{text}");
        drop(io::stdout().flush());
    }

    /// Asks the reader a question. Ctrl-C ends the wait for the answer.
    pub fn confirm(&self, question: &str) -> Result<bool, Failure> {
        self.say(&format!("{question} [Y/n] "));
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
                    return Err(Failure {
                        interrupted: true,
                        ..Failure::new("stopped")
                    });
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// A few words beside the time of the step.
    pub fn note(&mut self, note: impl Into<String>) {
        self.note = note.into();
    }

    /// What the commands of this step printed so far.
    pub fn printed(&self) -> String {
        let output = self.output();
        let lines = output.lines().filter(|line| !line.starts_with(COMMAND));
        lines.map(|line| format!("{line}\n")).collect()
    }

    /// The same with the commands themselves.
    fn output(&self) -> String {
        fs::read(&self.log)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default()
    }

    fn tick(&mut self) {
        self.progress.stream(&self.log);
        self.progress.show(self.name, &self.log);
    }

    fn erase(&self) {
        if self.progress.terminal {
            print!("\r\x1b[2K");
        }
    }
}

impl Progress {
    fn stream(&mut self, log: &Path) {
        if !self.verbose {
            return;
        }
        let mut fresh = Vec::new();
        let read = fs::File::open(log).and_then(|mut file| {
            file.seek(SeekFrom::Start(self.streamed))?;
            file.read_to_end(&mut fresh)
        });
        if let Ok(length) = read {
            self.streamed += length as u64;
            let mut out = io::stdout();
            drop(out.write_all(&fresh).and_then(|()| out.flush()));
        }
    }

    fn show(&mut self, name: &str, log: &Path) {
        let every = if self.terminal {
            Duration::from_secs(1)
        } else {
            QUIET
        };
        // A terminal shows the name at once; a log only hears of steps that take their time.
        let last = match self.shown {
            None if self.terminal => None,
            shown => Some(shown.unwrap_or(self.started)),
        };
        if self.verbose || last.is_some_and(|last| last.elapsed() < every) {
            return;
        }
        self.shown = Some(Instant::now());
        let seconds = self.started.elapsed().as_secs();
        let mut line = format!("  …       {name}, {seconds} s  {}", last_line(&tail(log)));
        // One line, so that it can be erased.
        if let Some((end, _)) = line.char_indices().nth(78) {
            line.truncate(end);
        }
        if self.terminal {
            print!("\r\x1b[2K{line}");
            drop(io::stdout().flush());
        } else {
            println!("{line}");
        }
    }
}

/// Enter alone takes the answer in capitals.
fn agrees(line: &str) -> bool {
    matches!(line.trim().to_ascii_lowercase().as_str(), "" | "y" | "yes")
}

pub fn file_failure(verb: &str, path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("cannot {verb} {}: {error}", path.display()))
}

/// The last few hundred bytes.
fn tail(log: &Path) -> String {
    let read = || -> io::Result<Vec<u8>> {
        let mut file = fs::File::open(log)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(400)))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    String::from_utf8_lossy(&read().unwrap_or_default()).into_owned()
}

/// The last line with something to read in it, without control characters.
fn last_line(text: &str) -> String {
    let lines = text
        .lines()
        .filter(|line| !line.starts_with(COMMAND))
        .rev()
        .map(|line| without_escapes(line).trim().to_owned());
    lines
        .into_iter()
        .find(|line| !line.is_empty())
        .unwrap_or_default()
}

/// Without the colours and cursor movements of terminals.
pub fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' && chars.peek() == Some(&'[') {
            // ESC [ … letter
            chars.by_ref().skip(1).find(|c| ('@'..='~').contains(c));
        } else if c == '\n' || c == '\t' || !c.is_control() {
            plain.push(c);
        }
    }
    plain
}

fn log_name(number: usize, step: &str) -> String {
    let keep = |c: char| {
        if c.is_ascii_alphanumeric() || c == '.' {
            c.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    let words: String = step.chars().map(keep).collect();
    let words: Vec<&str> = words.split('-').filter(|word| !word.is_empty()).collect();
    format!("{number:02}-{}.log", words.join("-"))
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
        let mut console = Console::new(&ws, "logs", false).unwrap();
        let second = console.step("two commands", |step| {
            step.run(&Cmd::new("echo").arg("first"))?;
            let second = step.run(&Cmd::new("echo").arg("second"));
            assert_eq!(step.printed(), "first\nsecond\n");
            second
        });
        assert_eq!(second.unwrap(), "second\n");
        let log = fs::read_to_string(ws.target.join("logs/01-two-commands.log")).unwrap();
        assert_eq!(log, "$ echo first\nfirst\n$ echo second\nsecond\n");
        fs::remove_dir_all(ws.root).unwrap();
    }

    #[test]
    fn the_first_failure_ends_a_step() {
        let ws = workspace("failure");
        let mut console = Console::new(&ws, "logs", false).unwrap();
        let failure = console.step("fails", |step| {
            step.run(&Cmd::new("false"))?;
            step.run(&Cmd::new("echo").arg("not reached"))
        });
        assert!(failure.unwrap_err().message.contains("exit code 1"));
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

    #[test]
    fn log_names_are_plain() {
        assert_eq!(log_name(3, "wasm: Node (full)"), "03-wasm-node-full.log");
        assert_eq!(log_name(12, "esm.test.mjs"), "12-esm.test.mjs.log");
    }

    #[test]
    fn progress_shows_the_last_readable_line() {
        assert_eq!(last_line("one\n\u{1b}[32mtwo\u{1b}[0m\r\n  \n"), "two");
        assert_eq!(last_line("one\n$ a command\n"), "one");
        assert_eq!(last_line(""), "");
    }

    #[test]
    fn escapes_go_and_text_stays() {
        assert_eq!(
            without_escapes("\u{1b}[1;31mred\u{1b}[0m [plain]\n"),
            "red [plain]\n"
        );
    }
}
