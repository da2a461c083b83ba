//! The limiter: rates, places, what is dropped, random worlds.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::{pending, ready};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
#[cfg(not(target_family = "wasm"))]
use std::task::Poll;
use std::time::Duration;

use futures_util::future::{join_all, select};
use rejitter::reconnect::{End, keep_connected};
use rejitter::testing::VirtualTime;
use rejitter::{
    CooldownOptions, HedgeOptions, Jitter, LimiterOptions, LimiterStatus, Protection,
    ProtectionChange, RetryPolicy, Signal, Sleeper, StopReason, Verdict, retry,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::{MS, begun, done, down, hangs, on, poll, protected, steady};
use crate::common::clockless::Clockless;
use crate::common::protected::ONE_AT_A_TIME;
use crate::common::{random::Random, some};

/// So many units a second.
fn rate(limit: f64) -> LimiterOptions {
    LimiterOptions {
        limit: Some(limit),
        ..LimiterOptions::DEFAULT
    }
}

fn limiter(api: &Protection) -> LimiterStatus {
    api.status().limiter.expect("a limiter")
}

/// Numbers of attempts that run and that wait.
fn numbers(api: &Protection) -> (u64, u64) {
    let LimiterStatus {
        running, queued, ..
    } = limiter(api);
    (running, queued)
}

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// An operation whose only attempt writes down when it starts, and ends after this time.
fn call<'a>(
    (time, api): (&'a VirtualTime, &'a Protection),
    starts: &'a RefCell<Vec<u128>>,
    takes: Duration,
) -> Boxed<'a, bool> {
    let attempt = move || {
        starts.borrow_mut().push(time.now().as_millis());
        let busy = Sleeper::sleep(time, takes);
        async move {
            busy.await;
            Ok::<_, String>(())
        }
    };
    let call = retry(steady(1), attempt).protection(api).sleeper(time);
    Box::pin(async move { call.await.is_ok() })
}

/// So many of these operations, which run or wait for their turn.
fn calls<'a>(
    count: u32,
    on: (&'a VirtualTime, &'a Protection),
    starts: &'a RefCell<Vec<u128>>,
    takes: Duration,
) -> VecDeque<impl Future<Output = bool> + Unpin + 'a> {
    (0..count).map(|_| begun(call(on, starts, takes))).collect()
}

fn all_succeed<E>(
    time: &VirtualTime,
    calls: impl IntoIterator<Item: Future<Output = Result<(), E>>>,
) -> bool {
    time.block_on(join_all(calls)).iter().all(Result::is_ok)
}

#[test]
fn a_queue_that_is_dropped_leaves_nothing() {
    for options in [rate(2.0), ONE_AT_A_TIME] {
        let (time, api) = on(|p| p.limiter(options));
        let starts = RefCell::default();
        let mut calls = calls(5, (&time, &api), &starts, 300 * MS);
        assert_eq!(numbers(&api), (1, 4));
        // The second, the first of those that wait, the last, and the one that runs.
        drop(calls.remove(1));
        drop(calls.pop_back());
        assert_eq!(numbers(&api), (1, 2));
        drop(calls.pop_front());
        assert_eq!(numbers(&api), (0, 2));
        assert!(time.block_on(join_all(calls)).into_iter().all(|done| done));
        assert_eq!((numbers(&api), time.waits()), ((0, 0), 0));
        assert_eq!(starts.borrow().len(), 3);
    }
}

#[test]
fn a_place_is_free_in_the_turn_in_which_its_attempt_is_dropped() {
    let (time, api) = on(|p| p.limiter(ONE_AT_A_TIME));
    let starts = RefCell::default();
    let running = begun(call((&time, &api), &starts, Duration::MAX));
    let next = call((&time, &api), &starts, Duration::ZERO);
    let abort = async {
        Sleeper::sleep(&time, 40 * MS).await;
        drop(running);
        pending::<()>().await;
    };
    time.block_on(select(next, Box::pin(abort)));
    assert_eq!(*starts.borrow(), [0, 40]);
}

