//! Scenes of one connection (`tests/vectors/reconnect.json`), which JavaScript plays too, and fleets.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::pin::pin;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::{Either, select};
use futures_util::stream::FuturesUnordered;
use rejitter::reconnect::{Connection, End, keep_connected};
use rejitter::testing::VirtualTime;
use rejitter::{Jitter, RetryPolicy, Seed, Sleeper, Verdict, sleep_fn};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::operations::{ms, nth};
use super::poll;
use crate::common::clockless::Clockless;
use crate::common::protected::{NERVOUS, breaker, on};
use crate::common::{random::Random, some, some_of};

const SCENES: &str = include_str!("../vectors/reconnect.json");

/// What the runner lacks: signals, hooks and wake-ups, a clock that jumps, and defaults that follow from other options.
const LACKING: [&str; 6] = ["abort", "curve", "defaults", "hooks", "sleep", "wake"];

/// What an error carries, beside its name.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Scripted {
    name: String,
    hint: Option<Duration>,
    permanent: bool,
}

/// What happened in a scene.
#[derive(Debug, Default)]
struct Seen {
    starts: Vec<Value>,
    pings: Vec<Value>,
    ends: Vec<Value>,
    connections: u64,
}

/// Every draw is 0.5: half of the bounds without jitter. For hints, whose spread is always drawn, by the seed.
fn policy(scene: &Value) -> RetryPolicy {
    let mut policy = RetryPolicy::reconnecting()
        .with_base(Duration::from_millis(2_500))
        .with_cap(Duration::from_secs(15))
        .with_jitter(Jitter::None);
    let options = &scene["options"];
    if let Some(most) = options["maxAttempts"].as_u64() {
        policy = policy.with_max_attempts(most);
    }
    if options["maxRetryAfterMs"].is_u64() {
        policy = policy.with_max_retry_after(ms(&options["maxRetryAfterMs"]));
    }
    policy
}

/// A seed whose first draw is nearly a half.
fn half() -> Seed {
    let near = |seed: &u64| (Seed::new(*seed).draws(0, 1).r - 0.5).abs() < 1e-5;
    Seed::new((0..).find(near).unwrap())
}

/// Does what a step of the scene says, in its order.
async fn session(
    step: &Value,
    connection: Connection,
    time: &VirtualTime,
    seen: &RefCell<Seen>,
) -> Result<(), Scripted> {
    let start = time.now();
    // By their time, and in this order.
    let mut acts = BTreeMap::new();
    if step["opensMs"].is_u64() {
        acts.insert((start + ms(&step["opensMs"]), "1 opens"), ());
    }
    for heard in step["hearsMs"].as_array().into_iter().flatten() {
        acts.insert((start + ms(heard), "2 hears"), ());
    }
    let end = step["endsMs"].as_u64();
    if end.is_some() || step["throws"].is_string() || step["returns"] == true {
        acts.insert(
            (start + Duration::from_millis(end.unwrap_or(0)), "3 ends"),
            (),
        );
    }
    loop {
        let next = acts.first_key_value().map(|(act, ())| *act);
        let (at, act) = next.unwrap_or((Duration::MAX / 4, "never"));
        let wait = pin!(Sleeper::sleep(time, at.saturating_sub(time.now())));
        if let Either::Right(_) = select(wait, pin!(connection.ping_due())).await {
            seen.borrow_mut().pings.push(json!(millis(time.now())));
            if step["answersMs"].is_u64() {
                acts.insert((time.now() + ms(&step["answersMs"]), "2 hears"), ());
            }
            continue;
        }
        acts.pop_first();
        match act {
            "1 opens" => connection.opened(),
            "2 hears" => connection.alive(),
            _ => break,
        }
    }
    match step["throws"].as_str() {
        None => Ok(()),
        Some(name) => Err(Scripted {
            name: name.to_owned(),
            hint: step["retryAfterMs"]
                .is_u64()
                .then(|| ms(&step["retryAfterMs"])),
            permanent: step["permanent"] == true,
        }),
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from((duration.as_nanos() + 500_000) / 1_000_000).unwrap()
}

fn play<'a>(scene: &Value, time: &'a VirtualTime, sleeper: impl Sleeper + 'a) {
    let seen = RefCell::new(Seen::default());
    let sessions = &scene["sessions"];
    let mut steps = sessions.as_array().unwrap().iter();
    let silence = steps.find(|step| step["silenceMs"].is_u64());
    let mut asked = 0;
    let kept = keep_connected(policy(scene), |connection| {
        let mut now = seen.borrow_mut();
        now.starts
            .push(json!([millis(time.now()), connection.attempt]));
        now.connections = connection.connections;
        let step = nth(sessions, now.starts.len() as u64);
        session(step, connection, time, &seen)
    })
    .when(|end| {
        let name = match end {
            End::Failed(error) => error.name.as_str(),
            End::Closed => "closed",
            _ => "TimeoutError",
        };
        seen.borrow_mut()
            .ends
            .push(json!([millis(time.now()), name]));
        asked += 1;
        let answer = scene.get("retryIf").map(|answers| nth(answers, asked));
        match (end, answer) {
            (End::Failed(error), _) if error.permanent => Verdict::Stop,
            (_, Some(Value::Bool(again))) => (*again).into(),
            (_, Some(answer)) => Verdict::RetryExactly(ms(&answer["afterMs"])),
            (
                End::Failed(Scripted {
                    hint: Some(hint), ..
                }),
                _,
            ) => Verdict::RetryAtLeast(*hint),
            _ if scene["ends"]["resolves"] == "finished" && asked == 2 => Verdict::Stop,
            _ => Verdict::Retry,
        }
    })
    .silence(silence.map_or(Duration::MAX, |step| ms(&step["silenceMs"])))
    .seed(half())
    .sleeper(sleeper);
    let until = Sleeper::sleep(time, ms(&scene["untilMs"]));
    let end = match time.block_on(select(pin!(kept.run()), pin!(until))) {
        Either::Left((end, _)) => Some(end),
        Either::Right(_) => None,
    };
    let seen = seen.into_inner();
    assert_eq!(json!(seen.starts), scene["starts"]);
    if let Some(pings) = scene.get("pings") {
        assert_eq!(json!(seen.pings), *pings);
    }
    if let Some(aborted) = scene["aborted"].as_array() {
        assert_eq!(seen.ends[..aborted.len()], aborted[..]);
    }
    match scene["ends"].as_object() {
        None => assert_eq!(end, None),
        Some(ends) => {
            assert_eq!(time.now(), ms(&ends["at"]));
            match ends.get("rejects") {
                Some(name) => {
                    assert!(matches!(end, Some(End::Failed(error)) if error.name == *name));
                }
                // A session that returned, and a verdict that stops, are what `finish` is in JavaScript.
                None => assert_eq!(end, Some(End::Closed)),
            }
        }
    }
}

