//! Protection in native programs: threads, Tokio, panics.

use std::future::{Future, Ready, ready};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use rejitter::testing::VirtualTime;
use rejitter::{
    BreakerOptions, BreakerState, BudgetOptions, CooldownOptions, HedgeOptions, Jitter, Protection,
    ProtectionEvent, RetryPolicy, Signal, StopReason, UNLIMITED, Verdict, retry, retry_blocking,
};

use crate::common::attempts::{done, down, hangs};
use crate::common::protected::{NERVOUS, breaker, on, protected, tokens_of};

const MS: Duration = Duration::from_millis(1);

const ONCE: RetryPolicy = RetryPolicy::no_retries();

/// Threads that share a budget never get more than it has and what comes back.
#[test]
fn threads_share_a_budget() {
    const THREADS: u32 = 4;
    const CALLS: u32 = if cfg!(miri) { 30 } else { 500 };
    let api = Protection::new()
        .budget(BudgetOptions {
            capacity: Some(20.0),
            refund: false,
            ..BudgetOptions::default()
        })
        .breaker(BreakerOptions {
            minimum_calls: Some(UNLIMITED),
            ..BreakerOptions::default()
        });
    let policy = RetryPolicy::fixed(Duration::ZERO)
        .with_jitter(Jitter::None)
        .with_max_attempts(2);
    let (mut retries, mut successes) = (0, 0);
    std::thread::scope(|scope| {
        let run = |thread: u32| {
            let (mut retries, mut successes) = (0, 0);
            for call in 0..CALLS {
                let mut attempts = 0;
                let outcome = retry_blocking(policy, || {
                    attempts += 1;
                    if (call + thread) % 3 == 0 {
                        Err("busy")
                    } else {
                        Ok(())
                    }
                });
                successes += u32::from(outcome.protection(&api).sleep(|_| ()).call().is_ok());
                retries += u32::saturating_sub(attempts, 1);
            }
            (retries, successes)
        };
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| scope.spawn(move || run(thread)))
            .collect();
        for thread in threads {
            let (more, good) = thread.join().unwrap();
            (retries, successes) = (retries + more, successes + good);
        }
    });
    let budget = api.status().budget.unwrap();
    assert_eq!(u64::from(retries), budget.granted);
    assert!(f64::from(retries) <= 20.0 + 0.1 * f64::from(successes) + 1e-9);
    // Every third call fails, and not every one of them was retried.
    assert!(budget.rejected > 0);
    let left = 20.0 + 0.1 * f64::from(successes) - f64::from(retries);
    assert!(budget.tokens <= left + 1e-9, "{} of {left}", budget.tokens);
}

/// The clock of Tokio, of threads and of the protection itself have the same zero.
#[test]
fn an_opening_in_a_thread_holds_in_a_runtime() {
    let api = Protection::new().breaker(BreakerOptions {
        open_ms: Some(3_600_000.0),
        ..NERVOUS
    });
    let call = retry_blocking(ONCE, || Err::<(), _>("down")).protection(&api);
    assert!(call.call().is_err());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let failed = runtime.block_on(async { retry(ONCE, done).protection(&api).await });
    let failed = failed.unwrap_err();
    assert_eq!(failed.rejected_by(), Some(StopReason::Breaker));
    let left = failed.report.retry_after.unwrap();
    assert!(left > Duration::from_secs(1_000) && left <= Duration::from_secs(3_600));
    assert!(api.status().breaker.unwrap().retry_after <= left);
}

#[tokio::test(start_paused = true)]
async fn tasks_share_a_cooldown_on_tokio_s_paused_clock() {
    let api = Protection::new().cooldown(CooldownOptions::default());
    let busy = retry(ONCE, down).when(|_| Verdict::RetryAtLeast(4_000 * MS));
    assert!(busy.protection(&api).await.is_err());
    assert_eq!(api.status().cooldown.unwrap().remaining, 4_000 * MS);
    // The hold's probe.
    let probe = retry(ONCE, hangs).protection(&api);
    assert!(tokio::time::timeout(Duration::ZERO, probe).await.is_err());
    let started = tokio::time::Instant::now();
    let tasks: Vec<_> = (0..20)
        .map(|_| {
            let api = api.clone();
            tokio::spawn(async move {
                let call = retry(ONCE, || async { Ok::<_, String>(started.elapsed()) });
                call.protection(&api).await.unwrap()
            })
        })
        .collect();
    let mut begun = Vec::new();
    for task in tasks {
        begun.push(task.await.unwrap());
    }
    assert!(
        begun
            .iter()
            .all(|at| (4_000 * MS..=6_001 * MS).contains(at)),
        "{begun:?}"
    );
    begun.sort();
    begun.dedup();
    assert!(begun.len() > 10, "they came back at once: {begun:?}");
}