#[test]
fn nobody_has_a_timer_while_nobody_waits_and_one_has_while_many_do() {
    let (time, api) = on(|p| p.limiter(rate(2.0)));
    let starts = RefCell::default();
    let mut calls: Vec<_> = (0..100)
        .map(|_| call((&time, &api), &starts, Duration::ZERO))
        .collect();
    let waits: Vec<_> = calls
        .iter_mut()
        .map(|call| {
            let _ = poll(call.as_mut());
            time.waits()
        })
        .collect();
    assert!(
        waits[0] == 0 && waits[1..].iter().all(|waits| *waits == 1),
        "{waits:?}"
    );
}

#[test]
fn a_thousand_jobs_take_their_time_and_no_window_sees_more_than_the_limit() {
    let jobs = if cfg!(miri) { 100 } else { 1_000 };
    for per_second in [10.0, 50.0, 100.0, 1_000.0, 10_000.0] {
        let (time, api) = on(|p| {
            p.limiter(LimiterOptions {
                max_queue: Some(rejitter::UNLIMITED),
                ..rate(per_second)
            })
        });
        let starts = RefCell::new(Vec::new());
        let job = |_| {
            let attempt = || {
                starts.borrow_mut().push(time.now());
                done()
            };
            retry(steady(1), attempt).protection(&api).sleeper(&time)
        };
        assert!(all_succeed(&time, (0..jobs).map(job)));
        let (took, ideal) = (time.now().as_secs_f64(), f64::from(jobs - 1) / per_second);
        assert!(
            took >= ideal * 0.999 && took < ideal * 1.05,
            "{took} s for {ideal} s"
        );
        let starts = starts.into_inner();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let limit = per_second as usize;
        for window in starts.windows(limit.min(starts.len() - 1) + 1) {
            let (first, last) = (window[0], window[window.len() - 1]);
            assert!(window.len() <= limit || last - first >= 1_000 * MS - super::NS);
        }
    }
}

#[test]
fn without_a_clock_each_start_waits_its_interval_after_the_one_before() {
    let time = VirtualTime::new();
    let api = Protection::new().limiter(rate(2.0));
    let starts = RefCell::default();
    let job = || {
        let attempt = || {
            Vec::push(&mut starts.borrow_mut(), time.now().as_millis());
            done()
        };
        let call = retry(steady(1), attempt).protection(&api);
        call.sleeper(Clockless(&time))
    };
    assert!(all_succeed(&time, [job(), job(), job()]));
    time.advance(5_000 * MS);
    assert!(all_succeed(&time, [job(), job()]));
    assert_eq!(*starts.borrow(), [0, 500, 1_000, 6_500, 7_000]);
    assert_eq!(numbers(&api), (0, 0));

    // Its places are given back as ever, and a deadline ends its wait.
    let api = Protection::new().limiter(ONE_AT_A_TIME);
    let slow = || {
        let call = retry(steady(1), hangs).total_timeout(300 * MS);
        call.protection(&api).sleeper(Clockless(&time))
    };
    let failed = time.block_on(join_all([slow(), slow(), slow()]));
    let reasons = failed.into_iter().map(|failed| failed.unwrap_err().reason);
    let reasons: Vec<_> = reasons.collect();
    use StopReason::{Limiter, Timeout};
    assert_eq!(reasons, [Timeout, Limiter, Limiter]);
    assert_eq!(numbers(&api), (0, 0));
}

