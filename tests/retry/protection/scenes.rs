//! Operations that share a protection (`tests/vectors/protection.json`): when each calls, and how it ends. JavaScript
//! runs the same file.

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use futures_util::future::join_all;
use rejitter::testing::VirtualTime;
use rejitter::{
    Attempt, AttemptError, AttemptRecord, BreakerState, Hooks, Protection, ProtectionStatus,
    RetryError, RetryPolicy, Seed, Signal, Sleeper, Verdict, retry,
};
use serde_json::{Map, Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::super::operations::{ms, nth};
use crate::common::{self, fields};

const SCENES: &str = include_str!("../../vectors/protection.json");

/// Seeds whose draws for protection are nearly the scene's: after attempt 1 and, for 0, attempt 2, or of those that are
/// held, before attempt 1 and before attempt 2.
fn seed(draw: &Value, operation: &Value) -> Seed {
    if let Some(seed) = operation.get("seed") {
        return common::seed(seed);
    }
    Seed::new(match (draw.as_f64(), operation["held"] == true) {
        (Some(0.0), true) => 3_074_626_752,
        (Some(0.0), false) => 1_134_702_300,
        (Some(0.5), true) => 3_986_437_259,
        (Some(0.5), false) => 81_245_535,
        _ => panic!("no seed for this draw: {draw}"),
    })
}

/// An error that an attempt throws, or a result that is sent round.
#[derive(Debug)]
struct Scripted {
    name: String,
    is_result: bool,
    retry_after: Option<Duration>,
    signal: Option<Signal>,
    progressed: bool,
}

type Outcome = Result<String, RetryError<Scripted>>;

/// One operation of a scene.
#[derive(Clone, Copy)]
struct Play<'a> {
    scene: &'a Value,
    operation: &'a Value,
    api: &'a Protection,
    time: &'a VirtualTime,
    calls: &'a RefCell<Vec<u64>>,
}

/// Draws are not exact, so times are compared in whole ms.
fn whole(duration: Duration) -> u64 {
    u64::try_from((duration.as_nanos() + 500_000) / 1_000_000).unwrap()
}

impl<'a> Play<'a> {
    fn policy(&self) -> RetryPolicy {
        let mut options =
            json!({ "backoff": "fixed", "jitter": "none", "baseMs": 100, "maxAttempts": 1 });
        for given in [&self.scene["policy"], &self.operation["policy"]] {
            for (name, value) in given.as_object().unwrap_or(&Map::new()) {
                options[name] = value.clone();
            }
        }
        common::policy(&options)
    }

    fn attempt(self) -> impl Future<Output = Result<String, Scripted>> + 'a {
        let mut calls = self.calls.borrow_mut();
        calls.push(whole(self.time.now()));
        // An attempt that is rejected has no script.
        let number = calls.len() as u64;
        let step = nth(&self.operation["attempts"], number);
        let takes = step
            .get("takes")
            .map(|takes| Sleeper::sleep(self.time, ms(takes)));
        async move {
            if let Some(takes) = takes {
                takes.await;
            }
            self.end(step, number)
        }
    }

    fn end(self, step: &Value, number: u64) -> Result<String, Scripted> {
        // A text is none.
        let status = step["status"].as_u64();
        let said = status.map(|status| Signal::of_status(u16::try_from(status).unwrap()));
        if let Some(error) = step["throws"].as_str() {
            return Err(Scripted {
                name: error.to_owned(),
                is_result: false,
                retry_after: step.get("retryAfterMs").map(ms),
                signal: said,
                progressed: step.get("progress").is_some(),
            });
        }
        let name = step["returns"].as_str().expect("it returns or throws");
        let answers = self.operation.get("retryOnResult");
        if answers.is_none_or(|answers| *nth(answers, number) == false) {
            return Ok(name.to_owned());
        }
        let said = said.filter(|said| *said != Signal::Declined);
        Err(Scripted {
            name: name.to_owned(),
            is_result: true,
            retry_after: None,
            signal: Some(said.unwrap_or(Signal::Success)),
            progressed: false,
        })
    }

    /// Starts the operation at its time, aborts it, and checks how it ends.
    async fn run(self) {
        let (scene, operation) = (&self.scene["name"], self.operation);
        Sleeper::sleep(self.time, ms(&operation["at"])).await;
        let abort = operation.get("abortAt").map(|at| {
            let at = ms(at).saturating_sub(self.time.now());
            Sleeper::sleep(self.time, at)
        });
        let outcome = until(as_future(self), abort).await;
        let expected = &operation["ends"];
        let about = format!("{scene}: {operation}\n{outcome:?}");
        assert_eq!(expected["at"], whole(self.time.now()), "{about}");
        match outcome {
            None => assert_eq!(expected["aborted"], true, "{about}"),
            Some(Ok(value)) => assert_eq!(expected["resolves"], value, "{about}"),
            Some(Err(failed)) => check(expected, &failed, &about),
        }
        if let Some(calls) = operation.get("calls") {
            assert_eq!(*calls, json!(*self.calls.borrow()), "{about}");
        }
    }
}

