//! Threads that share one protection, in thousands of orders: Shuttle decides at each lock and each atomic who goes on.
//! Whatever it decides, no more run at a time than there are places, all end, and nothing is left.

use std::cell::RefCell;
use std::future::Future;
use std::task::Poll;
use std::time::Duration;

use rejitter::{
    BreakerOptions, BudgetOptions, CooldownOptions, LimiterOptions, Protection, RetryPolicy,
    Sleeper, Verdict, retry,
};
use shuttle::sync::atomic::{AtomicU64, Ordering};
use shuttle::sync::{Arc, Barrier};
use shuttle::{check_pct, check_random, future, thread};

const POLICY: RetryPolicy = RetryPolicy::fixed(Duration::from_millis(10)).with_max_attempts(3);
/// More than there are places, so that one waits whom only another one that waits can wake.
const WAITING: u64 = 2;

/// Time that passes as often as somebody waits for it.
#[derive(Clone, Default)]
struct Time(Arc<AtomicU64>);

impl Sleeper for Time {
    type Sleep = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

    fn sleep(&self, duration: Duration) -> Self::Sleep {
        let time = self.0.clone();
        Box::pin(async move {
            future::yield_now().await;
            time.fetch_add(
                u64::try_from(duration.as_millis()).unwrap().max(1),
                Ordering::SeqCst,
            );
        })
    }

    fn now(&self) -> Option<Duration> {
        Some(Duration::from_millis(self.0.load(Ordering::SeqCst)))
    }
}

fn shared(places: u64) -> Protection {
    Protection::new()
        .budget(BudgetOptions::default())
        .breaker(BreakerOptions::default())
        .cooldown(CooldownOptions::default())
        .limiter(LimiterOptions {
            concurrency: Some(places),
            ..LimiterOptions::default()
        })
}

/// One operation of a thread, whose first attempt fails. That of the first thread is dropped on its way.
fn operate(api: &Protection, places: u64, time: &Time, running: &AtomicU64, thread: u64) {
    let attempts = RefCell::new(0);
    let call = retry(POLICY, || {
        *attempts.borrow_mut() += 1;
        let first = *attempts.borrow() == 1;
        async move {
            let before = running.fetch_add(1, Ordering::SeqCst);
            assert!(before < places, "more run than there are places");
            future::yield_now().await;
            running.fetch_sub(1, Ordering::SeqCst);
            if first {
                Err(if thread == 1 { 429 } else { 503 })
            } else {
                Ok(thread)
            }
        }
    });
    let call = call.when(|code: &u16| match code {
        429 => Verdict::RetryAtLeast(Duration::from_millis(20)),
        _ => Verdict::Retry,
    });
    let call = call.sleeper(time.clone()).protection(api);
    future::block_on(async {
        let mut call = std::pin::pin!(call.into_future());
        // The first thread drops its operation between attempts or in the queue: within one, that would still count as
        // running here.
        let mut polls = 0;
        let ended = std::future::poll_fn(|context| {
            let inside = running.load(Ordering::SeqCst) > 0;
            polls += 1;
            if thread == 0 && polls > 1 && !inside {
                return Poll::Ready(None);
            }
            call.as_mut().poll(context).map(Some)
        })
        .await;
        if let Some(ended) = ended {
            assert_eq!(ended.expect("the second attempt succeeds"), thread);
        }
    });
}

/// Has so many threads do something, and waits for them.
fn together(threads: u64, does: impl Fn(u64) + Clone + Send + 'static) {
    let threads: Vec<_> = (0..threads)
        .map(|number| {
            let does = does.clone();
            thread::spawn(move || does(number))
        })
        .collect();
    for thread in threads {
        thread.join().expect("no panic");
    }
}

fn scene(places: u64) {
    let (api, time, running) = (shared(places), Time::default(), Arc::new(AtomicU64::new(0)));
    let protection = api.clone();
    together(places + WAITING, move |number| {
        operate(&protection, places, &time, &running, number)
    });
    nothing_is_left(&api);
}

fn nothing_is_left(api: &Protection) {
    let status = api.status();
    let limiter = status.limiter.expect("there is one");
    assert_eq!((limiter.running, limiter.queued), (0, 0));
    assert_eq!(status.cooldown.expect("there is one").held, 0);
    let budget = status.budget.expect("there is one");
    assert!((0.0..=budget.capacity).contains(&budget.tokens));
}

/// Orders that are tried of each scene.
const ITERATIONS: usize = 20_000;

#[test]
fn every_operation_ends_in_random_orders() {
    check_random(|| scene(1), ITERATIONS);
    check_random(|| scene(2), ITERATIONS);
}

/// Few preemptions, at the places where they hurt most.
#[test]
fn every_operation_ends_with_few_preemptions() {
    check_pct(|| scene(1), ITERATIONS, 3);
    check_pct(|| scene(2), ITERATIONS, 3);
}

/// Each attempt ends only beside another one: whoever starts lets the next one start while a place is free.
#[test]
fn no_place_stays_empty_while_somebody_waits() {
    check_random(
        || {
            let (api, time, pair) = (shared(2), Time::default(), Arc::new(Barrier::new(2)));
            let protection = api.clone();
            together(4, move |_| {
                let call = retry(POLICY, || async {
                    future::yield_now().await;
                    pair.wait();
                    Ok::<_, ()>(())
                });
                let call = call.sleeper(time.clone()).protection(&protection);
                future::block_on(call.into_future()).expect("the first attempt succeeds");
            });
            nothing_is_left(&api);
        },
        ITERATIONS,
    );
}

/// Keys are made by several threads at once: who asks for the same key has the same numbers.
#[test]
fn a_key_has_one_state() {
    check_random(
        || {
            let (api, time) = (shared(1), Time::default());
            let protection = api.clone();
            together(1 + WAITING, move |number| {
                let key = protection.for_key(if number == 0 { "a" } else { "b" });
                let call = retry(POLICY, || async { Err::<(), _>(()) }).when(|()| Verdict::Retry);
                let call = call.sleeper(time.clone()).protection(&key);
                assert!(future::block_on(call.into_future()).is_err());
            });
            let granted = |key| {
                api.for_key(key)
                    .status()
                    .budget
                    .expect("there is one")
                    .granted
            };
            assert_eq!((granted("a"), granted("b")), (2, 2 * WAITING));
        },
        ITERATIONS,
    );
}

/// Whoever waits when the limiter is drained is rejected, and whoever comes later, by whatever key.
#[test]
fn a_drain_leaves_nobody_waiting() {
    check_random(
        || {
            let (api, time) = (shared(1), Time::default());
            let protection = api.clone();
            together(2 + WAITING, move |number| {
                if number == 0 {
                    return protection.drain();
                }
                let key = if number == 1 {
                    protection.clone()
                } else {
                    protection.for_key("a")
                };
                let call = retry(POLICY, || async {
                    future::yield_now().await;
                    Err::<(), _>(())
                });
                let call = call
                    .when(|()| Verdict::Retry)
                    .sleeper(time.clone())
                    .protection(&key);
                assert!(future::block_on(call.into_future()).is_err());
            });
            nothing_is_left(&api);
            nothing_is_left(&api.for_key("a"));
            let late = retry(POLICY, || async { Ok::<_, ()>(()) }).sleeper(Time::default());
            assert!(future::block_on(late.protection(&api.for_key("b")).into_future()).is_err());
        },
        ITERATIONS,
    );
}