#[test]
fn a_weight_is_asked_for_once_per_attempt() {
    let (time, api) = on(|p| {
        p.limiter(LimiterOptions {
            burst: Some(10),
            ..rate(10.0)
        })
    });
    let asked = RefCell::new(Vec::new());
    let starts = RefCell::new(Vec::new());
    let attempt = || {
        starts.borrow_mut().push(time.now().as_millis());
        down()
    };
    let failed = retry(steady(4), attempt).weight(|attempt| {
        asked.borrow_mut().push(attempt);
        [f64::NAN, 20.0, 5.0, -1.0][usize::try_from(attempt).unwrap() - 1]
    });
    assert!(protected!(failed, api, time).is_err());
    assert_eq!(*asked.borrow(), [1, 2, 3, 4]);
    // After 1 unit, 20 wait for all 10 of the burst: one interval. After these 5 wait until 5 of the burst are there.
    assert_eq!(*starts.borrow(), [0, 100, 1_600, 1_700]);
    // Nobody is asked without a limiter.
    let (time, api) = on(|p| p);
    let call = retry(steady(1), done).weight(|_| panic!("there is no limiter"));
    assert!(protected!(call, api, time).is_ok());
}

#[test]
fn events_say_once_per_attempt_that_it_waits() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let events = seen.clone();
    let (time, api) = on(|p| {
        let options = LimiterOptions {
            concurrency: Some(1),
            max_queue: Some(2),
            ..rate(2.0)
        };
        p.limiter(options).on_event(move |event| {
            let text = match event.change {
                ProtectionChange::Queued(wait) => format!("queued {wait:?}"),
                ProtectionChange::Rejected { by, .. } => format!("rejected by {by}"),
                other => panic!("{other:?}"),
            };
            events.lock().unwrap().push(text);
        })
    });
    let starts = RefCell::default();
    let calls = (0..4).map(|_| call((&time, &api), &starts, 900 * MS));
    let done = time.block_on(join_all(calls));
    assert_eq!(done, [true, true, true, false]);
    assert_eq!(*starts.borrow(), [0, 900, 1_800]);
    let expected = [
        "queued Some(500ms)",
        "queued Some(1s)",
        "rejected by limiter full",
    ];
    assert_eq!(*seen.lock().unwrap(), expected);
}

#[test]
fn a_root_drains_all_keys_and_a_key_itself() {
    let (time, api) = on(|p| p.limiter(ONE_AT_A_TIME));
    let run = |api: &Protection| {
        let ended = protected!(retry(steady(1), done), *api, time);
        ended.map_err(|failed| (failed.reason, failed.report.retry_after))
    };
    let (eu, us) = (api.for_key("eu"), api.for_key("us"));
    let drained = Err((StopReason::Limiter, Some(Duration::MAX)));
    assert_eq!((run(&eu), run(&us), run(&api)), (Ok(()), Ok(()), Ok(())));
    eu.drain();
    assert_eq!((run(&eu), run(&us), run(&api)), (drained, Ok(()), Ok(())));
    api.drain();
    let later = api.for_key("later");
    assert_eq!(
        (run(&us), run(&api), run(&later)),
        (drained, drained, drained)
    );
    assert_eq!(api.status().limiter.unwrap().rejected, 1);
    let rejected = protected!(retry(steady(1), done), us, time).unwrap_err();
    assert_eq!(
        rejected.to_string(),
        "rejected by limiter of us: too many attempts wait"
    );
}

#[test]
fn a_key_in_which_somebody_waits_or_runs_is_kept() {
    let (time, api) = on(|p| p.limiter(ONE_AT_A_TIME));
    let starts = RefCell::default();
    let key = api.for_key("busy");
    let _calls = calls(2, (&time, &key), &starts, 1_000 * MS);
    for number in 0..1_100 {
        let other = api.for_key(&number.to_string());
        assert!(protected!(retry(steady(1), done), other, time).is_ok());
    }
    let keys = api.keys();
    assert!(keys.len() == 1_000 && keys.contains(&"busy".to_owned()));
    assert_eq!(numbers(&api.for_key("busy")), (1, 1));
    // Once all are drained, each may be forgotten.
    api.drain();
    for number in 0..100 {
        let late = api.for_key(&format!("late {number}"));
        assert!(protected!(retry(steady(1), done), late, time).is_err());
    }
    assert_eq!(api.keys().len(), 1_000);
}