fn check(expected: &Value, failed: &RetryError<Scripted>, about: &str) {
    let report = &failed.report;
    let reason = expected.get("rejectedBy").unwrap_or(&expected["reason"]);
    assert_eq!(*reason, failed.reason.as_str(), "{about}");
    let name = match &failed.error {
        AttemptError::Error(error) => &error.name,
        AttemptError::Timeout(_) => "TimeoutError",
        _ => "RejectedError",
    };
    assert_eq!(
        expected["rejects"].as_str().unwrap_or("RejectedError"),
        name,
        "{about}"
    );
    let by = failed.rejected_by().map(rejitter::StopReason::as_str);
    assert_eq!(expected["rejectedBy"].as_str(), by, "{about}");
    assert_eq!(
        expected["attempts"].as_u64().unwrap_or(0),
        report.attempts,
        "{about}"
    );
    let retry_after = report.retry_after.map(|after| match after {
        Duration::MAX => json!("Infinity"),
        after => json!(whole(after)),
    });
    assert_eq!(
        expected.get("retryAfterMs"),
        retry_after.as_ref(),
        "{about}"
    );
    if let AttemptError::Rejected(rejected) = &failed.error {
        assert_eq!(Some(rejected.retry_after), report.retry_after, "{about}");
    }
    if let Some(held) = expected.get("heldMs") {
        let records = report.records.iter();
        let each: Vec<_> = records.map(|record| whole(record.held)).collect();
        assert_eq!(*held, json!(each), "{about}");
    }
    if let Some(records) = expected.get("records") {
        let shown: Vec<_> = report.records.iter().map(shown_record).collect();
        assert_eq!(*records, json!(shown), "{about}");
    }
}

/// The times of an attempt, and how it ran.
fn shown_record(record: &AttemptRecord<Scripted>) -> Value {
    let mut shown = json!({
        "startMs": whole(record.start), "durationMs": whole(record.duration),
    });
    if let Some(delay) = record.delay {
        shown["delayMs"] = json!(whole(delay));
    }
    if !record.held.is_zero() {
        shown["heldMs"] = json!(whole(record.held));
    }
    if !record.queued.is_zero() {
        shown["queuedMs"] = json!(whole(record.queued));
    }
    for (name, is) in [
        ("hedge", record.hedge),
        ("progressed", record.progressed),
        ("superseded", record.superseded),
    ] {
        if is {
            shown[name] = json!(true);
        }
    }
    shown
}

/// The output of a future, unless another ends before it, by which it is dropped.
async fn until<T>(future: impl Future<Output = T>, end: Option<impl Future>) -> Option<T> {
    let mut future = Box::pin(future);
    let mut end = pin!(async {
        match end {
            Some(end) => drop(end.await),
            None => std::future::pending().await,
        }
    });
    poll_fn(|cx| {
        if let Poll::Ready(output) = future.as_mut().poll(cx) {
            return Poll::Ready(Some(output));
        }
        end.as_mut().poll(cx).map(|()| None)
    })
    .await
}

impl Hooks<Scripted> for Play<'_> {
    fn weight(&mut self, _: u64) -> f64 {
        self.operation["weight"].as_f64().unwrap_or(1.0)
    }

    fn when(&mut self, error: &Scripted, attempt: &Attempt) -> Verdict {
        let script = if error.is_result {
            "retryOnResult"
        } else {
            "retryIf"
        };
        let script = self.operation.get(script);
        let answer = script.map_or(&Value::Bool(true), |script| nth(script, attempt.attempt));
        match (answer.as_bool(), answer.get("afterMs"), error.retry_after) {
            (Some(true), _, Some(after)) => Verdict::RetryAtLeast(after),
            (Some(true), ..) if error.progressed => Verdict::RetryAnew,
            (Some(retry), ..) => retry.into(),
            (_, Some(after), _) => Verdict::RetryExactly(ms(after)),
            _ => panic!("an answer: {answer}"),
        }
    }

    fn signal(&mut self, error: &Scripted) -> Option<Signal> {
        match self.scene["signals"][&error.name].as_str() {
            // As in JavaScript, also if the caller sets the wait.
            None => error.signal.or(error.retry_after.map(Signal::Busy)),
            Some("success") => Some(Signal::Success),
            Some("failure") => Some(Signal::Failure),
            Some("nothing") => Some(Signal::Nothing),
            Some(other) => panic!("a signal: {other}"),
        }
    }
}

