//! Commands: what runs, where its output goes, and how it ends.

use std::ffi::{OsStr, OsString};
use std::fmt::{self, Write as _};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
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
    program: OsString,
    args: Vec<OsString>,
    dir: Option<PathBuf>,
    env: Vec<(OsString, Option<OsString>)>,
    remedy: Option<String>,
    limit: Option<Duration>,
    gives_way: bool,
}

/// Destination of a command's output.
pub enum Output<'a> {
    /// Both streams go to the end of a file, in the order in which they were written.
    File(&'a Path),
    /// Straight to the terminal.
    Terminal,
}

impl Cmd {
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            args: Vec::new(),
            dir: None,
            env: Vec::new(),
            remedy: None,
            limit: Some(DEFAULT_LIMIT),
            gives_way: false,
        }
    }

    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    pub fn args<I>(mut self, args: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<OsStr>,
    {
        self.args
            .extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    pub fn dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.dir = Some(dir.into());
        self
    }

    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.env
            .push((name.as_ref().to_owned(), Some(value.as_ref().to_owned())));
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

    /// For a command that runs until the reader stops it.
    pub fn unlimited(mut self) -> Self {
        self.limit = None;
        self
    }

    /// For what needs another limit than [`DEFAULT_LIMIT`].
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
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
        let output = self
            .command()
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    }

    /// Runs to the end.
    pub fn run(&self, output: &Output<'_>) -> Result<(), Failure> {
        let failure = |message: String| Failure {
            message,
            command: Some(self.to_string()),
            remedy: self.remedy.clone(),
            ..Failure::default()
        };
        let mut child = self.spawn(output).map_err(|error| {
            failure(format!(
                "{} could not be started: {error}",
                self.program.display()
            ))
        })?;
        let group = child.id();
        let started = Instant::now();
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) => {}
                Err(error) => {
                    end_group(&mut child);
                    return Err(failure(format!("waiting for it failed: {error}")));
                }
            }
            if signals::received().is_some() {
                end_group(&mut child);
                return Err(Failure {
                    interrupted: true,
                    ..failure("stopped".into())
                });
            }
            if let Some(limit) = self.limit.filter(|limit| started.elapsed() > *limit) {
                end_group(&mut child);
                return Err(failure(format!(
                    "still running after {} s",
                    limit.as_secs()
                )));
            }
            // Short commands are not made to wait for a tick.
            let young = started.elapsed() < Duration::from_millis(200);
            sleep(Duration::from_millis(if young { 5 } else { 50 }));
        };
        // Processes left running in the command's group would disturb the next one.
        signals::kill_group(group);
        if status.success() {
            Ok(())
        } else {
            Err(failure(how_it_ended(status)))
        }
    }

    fn command(&self) -> Command {
        let mut command = if self.gives_way {
            let mut nice = Command::new("nice");
            nice.args(["-n", "10"]).arg(&self.program);
            nice
        } else {
            Command::new(&self.program)
        };
        command.args(&self.args);
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

    fn spawn(&self, output: &Output<'_>) -> io::Result<Child> {
        let mut command = self.command();
        // Nothing here may ask a question.
        command.stdin(Stdio::null()).process_group(0);
        if let Output::File(path) = output {
            let file = append(path)?;
            command.stdout(file.try_clone()?).stderr(file);
        }
        command.spawn()
    }
}

impl fmt::Display for Cmd {
    /// The command line for a shell, without the environment.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(dir) = &self.dir {
            write!(f, "cd {} && ", quote(&dir.to_string_lossy()))?;
        }
        f.write_str(&quote(&self.program.to_string_lossy()))?;
        for arg in &self.args {
            f.write_char(' ')?;
            f.write_str(&quote(&arg.to_string_lossy()))?;
        }
        Ok(())
    }
}

pub fn append(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}

/// The first of `names` that is an executable file on PATH (or itself a path to one).
pub fn find_on_path(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    find_in(
        names,
        std::env::split_paths(&path).collect::<Vec<_>>().as_slice(),
    )
}

fn find_in(names: &[&str], folders: &[PathBuf]) -> Option<PathBuf> {
    names.iter().find_map(|name| {
        folders
            .iter()
            // An empty entry of PATH means the current folder, which may hold anybody's files.
            .filter(|folder| !folder.as_os_str().is_empty())
            .map(|folder| folder.join(name))
            .find(|path| executable(path))
    })
}

fn executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// Asks the group of `child` to end, and ends it when it does not.
fn end_group(child: &mut Child) {
    let group = child.id();
    signals::terminate_group(group);
    let since = Instant::now();
    // The child itself must be reaped before its group can be empty.
    while since.elapsed() < GRACE {
        let ended = matches!(child.try_wait(), Ok(Some(_)) | Err(_));
        if ended && !signals::group_exists(group) {
            return;
        }
        sleep(Duration::from_millis(20));
    }
    signals::kill_group(group);
    // Cannot block for long: SIGKILL cannot be ignored. The status of what we ended means nothing.
    drop(child.wait());
}