#[test]
fn scenes() {
    let scenes: Vec<Value> = serde_json::from_str(SCENES).unwrap();
    let mut played = 0;
    for scene in some_of(scenes.iter()) {
        let needs = scene["needs"].as_array();
        if needs.is_some_and(|needs| {
            LACKING
                .iter()
                .any(|lacking| needs.contains(&json!(lacking)))
        }) {
            continue;
        }
        println!("{}", scene["name"]);
        let (time, clockless) = (VirtualTime::new(), VirtualTime::new());
        play(scene, &time, &time);
        play(scene, &clockless, Clockless(&clockless));
        played += 1;
    }
    assert!(cfg!(miri) || played > 15);
}

/// A socket that closes when it is dropped.
struct Socket<'a>(&'a Cell<u32>);

impl<'a> Socket<'a> {
    fn new(open: &'a Cell<u32>) -> Self {
        assert_eq!(open.replace(1), 0, "two connections at once");
        Self(open)
    }
}

impl Drop for Socket<'_> {
    fn drop(&mut self) {
        self.0.set(0);
    }
}

#[test]
fn random_lives_never_overlap_and_leave_nothing() {
    let mut sessions = 0;
    for seed in 0..u64::from(some(600)) {
        let (time, open, random) = (VirtualTime::new(), Cell::new(0), Random::new(seed));
        let draw = |below: u32| u64::from(random.below(below));
        let (earliest, ended) = (Cell::new(Duration::ZERO), Cell::new(0));
        let connect_timeout = Duration::from_millis(1_000 + draw(12_000));
        let silence = Duration::from_millis(100 + draw(20_000));
        let kept = keep_connected(RetryPolicy::reconnecting(), |connection| {
            sessions += 1;
            assert!(time.now() >= earliest.get(), "sooner than requested");
            let (time, open, draw) = (&time, &open, &draw);
            async move {
                let _socket = Socket::new(open);
                for _ in 0..draw(4) {
                    Sleeper::sleep(time, Duration::from_millis(draw(15_000))).await;
                    if draw(2) == 0 {
                        connection.opened();
                    }
                    connection.alive();
                }
                if draw(3) == 0 {
                    Ok(())
                } else {
                    Err(Duration::from_millis(draw(60_000)))
                }
            }
        })
        .when(|end| {
            assert_eq!(open.get(), 0, "a session that has ended is there");
            ended.set(ended.get() + 1);
            match end {
                End::Failed(_) if ended.get() == 12 => Verdict::Stop,
                End::Failed(hint) => {
                    earliest.set(time.now() + *hint);
                    Verdict::RetryAtLeast(*hint)
                }
                _ => Verdict::Retry,
            }
        })
        .connect_timeout(connect_timeout)
        .silence(silence)
        .seed(seed)
        .sleeper(&time)
        .run();
        let until = Sleeper::sleep(&time, Duration::from_millis(draw(1_000_000)));
        let _ = time.block_on(select(Box::pin(kept), pin!(until)));
        assert_eq!((open.get(), time.waits()), (0, 0), "left of seed {seed}");
    }
    assert!(cfg!(miri) || sessions > 2_000, "{sessions}");
}