#[test]
fn a_connection_has_a_place_until_it_is_open() {
    let (time, api) = on(|p| p.limiter(ONE_AT_A_TIME));
    let starts = RefCell::new(Vec::new());
    let connection = || {
        let session = async |connection: rejitter::reconnect::Connection| {
            starts.borrow_mut().push(time.now().as_millis());
            Sleeper::sleep(&time, 200 * MS).await;
            connection.opened();
            Sleeper::sleep(&time, 10_000 * MS).await;
            Err::<(), _>("gone")
        };
        let kept = keep_connected(steady(1), session).protection(&api);
        // In a box: `join_all` shares what it holds itself, which Miri forbids while such a future is under way.
        Box::pin(kept.sleeper(&time).run())
    };
    let ends = time.block_on(join_all([connection(), connection(), connection()]));
    assert!(ends.iter().all(|end| *end == End::Failed("gone")));
    assert_eq!(*starts.borrow(), [0, 200, 400]);
    // Without a clock, and with a session that fails before it is open.
    let api = Protection::new().limiter(LimiterOptions {
        concurrency: Some(1),
        ..rate(2.0)
    });
    let starts = RefCell::new(Vec::new());
    let connection = || {
        let session = async |_| {
            starts.borrow_mut().push(time.now().as_millis());
            Err::<(), _>("refused")
        };
        let kept = keep_connected(steady(1), session).protection(&api);
        Box::pin(kept.sleeper(Clockless(&time)).run())
    };
    let from = time.now().as_millis();
    time.block_on(join_all([connection(), connection(), connection()]));
    let starts: Vec<_> = starts.borrow().iter().map(|start| start - from).collect();
    assert_eq!((starts, numbers(&api)), (vec![0, 500, 1_000], (0, 0)));
}