fn as_future(play: Play<'_>) -> Pin<Box<dyn Future<Output = Outcome> + '_>> {
    let mut operation = retry(play.policy(), move || play.attempt())
        .hooks(play)
        .sleeper(play.time)
        .seed(seed(&play.scene["draw"], play.operation))
        .protection(play.api);
    if let Some(timeout) = play.operation.get("attemptTimeoutMs") {
        operation = operation.attempt_timeout(ms(timeout));
    }
    if let Some(timeout) = play.operation.get("totalTimeoutMs") {
        operation = operation.total_timeout(ms(timeout));
    }
    if has_hedge(play.scene) {
        Box::pin(operation.hedge())
    } else {
        Box::pin(operation)
    }
}

fn has_hedge(scene: &Value) -> bool {
    scene["parts"].get("hedge").is_some()
}

fn parts(mut api: Protection, parts: &Value) -> Protection {
    for (name, part) in parts.as_object().expect("parts") {
        api = match name.as_str() {
            "budget" => api.budget(fields::budget(part)),
            "breaker" => api.breaker(fields::breaker(part)),
            "cooldown" => api.cooldown(fields::cooldown(part)),
            "hedge" => api.hedge(fields::hedge(part)),
            "limiter" => api.limiter(fields::limiter(part)),
            _ => panic!("{name} is no part"),
        };
    }
    api
}

/// The numbers by their JavaScript names.
fn shown(status: &ProtectionStatus) -> Value {
    let mut shown = json!({});
    if let Some(budget) = status.budget {
        shown["budget"] = json!({
            "tokens": budget.tokens, "capacity": budget.capacity,
            "granted": budget.granted, "rejected": budget.rejected,
        });
    }
    if let Some(breaker) = status.breaker {
        let state = match breaker.state {
            BreakerState::Closed => "closed",
            BreakerState::Open => "open",
            BreakerState::HalfOpen => "half-open",
        };
        shown["breaker"] = json!({
            "state": state, "retryAfterMs": whole(breaker.retry_after), "failures": breaker.failures,
            "calls": breaker.calls, "opens": breaker.opens, "rejected": breaker.rejected,
        });
    }
    if let Some(cooldown) = status.cooldown {
        shown["cooldown"] = json!({
            "remainingMs": whole(cooldown.remaining), "held": cooldown.held, "rejected": cooldown.rejected,
        });
    }
    if let Some(limiter) = status.limiter {
        shown["limiter"] = json!({
            "running": limiter.running, "queued": limiter.queued, "nextMs": whole(limiter.next),
            "rejected": limiter.rejected,
        });
    }
    if let Some(hedge) = status.hedge {
        shown["hedge"] = json!({
            "delayMs": hedge.delay.map(whole), "hedges": hedge.hedges, "won": hedge.won,
            "rejected": hedge.rejected,
        });
    }
    shown
}

/// Compares the numbers that the scene names.
fn check_status(api: &Protection, expected: &Value, scene: &Value) {
    let shown = shown(&api.status());
    for (part, numbers) in expected.as_object().expect("a status") {
        for (name, number) in numbers.as_object().into_iter().flatten() {
            let found = &shown[part][name];
            let equal = match (number.as_f64(), found.as_f64()) {
                (Some(number), Some(found)) => (number - found).abs() < 1e-9,
                _ => number == found,
            };
            assert!(equal, "{}: {expected}\n{shown}", scene["name"]);
        }
    }
}

fn run(scene: &Value) {
    let (time, api) = super::on(|api| parts(api, &scene["parts"]));
    let list = |name: &str| {
        scene[name]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default()
    };
    let same = |operation: &Value| operation["count"].as_u64().unwrap_or(1);
    let operations: Vec<_> = list("operations")
        .iter()
        .flat_map(|operation| (0..same(operation)).map(move |_| (operation, RefCell::default())))
        .collect();
    let operations = operations.iter().map(|(operation, calls)| {
        let play = Play {
            scene,
            operation,
            api: &api,
            time: &time,
            calls,
        };
        Box::pin(play.run()) as Pin<Box<dyn Future<Output = ()>>>
    });
    let statuses = list("status").iter().map(|expected| {
        let (api, time) = (&api, &time);
        Box::pin(async move {
            Sleeper::sleep(time, ms(&expected["at"])).await;
            check_status(api, expected, scene);
        }) as Pin<Box<dyn Future<Output = ()>>>
    });
    let acts = list("acts").iter().map(|act| {
        let (api, time) = (&api, &time);
        Box::pin(async move {
            Sleeper::sleep(time, ms(&act["at"])).await;
            match act.get("open") {
                Some(open) => api.open_for(ms(open)),
                None if act["drain"] == true => api.drain(),
                None => api.close(),
            }
        }) as Pin<Box<dyn Future<Output = ()>>>
    });
    time.block_on(join_all(operations.chain(statuses).chain(acts)));
    assert_eq!(time.waits(), 0, "{}", scene["name"]);
}

#[test]
fn operations_share_a_protection_as_in_javascript() {
    let scenes: Vec<Value> = serde_json::from_str(SCENES).expect("the scenes are JSON");
    assert!(scenes.len() >= 15);
    let mut limited = 0;
    // Events, results that the caller classifies, predicates that throw and late timers exist in JavaScript alone.
    let shared = scenes.iter().filter(|scene| scene.get("needs").is_none());
    for scene in common::some_of(shared) {
        limited += u32::from(scene["parts"].get("limiter").is_some());
        run(scene);
    }
    assert!(
        cfg!(miri) || limited >= 20,
        "only {limited} scenes with a limiter"
    );
}