/// A server that works ends a hold, but not while it asks for another.
#[test]
fn an_answer_with_a_hint_ends_no_hold() {
    for (hint, left) in [(None, Duration::ZERO), (Some(10 * MS), 4_000 * MS)] {
        let (time, api) = on(|p| p.cooldown(CooldownOptions::default()));
        retry_blocking(ONCE, || Err::<(), _>("busy"))
            .when(|_| Verdict::RetryAtLeast(4_000 * MS))
            .protection(&api)
            .sleeper(&time)
            .call()
            .unwrap_err();
        retry_blocking(ONCE, || Err::<(), _>("not found"))
            .hint(|_| hint)
            .signal(|_| Some(Signal::Success))
            .protection(&api)
            .sleeper(&time)
            .call()
            .unwrap_err();
        assert_eq!(api.status().cooldown.unwrap().remaining, left);
    }
}

#[test]
fn the_future_of_a_protected_operation_is_send() {
    fn send<F: Future + Send>(future: F) -> F {
        future
    }
    let (time, api) = (
        VirtualTime::new(),
        Protection::new().hedge(HedgeOptions::default()),
    );
    let call = || {
        let call = retry(ONCE, done).signal(|_| None);
        call.protection(&api).sleeper(time.clone())
    };
    let (plain, hedged) = (send(call()), send(call().hedge()));
    let both = move || [time.block_on(plain), time.block_on(hedged)];
    assert_eq!(std::thread::spawn(both).join().unwrap(), [Ok(()), Ok(())]);
}

#[test]
#[should_panic(expected = "polled after it returned")]
fn a_refused_operation_is_over() {
    let (time, api) = on(|p| p.breaker(NERVOUS));
    api.open();
    let mut call = std::pin::pin!(retry(ONCE, done).protection(&api).sleeper(&time));
    assert!(time.block_on(call.as_mut()).is_err());
    let _ = time.block_on(call);
}

#[test]
fn a_panic_frees_the_place_of_a_probe() {
    let (time, api) = on(|p| p.breaker(NERVOUS));
    assert!(protected!(retry(ONCE, down), api, time).is_err());
    time.advance(1_000 * MS);
    let panics = || -> Ready<Result<(), String>> { panic!("a bug of the callback") };
    let panics = || protected!(retry(ONCE, panics), api, time);
    assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
    assert_eq!(protected!(retry(ONCE, done), api, time), Ok(()));
    assert_eq!(breaker(&api).state, BreakerState::Closed);
}

#[test]
fn a_panicking_event_function_leaves_the_numbers_usable() {
    let panics = |_: &ProtectionEvent<'_>| panic!("a bug of the function");
    let (time, api) = on(|p| p.breaker(NERVOUS).on_event(panics));
    assert!(catch_unwind(AssertUnwindSafe(|| api.open())).is_err());
    assert_eq!(breaker(&api).state, BreakerState::Open);
    let call = || protected!(retry(ONCE, done), api, time);
    assert!(catch_unwind(AssertUnwindSafe(call)).is_err());
    assert_eq!(api.status().breaker.unwrap().rejected, 1);
}

#[test]
fn a_hook_that_panics_gives_the_token_back() {
    let (time, api) = on(|p| p.budget(BudgetOptions::default()));
    let call = retry(RetryPolicy::default(), down).notify(|_| panic!("a bug of the hook"));
    let call = || protected!(call, api, time);
    assert!(catch_unwind(AssertUnwindSafe(call)).is_err());
    assert_eq!(
        (tokens_of(&api), api.status().budget.unwrap().granted),
        (50.0, 1)
    );
}

#[test]
fn mistakes_of_the_program_panic_with_the_remedy() {
    fn text(mistake: impl FnOnce()) -> String {
        let payload = catch_unwind(AssertUnwindSafe(mistake)).unwrap_err();
        let fixed = payload.downcast_ref::<&str>().map(ToString::to_string);
        fixed
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .expect("a text")
    }
    let key = Protection::new().for_key("eu");
    assert!(text(|| drop(key.for_key("us"))).contains("has a key already"));
    let options = CooldownOptions {
        max_hold_ms: Some(-1.0),
        ..CooldownOptions::default()
    };
    let invalid = text(|| drop(Protection::new().cooldown(options)));
    assert!(
        invalid.starts_with("rejitter: max_hold_ms must be a non-negative"),
        "{invalid}"
    );
    assert!(text(|| Protection::new().open()).contains("has no breaker"));
    assert!(text(|| Protection::new().close()).contains("has no breaker"));
    let call = retry(ONCE, done).protection(&Protection::new());
    assert!(text(|| drop(call.sleep(|_| ready(())).hedge())).contains("has no hedge"));
}
