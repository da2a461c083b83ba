//! The Rust API on the host's own timers.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use js_sys::Array;
use rejitter::decide::duration_from_ms;
use rejitter::{AttemptError, Jitter, JsSleeper, RetryPolicy, Sleeper, StopReason, Verdict, retry};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::common::attempts::{begun, done, down, hangs};

#[wasm_bindgen(inline_js = "
const host = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout, now: performance.now };
let armed;
// Timers that fire at once, on a clock that they move: a fake clock, or a very patient tester.
export function install(early) {
  armed = { delays: [], pending: new Set(), time: 1000 };
  const { delays, pending } = armed;
  globalThis.setTimeout = (done, ms) => {
    delays.push(ms);
    const fire = () => { pending.delete(id); pass(Math.max(0, ms - early)); done(); };
    const id = host.setTimeout.call(globalThis, fire, 0);
    pending.add(id);
    return id;
  };
  globalThis.clearTimeout = (id) => { pending.delete(id); host.clearTimeout.call(globalThis, id); };
  performance.now = () => armed.time;
}
export function pass(ms) { armed.time += ms; }
export function uninstall() {
  Object.assign(globalThis, { setTimeout: host.setTimeout, clearTimeout: host.clearTimeout });
  delete performance.now;
  if (performance.now !== host.now) performance.now = host.now;
}
export function delays() { return armed.delays; }
export function pending() { return armed.pending.size; }
export function macrotask() {
  return new Promise((resolve) => host.setTimeout.call(globalThis, resolve, 0));
}
")]
extern "C" {
    fn install(early: f64);
    fn uninstall();
    fn pass(ms: f64);
    fn delays() -> Array;
    fn pending() -> u32;
    fn macrotask() -> js_sys::Promise;
}

/// Fake timers while it lives.
struct Fake;

impl Fake {
    fn install() -> Self {
        Self::early(0.0)
    }

    /// Number of ms by which each timer fires early.
    fn early(ms: f64) -> Self {
        install(ms);
        Self
    }

    /// Time passes without a timer.
    fn pass(&self, ms: f64) {
        pass(ms);
    }

    fn now(&self) -> Duration {
        JsSleeper.now().expect("hosts have a clock")
    }

    fn delays(&self) -> Vec<f64> {
        delays().iter().filter_map(|ms| ms.as_f64()).collect()
    }

    fn pending(&self) -> u32 {
        pending()
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        uninstall();
    }
}

fn steady(base_ms: f64) -> RetryPolicy {
    RetryPolicy::fixed(duration_from_ms(base_ms))
        .with_jitter(Jitter::None)
        .with_max_attempts(3)
}

#[wasm_bindgen_test]
async fn it_waits_on_the_host_s_timers() {
    let failed = retry(steady(20.5), down).report().await.unwrap_err();
    assert_eq!(failed.error, AttemptError::Error("down"));
    assert_eq!(failed.report.attempts, 3);
    let decided = 2 * duration_from_ms(20.5);
    assert!(failed.report.elapsed >= decided, "{:?}", failed.report);
    assert!(failed.report.elapsed < Duration::from_secs(120));
}

#[wasm_bindgen_test]
async fn timers_are_looked_up_at_each_use_and_armed_in_parts() {
    let fake = Fake::install();
    let year = Duration::from_millis(31_536_000_000);
    let call = retry(steady(0.25), down).when(|_| Verdict::RetryExactly(year));
    let failed = call.report().await.unwrap_err();
    assert_eq!(failed.report.elapsed, 2 * year);
    let delays = fake.delays();
    let fits = |ms: &f64| (0.0..=2_147_483_647.0).contains(ms) && ms.fract() == 0.0;
    assert!(delays.iter().all(fits));
    let total: f64 = delays.iter().sum();
    assert_eq!((delays.len(), total), (30, 63_072_000_000.0));
    assert_eq!(fake.pending(), 0);
}

#[wasm_bindgen_test]
async fn timers_get_whole_milliseconds_rounded_up() {
    let fake = Fake::install();
    let waits = RefCell::new(vec![Duration::from_nanos(1), Duration::from_micros(1_500)]);
    let call = retry(steady(1.0), down).when(|_| {
        let wait = waits.borrow_mut().pop();
        wait.map_or(Verdict::Stop, Verdict::RetryExactly)
    });
    let failed = call.report().await;
    assert_eq!(failed.unwrap_err().report.attempts, 3);
    assert_eq!(fake.delays(), [2.0, 1.0]);
}

#[wasm_bindgen_test]
async fn a_wait_in_parts_is_not_over_when_all_of_them_ended_early() {
    let fake = Fake::early(0.5);
    let (begin, year) = (fake.now(), Duration::from_millis(31_536_000_000));
    JsSleeper.sleep(year).await;
    assert_eq!(fake.now() - begin, year);
    // Fifteen parts, and what they lacked.
    assert_eq!((fake.delays().len(), fake.delays()[15]), (16, 8.0));
}

#[wasm_bindgen_test]
async fn a_limit_counts_from_the_begin_of_the_attempt_however_long_it_takes_to_wait() {
    let fake = Fake::install();
    let call = retry(steady(1.0), || {
        fake.pass(30.0);
        hangs()
    });
    let call = call.total_timeout(Duration::from_millis(50));
    let failed = call.report().await.unwrap_err();
    assert_eq!(failed.reason, StopReason::Timeout);
    assert_eq!(failed.report.elapsed, Duration::from_millis(50));
    assert_eq!(fake.delays(), [20.0]);
}

#[wasm_bindgen_test]
async fn a_dropped_retry_leaves_no_timer() {
    let fake = Fake::install();
    let waiting = begun(retry(steady(60_000.0), down));
    let attempting = begun(retry(steady(1.0), hangs).attempt_timeout(Duration::from_secs(60)));
    assert_eq!(fake.pending(), 2);
    drop((waiting, attempting));
    assert_eq!(fake.pending(), 0);
}

#[wasm_bindgen_test]
async fn a_dropped_wait_frees_what_it_held() {
    struct Held;
    impl Wake for Held {
        fn wake(self: Arc<Self>) {}
    }
    let held = Arc::new(Held);
    let waker = Waker::from(held.clone());
    let mut sleep = Box::pin(JsSleeper.sleep(Duration::from_secs(60)));
    let mut context = Context::from_waker(&waker);
    assert!(sleep.as_mut().poll(&mut context).is_pending());
    drop((sleep, waker));
    JsFuture::from(macrotask()).await.unwrap();
    assert_eq!(Arc::strong_count(&held), 1);
}

#[wasm_bindgen_test]
async fn a_success_at_once_arms_no_timer() {
    let fake = Fake::install();
    let call = retry(steady(1.0), done).attempt_timeout(Duration::from_secs(1));
    assert_eq!(call.total_timeout(Duration::from_secs(1)).await, Ok(()));
    assert!(fake.delays().is_empty());
}

#[wasm_bindgen_test]
async fn the_event_loop_turns_between_attempts_without_a_wait() {
    let turns = Rc::new(Cell::new(0));
    let mut seen = Vec::new();
    let failed = retry(steady(0.0), || {
        seen.push(turns.get());
        let (turns, turn) = (turns.clone(), JsFuture::from(macrotask()));
        spawn_local(async move {
            turn.await.unwrap();
            turns.set(turns.get() + 1);
        });
        down()
    })
    .report()
    .await;
    assert_eq!(failed.unwrap_err().report.attempts, 3);
    assert_eq!(seen, [0, 1, 2]);
}