/// The rejected start is no session, and the next one waits until the circuit may be closed.
#[test]
fn a_connection_starts_when_its_breaker_lets_it() {
    let (time, api) = on(|p| p.breaker(NERVOUS));
    let starts = RefCell::new(Vec::new());
    api.open_for(Duration::from_secs(20));
    let session = |_| {
        starts.borrow_mut().push(time.now());
        let fails = starts.borrow().len() < 3;
        std::future::ready(Err(if fails { "down" } else { "done" }))
    };
    let kept = keep_connected(RetryPolicy::reconnecting(), session)
        .when(|end| *end != End::Failed("done"))
        .protection(&api)
        .seed(1)
        .sleeper(&time);
    time.block_on(kept.run());
    let starts = starts.into_inner();
    assert!(
        starts.len() == 3 && starts[0] >= Duration::from_secs(20),
        "{starts:?}"
    );
    assert_eq!((breaker(&api).opens, breaker(&api).rejected), (2, 2));
}

const SECOND: Duration = Duration::from_secs(1);

/// The attempt numbers of sessions of an hour, until the sixth ends everything.
fn numbers_of_hours(time: &VirtualTime, sleeper: impl Sleeper) -> Vec<u64> {
    let numbers = RefCell::new(Vec::new());
    let kept = keep_connected(
        RetryPolicy::reconnecting().with_max_attempts(5),
        |connection| {
            numbers.borrow_mut().push(connection.attempt);
            async move {
                connection.opened();
                Sleeper::sleep(time, 3_600 * SECOND).await;
                Err::<(), _>("reset")
            }
        },
    );
    let kept = kept.when(|_| numbers.borrow().len() < 6).sleeper(sleeper);
    assert_eq!(time.block_on(kept.run()), End::Failed("reset"));
    numbers.into_inner()
}

/// When a connection that says nothing any more is given up.
fn silent_at(time: &VirtualTime, sleeper: impl Sleeper) -> Duration {
    let kept = keep_connected(RetryPolicy::no_retries(), |connection| async move {
        connection.opened();
        std::future::pending::<Result<(), ()>>().await
    });
    let kept = kept.silence(40 * SECOND).sleeper(sleeper);
    assert_eq!(time.block_on(kept.run()), End::Silent);
    time.now()
}

/// A function of a runtime whose time a test has paused has the system's clock, which hardly moves.
#[test]
fn a_clock_that_is_missing_or_stands_still_keeps_connections_all_the_same() {
    let time = VirtualTime::new();
    let numbers = [1, 2, 2, 2, 2, 2];
    assert_eq!(numbers_of_hours(&time, &time), numbers);
    assert_eq!(numbers_of_hours(&time, Clockless(&time)), numbers);
    let function = sleep_fn(|duration| Sleeper::sleep(&time, duration));
    assert_eq!(numbers_of_hours(&time, function), numbers);

    let time = VirtualTime::new();
    assert_eq!(silent_at(&time, &time), 40 * SECOND);
    let time = VirtualTime::new();
    assert_eq!(silent_at(&time, Clockless(&time)), 40 * SECOND);
    let time = VirtualTime::new();
    let function = sleep_fn(|duration| Sleeper::sleep(&time, duration));
    // The system's clock moves on by what the test takes.
    let end = silent_at(&time, function);
    assert!(end.abs_diff(40 * SECOND) < SECOND, "{end:?}");
}

/// The last of those that wait is a future that nobody polls any more.
#[test]
fn a_ping_reaches_one_of_those_that_wait_for_it() {
    let time = VirtualTime::new();
    let (woken, answered) = (Cell::new(0), Cell::new(0));
    let waits = async |connection: &Connection| {
        connection.ping_due().await;
        woken.set(woken.get() + 1);
        connection.alive();
    };
    let kept = keep_connected(RetryPolicy::no_retries(), |connection| {
        let (waits, answered, time) = (&waits, &answered, &time);
        async move {
            connection.opened();
            let clone = connection.clone();
            // Each is woken by itself, as a task is.
            let mut tasks = FuturesUnordered::new();
            tasks.push(waits(&connection));
            tasks.push(waits(&clone));
            let mut dropped = Box::pin(clone.ping_due());
            assert!(poll(dropped.as_mut()).is_pending());
            tasks.next().await;
            answered.set(time.now().as_secs());
            tasks.next().await;
            Err::<(), _>("done")
        }
    });
    let kept = kept.silence(40 * SECOND).sleeper(&time);
    assert_eq!(time.block_on(kept.run()), End::Failed("done"));
    // The second ping comes after half of the silence that follows the answer to the first.
    assert_eq!(
        (woken.get(), answered.get(), time.now()),
        (2, 20, 40 * SECOND)
    );
}

#[test]
fn a_session_that_is_ready_when_its_time_is_over_was_in_time() {
    let time = VirtualTime::new();
    let kept = keep_connected(RetryPolicy::no_retries(), |connection| {
        let time = &time;
        async move {
            Sleeper::sleep(time, 10 * SECOND).await;
            connection.opened();
            Sleeper::sleep(time, 40 * SECOND).await;
            Err::<(), _>("in time")
        }
    });
    let kept = kept.silence(40 * SECOND).sleeper(&time);
    assert_eq!(time.block_on(kept.run()), End::Failed("in time"));
}
