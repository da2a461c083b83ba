//! Scripted operations (`tests/vectors/operations.json`): how an operation ends, its report, its waits, and the
//! order and times of all callbacks. JavaScript runs the same file.

use std::cell::{Cell, RefCell};
use std::future::{pending, poll_fn};
use std::pin::pin;
use std::time::Duration;

use rejitter::data::PolicyData;
use rejitter::decide::duration_from_ms;
use rejitter::testing::{VirtualSleep, VirtualTime};
use rejitter::{
    AttemptError, Backoff, FailureEvent, Hooks, RetryError, RetryPolicy, Sleeper, Verdict, retry,
    retry_with,
};
use serde_json::Value;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::common;

const CASES: &str = include_str!("../vectors/operations.json");

/// The features that each form has.
const ASYNCHRONOUS: &[&str] = &[
    "attemptTimeout",
    "curve",
    "hint",
    "interrupts",
    "pause",
    "progress",
];
const PLAIN: &[&str] = &["curve", "hint", "progress"];
const ON_STATE: &[&str] = PLAIN;
#[cfg(not(target_family = "wasm"))]
const BLOCKING: &[&str] = &["blocking", "curve", "hint", "progress"];

/// Callbacks that JavaScript has and Rust has not. `notify` stands for `onRetry` and `onGiveUp`.
const MISSING: &[&str] = &["onAttempt", "onFailure", "onSuccess"];

/// An error of the script.
#[derive(Debug, Clone, PartialEq)]
pub struct Scripted {
    pub name: String,
    pub retry_after: Option<Duration>,
    pub progressed: bool,
}

/// How an attempt of the script ends.
pub fn end(step: &Value) -> Result<String, Scripted> {
    match (step["returns"].as_str(), step["throws"].as_str()) {
        (Some(name), _) => Ok(name.to_owned()),
        (_, Some(name)) => Err(Scripted {
            name: name.to_owned(),
            retry_after: step.get("retryAfterMs").map(ms),
            progressed: step.get("progress").is_some(),
        }),
        _ => panic!("an attempt that is not ended returns or throws: {step}"),
    }
}

/// Virtual time whose waits take whole milliseconds.
struct Whole<'a>(&'a VirtualTime);

impl Whole<'_> {
    fn rounded(duration: Duration) -> Duration {
        let ms = duration.as_nanos().div_ceil(1_000_000);
        Duration::from_millis(u64::try_from(ms).unwrap())
    }
}

impl Sleeper for Whole<'_> {
    type Sleep = VirtualSleep;

    fn sleep(&self, duration: Duration) -> VirtualSleep {
        Sleeper::sleep(self.0, Self::rounded(duration))
    }

    fn now(&self) -> Option<Duration> {
        Sleeper::now(self.0)
    }
}

#[cfg(not(target_family = "wasm"))]
impl rejitter::BlockingSleeper for Whole<'_> {
    fn sleep(&self, duration: Duration) {
        self.0.advance(Self::rounded(duration));
    }

    fn now(&self) -> Option<Duration> {
        Sleeper::now(self.0)
    }
}

/// A run of a case.
struct Played<'a> {
    case: &'a Value,
    time: VirtualTime,
    attempts: Cell<u64>,
    calls: RefCell<Vec<String>>,
    waits: RefCell<Vec<Duration>>,
}

/// The answer by attempt. The last one repeats.
pub fn nth(script: &Value, attempt: u64) -> &Value {
    let answers = script.as_array().expect("a list");
    let index = usize::try_from(attempt).unwrap().min(answers.len()) - 1;
    &answers[index]
}

/// A list of the case, which leaves it out if it is empty.
fn listed<'a>(case: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    let list = case.get(name).map(|list| list.as_array().expect("a list"));
    list.into_iter().flatten()
}

pub fn ms(value: &Value) -> Duration {
    duration_from_ms(common::number(value))
}

impl<'a> Played<'a> {
    fn new(case: &'a Value) -> Self {
        Self {
            case,
            time: VirtualTime::new(),
            attempts: Cell::new(0),
            calls: RefCell::default(),
            waits: RefCell::default(),
        }
    }

    fn log(&self, callback: &str) {
        let call = format!(
            "{} {callback} {}",
            self.time.now().as_millis(),
            self.attempts.get()
        );
        self.calls.borrow_mut().push(call);
    }

    /// Starts an attempt: returns its script, and how long it takes.
    fn start(&self) -> (&'a Value, Duration) {
        self.attempts.set(self.attempts.get() + 1);
        self.log("fn");
        let step = nth(&self.case["attempts"], self.attempts.get());
        (step, step.get("takes").map_or(Duration::ZERO, ms))
    }