fn how_it_ended(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("it ended with exit code {code}"),
        (None, Some(signal)) => format!("it was ended by signal {signal}"),
        (None, None) => "it ended in an unknown way".into(),
    }
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

    fn log(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("xtask-cmd-{}-{name}", std::process::id()));
        drop(std::fs::remove_file(&path));
        path
    }

    fn shell(script: &str) -> Cmd {
        Cmd::new("sh").args(["-c", script])
    }

    /// A zombie that waits to be reaped does not run.
    fn runs(process: &str) -> bool {
        shell(&format!(
            "kill -0 {process} && ! grep -q '^State:.Z' /proc/{process}/status"
        ))
        .answer()
        .is_some()
    }

    #[test]
    fn the_probe_sees_a_process_that_runs() {
        assert!(runs(&std::process::id().to_string()));
        assert!(!runs("999999999"));
    }

    #[test]
    fn shows_what_can_be_typed() {
        let cmd = Cmd::new("node")
            .args(["-e", "it's", ""])
            .dir("tests/package");
        assert_eq!(cmd.to_string(), r"cd tests/package && node -e 'it'\''s' ''");
    }

    #[test]
    fn both_streams_are_kept_in_order() {
        let path = log("order");
        shell("echo one; echo two >&2; echo three")
            .run(&Output::File(&path))
            .unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\ntwo\nthree\n");
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_failure_names_command_and_remedy() {
        let path = log("fails");
        let cmd = shell("exit 3").remedy("repair it");
        let text = cmd.run(&Output::File(&path)).unwrap_err().to_string();
        assert!(text.contains("exit code 3"), "{text}");
        assert!(text.contains("command: sh -c 'exit 3'"), "{text}");
        assert!(text.contains("remedy:  repair it"), "{text}");
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_missing_program_is_named() {
        let path = log("missing");
        let failure = Cmd::new("no-such-program-at-all").run(&Output::File(&path));
        assert!(
            failure
                .unwrap_err()
                .message
                .starts_with("no-such-program-at-all could not be")
        );
        assert_eq!(Cmd::new("no-such-program-at-all").answer(), None);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_hang_ends_with_its_children() {
        let path = log("hang");
        let cmd = shell("sleep 300 & echo $!; wait").limit(Duration::from_millis(300));
        let failure = cmd.run(&Output::File(&path)).unwrap_err();
        assert!(failure.message.starts_with("still running"), "{failure}");
        assert!(!runs(std::fs::read_to_string(&path).unwrap().trim()));
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn nothing_is_left_behind_by_a_command_that_succeeds() {
        let path = log("left");
        shell("sleep 300 >/dev/null 2>&1 & echo $!")
            .run(&Output::File(&path))
            .unwrap();
        sleep(Duration::from_millis(100));
        assert!(!runs(std::fs::read_to_string(&path).unwrap().trim()));
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_command_gives_way_when_it_shall() {
        // Without a command, `nice` prints its own number; 19 is the highest.
        let number = |cmd: Cmd| cmd.answer().unwrap().parse::<i32>().unwrap();
        let ours = number(Cmd::new("nice"));
        assert_eq!(number(Cmd::new("nice").gives_way()), (ours + 10).min(19));
        assert_eq!(Cmd::new("nice").gives_way().to_string(), "nice");
    }

    #[test]
    fn answers_only_on_success() {
        assert_eq!(shell("echo yes").answer().as_deref(), Some("yes"));
        assert_eq!(shell("echo yes; exit 1").answer(), None);
    }

    #[test]
    fn a_folder_or_a_plain_file_is_no_program() {
        let dir = log("path");
        std::fs::create_dir_all(dir.join("folder")).unwrap();
        std::fs::write(dir.join("plain"), "").unwrap();
        let folders = [dir.clone(), PathBuf::from("/bin")];
        assert_eq!(
            find_in(&["folder", "plain", "sh"], &folders),
            Some("/bin/sh".into())
        );
        assert_eq!(find_in(&["folder", "plain"], &folders), None);
        // Cargo runs tests in the folder of the package: this path is a program there.
        let here = std::env::current_dir().unwrap();
        let up = here.ancestors().skip(1).map(|_| "..").collect::<Vec<_>>();
        let shell = format!("{}/bin/sh", up.join("/"));
        assert_eq!(find_in(&[&shell], &[PathBuf::new()]), None);
        assert!(find_in(&[&shell], &[here]).is_some());
        std::fs::remove_dir_all(dir).unwrap();
    }
}