#[test]
fn a_hint_ends_those_that_the_cooldown_would_hold_too_long() {
    let (time, api) = on(|p| {
        let cooldown = CooldownOptions::DEFAULT.with_max_hold(1_000 * MS);
        p.limiter(ONE_AT_A_TIME).cooldown(cooldown)
    });
    let busy = retry(steady(1), || async {
        Sleeper::sleep(&time, 100 * MS).await;
        Err::<(), _>(Signal::Busy(2_000 * MS))
    });
    let busy = busy.signal(|signal| Some(*signal)).protection(&api);
    let busy = Box::pin(async { busy.sleeper(&time).await.map_err(|failed| failed.reason) });
    let next = retry(steady(1), || ready(Ok::<_, Signal>(()))).protection(&api);
    let next = Box::pin(async { next.sleeper(&time).await.map_err(|failed| failed.reason) });
    let ends = time.block_on(join_all([busy as Boxed<'_, _>, next]));
    assert_eq!(
        ends,
        [Err(StopReason::Exhausted), Err(StopReason::Cooldown)]
    );
    assert_eq!(time.now(), 100 * MS);
}

/// Answers of another limiter, in turn; the last one repeats. `None`: it hangs.
type Answers = &'static [Option<Option<u64>>];

/// A protection that asks another limiter, and how often that was asked, with what.
fn asking(
    answers: Answers,
    parts: impl FnOnce(Protection) -> Protection,
) -> (VirtualTime, Protection, Arc<Mutex<Vec<String>>>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let (log, events) = (asked.clone(), asked.clone());
    let (time, api) = on(|p| {
        parts(p)
            .acquire(1_000 * MS, move |key, weight| {
                let mut log = log.lock().unwrap();
                let answer = answers[log.len().min(answers.len() - 1)];
                log.push(format!("{} {weight}", key.unwrap_or("-")));
                async move {
                    match answer {
                        Some(answer) => answer.map(Duration::from_millis),
                        None => pending().await,
                    }
                }
            })
            .on_event(move |event| {
                if event.change == ProtectionChange::AcquireFailed {
                    events.lock().unwrap().push("failed".to_owned());
                }
            })
    });
    (time, api, asked)
}

#[test]
fn another_limiter_decides_for_the_first_that_waits() {
    const NOW: Option<Option<u64>> = Some(Some(0));
    let (time, api, asked) = asking(&[NOW, Some(Some(200)), NOW], |p| p);
    let starts = RefCell::default();
    let calls = (0..3).map(|_| call((&time, &api), &starts, 1_000 * MS));
    assert_eq!(time.block_on(join_all(calls)), [true; 3]);
    assert_eq!(*starts.borrow(), [0, 200, 200]);
    assert_eq!(*asked.lock().unwrap(), ["- 1"; 4]);
    assert_eq!(numbers(&api), (0, 0));

    // What it has answered is told.
    let (time, api, _) = asking(&[Some(Some(200))], |p| p);
    let starts = RefCell::default();
    let _waits = begun(call((&time, &api), &starts, 1_000 * MS));
    assert_eq!(api.status().limiter.unwrap().next, 200 * MS);

    // Beside an own rate, the longer wait counts; the key and the weight are told.
    let (time, api, asked) = asking(&[NOW, Some(Some(200)), NOW], |p| p.limiter(rate(2.0)));
    let key = api.for_key("eu");
    let starts = RefCell::new(Vec::new());
    let heavy = || {
        let attempt = || {
            starts.borrow_mut().push(time.now().as_millis());
            done()
        };
        let call = retry(steady(1), attempt).weight(|_| 2.0).protection(&key);
        call.sleeper(&time)
    };
    assert!(all_succeed(&time, [heavy(), heavy()]));
    assert_eq!(*starts.borrow(), [0, 1_200]);
    assert_eq!(*asked.lock().unwrap(), ["eu 2", "eu 2", "eu 2"]);
}

#[test]
fn another_limiter_that_is_down_is_no_outage() {
    for (answers, late) in [(&[None] as Answers, 1_000), (&[Some(None)], 0)] {
        // Without an own limit, each is asked for; with one, that decides alone for a while.
        let (time, api, asked) = asking(answers, |p| p);
        let starts = RefCell::default();
        let calls = (0..2).map(|_| call((&time, &api), &starts, Duration::ZERO));
        assert_eq!(time.block_on(join_all(calls)), [true, true]);
        assert_eq!(*starts.borrow(), [late, 2 * late]);
        assert_eq!(*asked.lock().unwrap(), ["- 1", "failed", "- 1"]);

        let (time, api, asked) = asking(answers, |p| p.limiter(rate(2.0)));
        let starts = RefCell::default();
        let calls = (0..3).map(|_| call((&time, &api), &starts, Duration::ZERO));
        assert_eq!(time.block_on(join_all(calls)), [true; 3]);
        assert_eq!(*starts.borrow(), [late, late + 500, late + 1_000]);
        assert_eq!(*asked.lock().unwrap(), ["- 1", "failed"]);
        assert_eq!((numbers(&api), time.waits()), ((0, 0), 0));
    }
    // It works without a clock.
    let time = VirtualTime::new();
    let api = Protection::new().acquire(300 * MS, |_, _| pending());
    let call = retry(steady(1), done).protection(&api);
    assert!(time.block_on(call.sleeper(Clockless(&time))).is_ok());
    assert_eq!(time.now(), 300 * MS);
}

#[test]
fn a_question_ends_with_its_operation() {
    let (time, api, _) = asking(&[None], |p| p);
    let starts = RefCell::default();
    let calls = calls(2, (&time, &api), &starts, Duration::ZERO);
    assert_eq!(numbers(&api), (0, 2));
    drop(calls);
    assert_eq!((numbers(&api), time.waits()), ((0, 0), 0));
    let late = retry(steady(1), done).total_timeout(400 * MS);
    let late = protected!(late, api, time);
    assert_eq!(late.unwrap_err().reason, StopReason::Limiter);
    assert_eq!((numbers(&api), time.now()), ((0, 0), 400 * MS));
}

/// What a random world counts.
#[derive(Default)]
struct World {
    running: Cell<u64>,
    most: Cell<u64>,
    starts: RefCell<Vec<Duration>>,
}

/// An attempt that runs, until it is dropped.
struct Running(Rc<World>);

impl Running {
    fn new(world: &Rc<World>, now: Duration) -> Self {
        world.running.set(world.running.get() + 1);
        world.most.set(world.most.get().max(world.running.get()));
        world.starts.borrow_mut().push(now);
        Self(world.clone())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.running.set(self.0.running.get() - 1);
    }
}

#[test]
fn random_worlds_never_exceed_a_limit_and_lose_no_place() {
    for seed in 0..u64::from(some(300)) {
        let random = Random::new(seed);
        let limit = random.one(&[None, Some(2.0), Some(10.0), Some(100.0)]);
        let burst = limit.map(|limit| random.one(&[1.0_f64, 2.0, 5.0]).min(limit));
        let concurrency = if limit.is_none() || random.chance(0.5) {
            Some(u64::from(1 + random.below(4)))
        } else {
            None
        };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let options = LimiterOptions {
            limit,
            burst: burst.map(|burst| burst as u64),
            concurrency,
            max_queue: Some(random.one(&[0, 3, 1_000])),
            ..LimiterOptions::DEFAULT
        };
        let hedges = random.chance(0.3);
        let (time, api) = on(|p| {
            let p = p.limiter(options);
            let p = if random.chance(0.3) {
                p.cooldown(CooldownOptions::default())
            } else {
                p
            };
            p.hedge(HedgeOptions::DEFAULT.with_delay(50 * MS))
        });
        let world = Rc::new(World::default());
        let operations = (0..30).map(|number| {
            let random = Random::of(rejitter::Seed::new(seed), number + 1);
            let (time, api, world) = (&time, &api, &world);
            Box::pin(async move {
                Sleeper::sleep(time, random.below(2_000) * MS).await;
                let aborts = random.chance(0.3).then(|| random.below(3_000) * MS);
                let deadline = random.chance(0.5).then(|| random.below(3_000) * MS);
                let policy = RetryPolicy::exponential()
                    .with_base(100 * MS)
                    .with_jitter(Jitter::Full)
                    .with_max_attempts(3);
                let hint = random.chance(0.2).then(|| random.below(1_000) * MS);
                let operation = retry(policy, || {
                    let running = Running::new(world, time.now());
                    let busy = Sleeper::sleep(time, random.below(300) * MS);
                    let fails = random.chance(0.4);
                    async move {
                        busy.await;
                        drop(running);
                        if fails { Err("down") } else { Ok(()) }
                    }
                })
                .when(move |_| hint.map_or(Verdict::Retry, Verdict::RetryAtLeast))
                .seed(seed)
                .attempt_timeout(250 * MS)
                .protection(api)
                .sleeper(time);
                let operation = match deadline {
                    Some(deadline) => operation.total_timeout(deadline),
                    None => operation,
                };
                let operation: Boxed<'_, ()> = if hedges {
                    let operation = operation.hedge();
                    Box::pin(async move { drop(operation.await) })
                } else {
                    Box::pin(async move { drop(operation.await) })
                };
                match aborts {
                    Some(after) => drop(select(operation, Sleeper::sleep(time, after)).await),
                    None => operation.await,
                }
            })
        });
        time.block_on(join_all(operations));
        let about = format!("{seed}: {options:?}");
        assert_eq!((numbers(&api), time.waits()), ((0, 0), 0), "{about}");
        assert!(
            world.most.get() <= concurrency.unwrap_or(u64::MAX),
            "{about}"
        );
        if let (Some(limit), Some(burst)) = (limit, burst) {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let most = (limit + burst) as usize - 1;
            let starts = world.starts.borrow();
            for window in starts.windows(most + 1) {
                let took = window[most] - window[0];
                assert!(took >= 1_000 * MS - MS / 1_000, "{about}: {took:?}");
            }
        }
    }
}

#[cfg(not(target_family = "wasm"))]
#[test]
fn threads_wait_for_their_turn() {
    let (time, api) = on(|p| p.limiter(rate(2.0)));
    let mut starts = Vec::new();
    for _ in 0..3 {
        let call = rejitter::retry_blocking(steady(1), || {
            starts.push(time.now().as_millis());
            Ok::<_, ()>(())
        });
        assert!(call.protection(&api).sleeper(&time).call().is_ok());
    }
    assert_eq!(starts, [0, 500, 1_000]);

    // A thread that waits for a place is woken, and one that would wait too long is not.
    let api = Protection::new().limiter(ONE_AT_A_TIME);
    let order = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        let (started, first) = std::sync::mpsc::channel::<()>();
        let (end, ends) = std::sync::mpsc::channel::<()>();
        let (api, order) = (&api, &order);
        scope.spawn(move || {
            let call = rejitter::retry_blocking(steady(1), || {
                started.send(()).unwrap();
                ends.recv().unwrap();
                order.lock().unwrap().push("first");
                Ok::<_, ()>(())
            });
            call.protection(api).call().unwrap();
        });
        first.recv().unwrap();
        let late = rejitter::retry_blocking(steady(1), || Ok::<_, ()>(()))
            .total_timeout(MS)
            .protection(api)
            .call();
        assert_eq!(late.unwrap_err().reason, StopReason::Limiter);
        scope.spawn(move || {
            let call = rejitter::retry_blocking(steady(1), || {
                order.lock().unwrap().push("second");
                Ok::<_, ()>(())
            });
            call.protection(api).call().unwrap();
        });
        while numbers(api) != (1, 1) {
            std::thread::yield_now();
        }
        end.send(()).unwrap();
    });
    assert_eq!(*order.lock().unwrap(), ["first", "second"]);
    assert_eq!(numbers(&api), (0, 0));

    // A thread that asks another limiter is woken by the answer.
    let api = Protection::new().acquire(Duration::MAX, |_, _| {
        let answer = Arc::new(Mutex::new((false, None::<std::task::Waker>)));
        let other = answer.clone();
        std::thread::spawn(move || {
            let mut other = other.lock().unwrap();
            other.0 = true;
            other.1.take().into_iter().for_each(std::task::Waker::wake);
        });
        std::future::poll_fn(move |cx| {
            let mut answer = answer.lock().unwrap();
            answer.1 = Some(cx.waker().clone());
            if answer.0 {
                Poll::Ready(Some(Duration::ZERO))
            } else {
                Poll::Pending
            }
        })
    });
    let call = rejitter::retry_blocking(steady(1), || Ok::<_, ()>(()));
    assert!(call.protection(&api).call().is_ok());
}