    fn attempt(&self) -> impl Future<Output = Result<String, Scripted>> + use<'a> {
        let (step, takes) = self.start();
        let busy = Sleeper::sleep(&self.time, takes);
        async move {
            if step["hangs"] == true {
                pending::<()>().await;
            }
            busy.await;
            end(step)
        }
    }

    /// Runs an operation to its end. While the process is stopped, nothing is polled, and the time passes.
    fn block_on<I: IntoFuture>(&self, operation: I) -> I::Output {
        let mut operation = pin!(operation.into_future());
        let mut stop = pin!(async {
            if let Some(pause) = self.case.get("pause") {
                let [from, to] = ["fromMs", "toMs"].map(|name| ms(&pause[name]));
                Sleeper::sleep(&self.time, from).await;
                self.time.advance(to - from);
            }
            pending::<()>().await;
        });
        self.time.block_on(poll_fn(|cx| {
            let _ = stop.as_mut().poll(cx);
            operation.as_mut().poll(cx)
        }))
    }

    fn check(&self, outcome: &Result<String, AttemptError<Scripted>>) {
        let (case, name) = (self.case, &self.case["name"]);
        let found = match outcome {
            Ok(value) => ("resolves", value.as_str()),
            Err(error) => ("rejects", name_of(error)),
        };
        assert_eq!(case["outcome"][found.0], found.1, "{name}");
        let calls: Vec<_> = listed(case, "calls")
            .map(|call| call.as_str().expect("a call").to_owned())
            .filter(|call| !MISSING.iter().any(|missing| call.contains(missing)))
            .collect();
        assert_eq!(*self.calls.borrow(), calls, "{name}");
        let waits: Vec<_> = listed(case, "waits").map(ms).collect();
        assert_eq!(*self.waits.borrow(), waits, "{name}");
    }

    fn check_report(&self, outcome: Result<String, RetryError<Scripted>>) {
        if let Err(failed) = &outcome {
            check_report(self.case, failed);
        }
        self.check(&outcome.map_err(|failed| failed.error));
    }
}

impl Hooks<Scripted> for &Played<'_> {
    fn when(&mut self, error: &Scripted, _: &rejitter::Attempt) -> Verdict {
        let Some(script) = self.case.get("retryIf") else {
            return if error.progressed {
                Verdict::RetryAnew
            } else {
                Verdict::Retry
            };
        };
        self.log("retryIf");
        let mut answer = nth(script, self.attempts.get());
        if let Some(takes) = answer.get("takes") {
            self.time.advance(ms(takes));
            answer = &answer["returns"];
        }
        match (answer.as_bool(), answer.get("afterMs")) {
            (Some(retry), _) => retry.into(),
            (_, Some(after)) => Verdict::RetryExactly(ms(after)),
            _ => panic!("an answer: {answer}"),
        }
    }

    fn hint(&mut self, error: &Scripted) -> Option<Duration> {
        error.retry_after
    }

    fn curve(&mut self, k: u64) -> Option<Duration> {
        if let Some(list) = self.case["options"].get("backoff") {
            return Some(ms(nth(list, k)));
        }
        self.log("backoff");
        // By attempt: the k of a row begins again.
        Some(ms(nth(&self.case["backoff"], self.attempts.get())))
    }

    fn notify(&mut self, event: &FailureEvent<'_, Scripted>) {
        self.log(if event.delay.is_some() {
            "onRetry"
        } else {
            "onGiveUp"
        });
        self.waits.borrow_mut().extend(event.delay);
    }
}

fn name_of(error: &AttemptError<Scripted>) -> &str {
    match error {
        AttemptError::Error(error) => &error.name,
        _ => "TimeoutError",
    }
}

/// Compares the report with that of the case. Waits are compared as durations, because a wait of the cases is
/// rounded up to a nanosecond.
fn check_report(case: &Value, failed: &RetryError<Scripted>) {
    let name = &case["name"];
    let report = &failed.report;
    assert_eq!(case["reason"], failed.reason.as_str(), "{name}");
    assert_eq!(ms(&case["elapsedMs"]), report.elapsed, "{name}");
    assert_eq!(case.get("hintMs").map(ms), report.hint, "{name}");
    let dropped = case.get("dropped").and_then(Value::as_u64).unwrap_or(0);
    assert_eq!(dropped, report.dropped, "{name}");
    let records: Vec<_> = listed(case, "records").collect();
    assert_eq!(records.len(), report.records.len(), "{name}");
    let last = records
        .last()
        .map_or(0.into(), |last| last["attempt"].clone());
    assert_eq!(last, report.attempts, "{name}");
    for (expected, record) in records.into_iter().zip(&report.records) {
        let error = record.error.as_ref().unwrap_or(&failed.error);
        assert_eq!(expected["attempt"], record.attempt, "{name}");
        assert_eq!(expected["error"], name_of(error), "{name}");
        assert_eq!(ms(&expected["startMs"]), record.start, "{name}");
        assert_eq!(ms(&expected["durationMs"]), record.duration, "{name}");
        assert_eq!(expected.get("delayMs").map(ms), record.delay, "{name}");
        let progressed = expected["progressed"] == true;
        assert_eq!(progressed, record.progressed, "{name}");
    }
    let cause = match failed.error {
        AttemptError::Error(_) => None,
        _ => failed.own_error().map(|error| error.name.as_str()),
    };
    let given = case["outcome"]["cause"].as_str();
    // The error of an attempt's timeout has no cause in JavaScript.
    assert!(given.is_none() || given == cause, "{name}");
}

