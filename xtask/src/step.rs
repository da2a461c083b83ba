//! A step while it runs: its commands write to one log file.

use std::fs::{self, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::cmd::Cmd;
use crate::failure::{Failure, file_failure};
use crate::signals;

/// Standard output, which steps share that run at the same time.
static SCREEN: Mutex<()> = Mutex::new(());

/// Erases the line of progress, which only a terminal has.
const ERASE: &str = "\r\x1b[2K";

#[derive(Debug)]
pub struct Step {
    pub name: String,
    pub log: PathBuf,
    /// A few words next to the time of the step.
    pub note: String,
    /// Lines to print below the step once it has succeeded.
    pub report: String,
}

impl Step {
    /// A step whose log lies in `logs`, under its name.
    pub fn new(name: &str, logs: &Path) -> Self {
        let words = name.split(|c: char| !c.is_ascii_alphanumeric());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        Self {
            name: name.to_owned(),
            log: logs.join(format!("{}.log", words.join("-").to_ascii_lowercase())),
            note: String::new(),
            report: String::new(),
        }
    }

    /// Runs a command and returns what it printed.
    pub fn run(&mut self, cmd: &Cmd) -> Result<String, Failure> {
        // A signal between two commands stops here.
        if signals::received().is_some() {
            return Err(Failure::stopped());
        }
        let log = OpenOptions::new().create(true).append(true).open(&self.log);
        log.and_then(|mut log| writeln!(log, "$ {cmd}"))
            .map_err(|error| file_failure("write", &self.log, &error))?;
        let before = self.printed().len();
        cmd.log_to(&self.log)?;
        Ok(self.printed().split_off(before))
    }

    pub fn note(&mut self, note: impl Into<String>) {
        self.note = note.into();
    }

    pub fn report(&mut self, report: impl Into<String>) {
        self.report = report.into();
    }

    /// The log so far.
    pub fn printed(&self) -> String {
        let bytes = fs::read(&self.log).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// Prints a text at once.
pub fn say(text: &str) {
    let _screen = SCREEN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut stdout = io::stdout();
    let erase = if stdout.is_terminal() { ERASE } else { "" };
    print!("{erase}{text}");
    drop(stdout.flush());
}

/// Shows a text that the next one erases.
pub fn show(text: &str) {
    // Longer lines would wrap, and could not be erased.
    say(&text.chars().take(78).collect::<String>());
}

/// Asks the reader a question. Ctrl-C ends the wait for the answer.
pub fn confirm(question: &str) -> Result<bool, Failure> {
    // Until the answer: progress of other steps would hide the question.
    let _screen = SCREEN.lock().unwrap_or_else(PoisonError::into_inner);
    print!("{question} [Y/n] ");
    drop(io::stdout().flush());
    let (send, answer) = mpsc::channel();
    // A thread, because reading a line goes on after a signal.
    thread::spawn(move || {
        let mut line = String::new();
        let read = io::stdin().read_line(&mut line).unwrap_or(0);
        let yes = ["", "y", "yes"].contains(&line.trim().to_ascii_lowercase().as_str());
        // Nobody may wait for the answer any more.
        let _ = send.send(read > 0 && yes);
    });
    loop {
        match answer.recv_timeout(Duration::from_millis(50)) {
            Err(RecvTimeoutError::Timeout) if signals::received().is_some() => {
                return Err(Failure::stopped());
            }
            Err(RecvTimeoutError::Timeout) => {}
            answer => return Ok(answer.unwrap_or(false)),
        }
    }
}