/// Wake-ups of other threads come at any moment. One that was lost would leave a thread waiting for ever.
#[cfg(not(target_family = "wasm"))]
#[test]
fn many_threads_share_few_places() {
    use std::sync::atomic::{AtomicU64, Ordering};

    let each = if cfg!(miri) { 10 } else { 300 };
    let api = Protection::new().limiter(LimiterOptions {
        concurrency: Some(3),
        ..LimiterOptions::DEFAULT
    });
    let (running, most, done) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for number in 0..each {
                    let mut left = number % 3;
                    let attempt = || {
                        let now = running.fetch_add(1, Ordering::SeqCst) + 1;
                        most.fetch_max(now, Ordering::SeqCst);
                        std::thread::yield_now();
                        running.fetch_sub(1, Ordering::SeqCst);
                        if left == 0 {
                            return Ok(());
                        }
                        left -= 1;
                        Err(())
                    };
                    let policy = RetryPolicy::fixed(Duration::ZERO).with_jitter(Jitter::None);
                    let call = rejitter::retry_blocking(policy, attempt).protection(&api);
                    assert!(call.call().is_ok());
                    done.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
    });
    assert_eq!(done.into_inner(), 8 * each);
    assert!(most.into_inner() <= 3);
    assert_eq!(numbers(&api), (0, 0));
}
