//! Steps as data: what each needs, and how it runs.

use std::path::PathBuf;
use std::sync::OnceLock;

use crate::cmd::Cmd;
use crate::counts::{Counts, Runner};
use crate::failure::Failure;
use crate::found::{Found, Servers, WebKit};
use crate::schedule::Room;
use crate::step::Step;
use crate::workspace::Workspace;

/// Cargo locks its build folder: of the commands that use `target/debug`, all but one would only wait.
pub const TARGET: Room = Room {
    name: "target/debug",
    places: 1,
};

/// Two installations at once would wait for each other, or fail.
pub const APT: Room = Room {
    name: "apt-get",
    places: 1,
};

/// Each of these builds uses all cores: one after the other, they leave some for the tests.
pub const TOOL_BUILDS: Room = Room {
    name: "builds of tools",
    places: 1,
};

/// A test starts one or two browsers, each of several processes: more would be too slow for their own time limits.
pub const BROWSERS: Room = Room {
    name: "browsers",
    places: 2,
};

type SetUp = fn(&Context<'_>, &mut Step) -> Result<(), Failure>;
type Commands = Box<dyn Fn(&Context<'_>) -> Vec<Cmd> + Send + Sync>;

/// Results of the set-up steps, for the steps that name them in `after`.
pub struct Context<'a> {
    pub ws: &'a Workspace,
    /// Whether random tests take fewer cases.
    pub quick: bool,
    /// Whether the files of the package are printed.
    pub list_files: bool,
    pub node: OnceLock<String>,
    pub browsers: OnceLock<Found>,
    pub wasm_pack: OnceLock<PathBuf>,
    pub geckodriver: OnceLock<PathBuf>,
    pub webkit: OnceLock<WebKit>,
    pub servers: OnceLock<Servers>,
}

pub struct Plan {
    pub name: String,
    /// Names of the steps that must succeed before.
    pub after: Vec<&'static str>,
    pub room: Option<Room>,
    /// Whether `cargo xtask test --quick` runs it.
    pub quick: bool,
    /// About how long it runs, compared with others.
    pub seconds: u32,
    work: Work,
}

enum Work {
    SetUp(SetUp),
    /// Tests, and who prints their summary.
    Tests(Runner, Commands),
}

impl<'a> Context<'a> {
    pub fn new(ws: &'a Workspace) -> Self {
        Self {
            ws,
            quick: false,
            list_files: false,
            node: OnceLock::new(),
            browsers: OnceLock::new(),
            wasm_pack: OnceLock::new(),
            geckodriver: OnceLock::new(),
            webkit: OnceLock::new(),
            servers: OnceLock::new(),
        }
    }
}

/// Returns the value that an earlier step has set.
pub fn known<T>(cell: &OnceLock<T>) -> &T {
    cell.get()
        .expect("a step names in `after` the step that sets what it reads")
}

/// Keeps what a step has found.
pub fn keep<T>(cell: &OnceLock<T>, value: T) {
    // A step runs once.
    drop(cell.set(value));
}

impl Plan {
    fn new(name: String, after: &[&'static str], work: Work) -> Self {
        Self {
            name,
            after: after.into(),
            room: None,
            quick: false,
            seconds: 0,
            work,
        }
    }

    pub fn set_up(name: &str, after: &[&'static str], body: SetUp) -> Self {
        Self::new(name.into(), after, Work::SetUp(body))
    }

    pub fn tests(
        name: impl Into<String>,
        runner: Runner,
        after: &[&'static str],
        commands: impl Fn(&Context<'_>) -> Vec<Cmd> + Send + Sync + 'static,
    ) -> Self {
        Self::new(name.into(), after, Work::Tests(runner, Box::new(commands)))
    }

    /// For a command that is right or wrong as a whole.
    pub fn check(
        name: impl Into<String>,
        after: &[&'static str],
        commands: impl Fn(&Context<'_>) -> Vec<Cmd> + Send + Sync + 'static,
    ) -> Self {
        Self::tests(name, Runner::Check, after, commands)
    }

    pub fn room(mut self, room: Room) -> Self {
        self.room = Some(room);
        self
    }

    pub fn quick(mut self) -> Self {
        self.quick = true;
        self
    }

    pub fn is_test(&self) -> bool {
        matches!(self.work, Work::Tests(..))
    }

    /// Runs it, and counts its tests.
    pub fn run(&self, cx: &Context<'_>, step: &mut Step) -> (Counts, Result<(), Failure>) {
        let (runner, commands) = match &self.work {
            Work::SetUp(body) => return (Counts::default(), body(cx, step)),
            Work::Tests(runner, commands) => (runner, commands),
        };
        let mut commands = commands(cx).into_iter();
        let ran = commands.try_for_each(|cmd| step.run(&cmd).map(drop));
        let counts = runner.count(&step.printed(), ran.is_ok());
        let Counts {
            passed,
            failed,
            skipped,
        } = counts;
        step.note(format!("{passed} passed"));
        if skipped > 0 {
            step.note += &format!(", {skipped} skipped");
        }
        let result = ran.and_then(|()| match (failed, passed) {
            (0, 0) => Err(Failure::new("no test ran")
                .remedy("a step that tests nothing is an error: see in its log what was omitted")),
            (0, _) => Ok(()),
            _ => Err(Failure::new(
                "the command succeeded, but its summary counts failures",
            )),
        });
        (counts, result)
    }
}

/// The steps that `wanted` picks, and all steps that these need, in the order of `steps`.
pub fn with_needs(mut steps: Vec<Plan>, wanted: impl Fn(&Plan) -> bool) -> Vec<Plan> {
    let mut kept: Vec<&'static str> = Vec::new();
    let mut open: Vec<&'static str> = steps
        .iter()
        .filter(|step| wanted(step))
        .flat_map(|step| step.after.clone())
        .collect();
    while let Some(name) = open.pop() {
        // A mistake in the plan, not in the reader's machine.
        let step = steps.iter().find(|step| step.name == name);
        open.extend(
            &step
                .unwrap_or_else(|| panic!("no step is called {name:?}"))
                .after,
        );
        kept.push(name);
    }
    steps.retain(|step| wanted(step) || kept.contains(&step.name.as_str()));
    steps
}
