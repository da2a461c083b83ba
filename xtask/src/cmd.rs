//! Commands: what runs, where its output goes, and how it ends.

use std::ffi::{OsStr, OsString};
use std::fmt::{self, Write as _};
use std::fs::OpenOptions;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::signals;

/// How long a command may take to end once it was asked to.
const GRACE: Duration = Duration::from_secs(5);

/// Longer than the slowest build on two cores; a hang must not eat the whole time of a CI run.
const DEFAULT_LIMIT: Duration = Duration::from_secs(12 * 60);

/// A command line with its environment and what to do when it fails.
#[derive(Debug, Clone)]
pub struct Cmd {
    /// The program and its arguments.
    line: Vec<OsString>,
    dir: Option<PathBuf>,
    env: Vec<(OsString, Option<OsString>)>,
    remedy: Option<String>,
    limit: Duration,
    gives_way: bool,
}

impl Cmd {
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        Self {
            line: vec![program.as_ref().to_owned()],
            dir: None,
            env: Vec::new(),
            remedy: None,
            limit: DEFAULT_LIMIT,
            gives_way: false,
        }
    }

    pub fn arg(self, arg: impl AsRef<OsStr>) -> Self {
        self.args([arg])
    }

    pub fn args<I>(mut self, args: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<OsStr>,
    {
        let args = args.into_iter().map(|arg| arg.as_ref().to_owned());
        self.line.extend(args);
        self
    }

    pub fn dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.dir = Some(dir.into());
        self
    }

    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        let value = Some(value.as_ref().to_owned());
        self.env.push((name.as_ref().to_owned(), value));
        self
    }

    pub fn env_remove(mut self, name: impl AsRef<OsStr>) -> Self {
        self.env.push((name.as_ref().to_owned(), None));
        self
    }

    /// Advice to the reader when this command fails.
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    /// For a command that runs until it is done or the reader stops it.
    pub fn unlimited(self) -> Self {
        self.limit(Duration::MAX)
    }

    /// For what needs another limit than [`DEFAULT_LIMIT`].
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// For builds, and for tests without a browser: they take what tests in browsers leave of the cores. The latter
    /// have limits of time, and fail where others are only late.
    pub fn gives_way(mut self) -> Self {
        self.gives_way = true;
        self
    }

    /// The standard output of a short question such as `node --version`; `None` when it cannot be had.
    pub fn answer(&self) -> Option<String> {
        let mut command = self.command();
        let output = command.stderr(Stdio::null()).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    }

    /// Runs to the end, in the terminal.
    pub fn run(&self) -> Result<(), Failure> {
        self.to_end(self.command())
    }

    /// Runs to the end. Both streams go to the end of a file, in the order in which they were written.
    pub fn log_to(&self, log: &Path) -> Result<(), Failure> {
        let mut command = self.command();
        let file = OpenOptions::new().create(true).append(true).open(log);
        let files = file.and_then(|file| Ok((file.try_clone()?, file)));
        let (stdout, stderr) = files.map_err(|error| self.failure(error.to_string()))?;
        command.stdout(stdout).stderr(stderr);
        self.to_end(command)
    }

    fn to_end(&self, mut command: Command) -> Result<(), Failure> {
        let program = self.line[0].display();
        let mut child = command
            .process_group(0)
            .spawn()
            .map_err(|error| self.failure(format!("{program} could not be started: {error}")))?;
        let started = Instant::now();
        let status = loop {
            let waited = child.try_wait();
            if let Some(status) = waited.map_err(|error| self.failure(error.to_string()))? {
                break status;
            }
            if signals::received().is_some() {
                end_group(&mut child);
                let interrupted = true;
                return Err(Failure {
                    interrupted,
                    ..self.failure("stopped".into())
                });
            }
            if started.elapsed() > self.limit {
                end_group(&mut child);
                let seconds = self.limit.as_secs();
                return Err(self.failure(format!("still running after {seconds} s")));
            }
            // Short commands are not made to wait for a tick.
            let young = started.elapsed() < Duration::from_millis(200);
            sleep(Duration::from_millis(if young { 5 } else { 50 }));
        };
        // Processes left running in the command's group would disturb the next one.
        signals::send(child.id(), libc::SIGKILL);
        match (status.code(), status.signal()) {
            (Some(0), _) => Ok(()),
            (Some(code), _) => Err(self.failure(format!("it ended with exit code {code}"))),
            (None, signal) => {
                let signal = signal.unwrap_or_default();
                Err(self.failure(format!("it was ended by signal {signal}")))
            }
        }
    }

    fn failure(&self, message: String) -> Failure {
        Failure {
            command: Some(self.to_string()),
            remedy: self.remedy.clone(),
            ..Failure::new(message)
        }
    }

    fn command(&self) -> Command {
        let nice = ["nice", "-n", "10"].map(OsString::from);
        let nice = if self.gives_way { &nice[..] } else { &[] };
        let line = [nice, &self.line].concat();
        let mut command = Command::new(&line[0]);
        // Nothing here may ask a question.
        command.args(&line[1..]).stdin(Stdio::null());
        if let Some(dir) = &self.dir {
            command.current_dir(dir);
        }
        for (name, value) in &self.env {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
    }
}