/// The policy and the timeouts of a case.
fn settings(case: &Value) -> (RetryPolicy, Option<Duration>, Option<Duration>) {
    let mut options = case.get("options").cloned().unwrap_or_default();
    options["version"] = 1.into();
    let mut data: PolicyData = serde_json::from_value(options).expect("options");
    if case.get("backoff").is_some() {
        data.options.backoff = Backoff::Custom;
    }
    let timeout = |name: &str| case["options"].get(name).map(ms);
    let policy = data.policy().expect("valid options");
    (
        policy,
        timeout("attemptTimeoutMs"),
        timeout("totalTimeoutMs"),
    )
}

/// Sets everything that all forms have.
macro_rules! configured {
    ($operation:expr, $played:expr) => {{
        let operation = $operation.hooks($played).sleeper(Whole(&$played.time));
        match $played.case["options"].get("seed") {
            Some(seed) => operation.seed(common::seed(seed)),
            None => operation,
        }
    }};
    ($operation:expr, $played:expr, $total_timeout:expr) => {{
        let operation = configured!($operation, $played).report().keep_errors(10);
        match $total_timeout {
            Some(total) => operation.total_timeout(total),
            None => operation,
        }
    }};
}

fn run_reported(case: &Value) {
    let (policy, attempt_timeout, total_timeout) = settings(case);
    let played = Played::new(case);
    let operation = retry(policy, || played.attempt());
    let mut operation = configured!(operation, &played, total_timeout);
    if let Some(timeout) = attempt_timeout {
        operation = operation.attempt_timeout(timeout);
    }
    played.check_report(played.block_on(operation));
}

fn run_with(case: &Value) {
    let (policy, _, total_timeout) = settings(case);
    let played = Played::new(case);
    let operation = retry_with((), policy, async |(), _| (played.attempt().await, ()));
    let operation = configured!(operation, &played, total_timeout);
    played.check_report(played.block_on(operation));
}

fn run_plain(case: &Value) {
    let (policy, _, total_timeout) = settings(case);
    if total_timeout.is_some() {
        return;
    }
    let played = Played::new(case);
    let operation = retry(policy, || played.attempt());
    let operation = configured!(operation, &played);
    let outcome = played.time.block_on(operation);
    played.check(&outcome.map_err(AttemptError::Error));
}

#[cfg(not(target_family = "wasm"))]
fn run_blocking(case: &Value) {
    let (policy, _, total_timeout) = settings(case);
    let played = Played::new(case);
    let operation = rejitter::retry_blocking(policy, || {
        let (step, takes) = played.start();
        played.time.advance(takes);
        end(step)
    });
    let operation = configured!(operation, &played, total_timeout);
    played.check_report(operation.call());
}

/// Whether a form with these features can run the case. Conditions cannot wait: where one is interrupted, it
/// would have to. Progress is an answer of theirs, so an attempt that is not retried has made none.
fn able(case: &Value, features: &[&str]) -> bool {
    let needs = |of: &str| listed(case, "needs").any(|need| need == of);
    listed(case, "needs").all(|need| features.contains(&need.as_str().expect("a name")))
        && !listed(case, "retryIf")
            .any(|answer| answer["hangs"] == true || answer["throws"].is_string())
        && !((needs("interrupts") || needs("progress")) && case.get("retryIf").is_some())
}

#[test]
fn scripted_operations_go_as_in_javascript() {
    let cases: Vec<Value> = serde_json::from_str(CASES).expect("the cases are JSON");
    type Run = fn(&Value);
    let forms: &[(&[&str], Run, usize)] = &[
        (ASYNCHRONOUS, run_reported, 68),
        (ON_STATE, run_with, 58),
        (PLAIN, run_plain, 58),
        #[cfg(not(target_family = "wasm"))]
        (BLOCKING, run_blocking, 58),
    ];
    for (features, run, least) in forms {
        let able: Vec<_> = cases.iter().filter(|case| able(case, features)).collect();
        assert!(able.len() >= *least, "only {} cases", able.len());
        common::some_of(able.into_iter()).for_each(run);
    }
}