impl fmt::Display for Cmd {
    /// The command line for a shell, without the environment.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(dir) = &self.dir {
            write!(f, "cd {} && ", quote(&dir.to_string_lossy()))?;
        }
        for (index, word) in self.line.iter().enumerate() {
            if index > 0 {
                f.write_char(' ')?;
            }
            f.write_str(&quote(&word.to_string_lossy()))?;
        }
        Ok(())
    }
}

/// The first of `names` that is an executable file on PATH (or itself a path to one).
pub fn find_on_path(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    // An empty entry of PATH means the current folder, which may hold anybody's files.
    let folders = std::env::split_paths(&path).filter(|folder| !folder.as_os_str().is_empty());
    let folders: Vec<PathBuf> = folders.collect();
    let executable = |path: &PathBuf| {
        path.metadata()
            .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(executable)
}

/// Asks the group of `child` to end, and ends it when it does not.
fn end_group(child: &mut Child) {
    let group = child.id();
    signals::send(group, libc::SIGTERM);
    let since = Instant::now();
    // The child itself must be reaped before its group can be empty.
    while since.elapsed() < GRACE {
        let ended = matches!(child.try_wait(), Ok(Some(_)) | Err(_));
        if ended && !signals::send(group, 0) {
            return;
        }
        sleep(Duration::from_millis(20));
    }
    signals::send(group, libc::SIGKILL);
    // Cannot block for long: SIGKILL cannot be ignored. The status of what we ended means nothing.
    drop(child.wait());
}

fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Cmd {
        Cmd::new("sh").args(["-c", script])
    }

    /// Runs a script that prints the id of a process in the background, which must not live on.
    fn leaves_nothing(name: &str, script: &str, limit: Duration) -> Result<(), Failure> {
        let name = format!("xtask-cmd-{}-{name}", std::process::id());
        let log = std::env::temp_dir().join(name);
        let result = shell(script).limit(limit).log_to(&log);
        sleep(Duration::from_millis(100));
        let process = std::fs::read_to_string(&log).unwrap();
        // A zombie that waits to be reaped does not run.
        let runs = |process: &str| {
            let state =
                format!("kill -0 {process} && ! grep -q '^State:.Z' /proc/{process}/status");
            shell(&state).answer().is_some()
        };
        assert!(runs(&std::process::id().to_string()));
        assert!(!runs(process.trim()), "{process}");
        std::fs::remove_file(log).unwrap();
        result
    }

    #[test]
    fn shows_what_can_be_typed() {
        let cmd = Cmd::new("node").args(["-e", "it's", ""]).dir("tests");
        assert_eq!(cmd.to_string(), r"cd tests && node -e 'it'\''s' ''");
    }

    #[test]
    fn a_failure_names_command_and_remedy() {
        let failure = shell("exit 3").remedy("repair it").run().unwrap_err();
        let expected = "it ended with exit code 3\n  command: sh -c 'exit 3'\n  remedy:  repair it";
        assert_eq!(failure.to_string(), expected);
        let failure = Cmd::new("no-such-program").run().unwrap_err();
        assert!(failure.message.starts_with("no-such-program could not be"));
        assert_eq!(shell("echo yes; exit 1").answer(), None);
    }

    #[test]
    fn no_process_outlives_its_command() {
        let hang = "sleep 300 & echo $!; wait";
        let failure = leaves_nothing("hang", hang, Duration::from_millis(300)).unwrap_err();
        assert!(failure.message.starts_with("still running"), "{failure}");
        let forgets = "sleep 300 >/dev/null 2>&1 & echo $!";
        leaves_nothing("forgets", forgets, DEFAULT_LIMIT).unwrap();
    }
}
