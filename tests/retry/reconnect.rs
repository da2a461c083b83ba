//! Scenes of one connection (`tests/vectors/reconnect.json`), which JavaScript plays too, and fleets.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};
use rejitter::testing::VirtualTime;
use rejitter::{
    Connection, End, Jitter, ReconnectOptions, RetryPolicy, Seed, Sleeper, Verdict, keep_connected,
};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::operations::{ms, nth};
use crate::common::protected::{NERVOUS, breaker, on};
use crate::common::random::Random;

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

fn play(scene: &Value) {
    let (time, seen) = (VirtualTime::new(), RefCell::new(Seen::default()));
    let sessions = &scene["sessions"];
    let mut steps = sessions.as_array().unwrap().iter();
    let silence = steps.find(|step| step["silenceMs"].is_u64());
    let options = ReconnectOptions {
        silence: silence.map_or(Duration::MAX, |step| ms(&step["silenceMs"])),
        seed: Some(half()),
        ..ReconnectOptions::default()
    };
    let mut asked = 0;
    let kept = keep_connected(
        policy(scene),
        options,
        &time,
        |connection| {
            let mut now = seen.borrow_mut();
            now.starts
                .push(json!([millis(time.now()), connection.attempt]));
            now.connections = connection.connections;
            let step = nth(sessions, now.starts.len() as u64);
            session(step, connection, &time, &seen)
        },
        |end| {
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
        },
    );
    let until = Sleeper::sleep(&time, ms(&scene["untilMs"]));
    let end = match time.block_on(select(pin!(kept), pin!(until))) {
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
    for scene in &scenes {
        let needs = scene["needs"].as_array();
        if needs.is_some_and(|needs| {
            LACKING
                .iter()
                .any(|lacking| needs.contains(&json!(lacking)))
        }) {
            continue;
        }
        println!("{}", scene["name"]);
        play(scene);
        played += 1;
    }
    assert!(played > 15);
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
    for seed in 0..600 {
        let (time, open, random) = (VirtualTime::new(), Cell::new(0), Random::new(seed));
        let draw = |below: u32| u64::from(random.below(below));
        let (earliest, ended) = (Cell::new(Duration::ZERO), Cell::new(0));
        let options = ReconnectOptions {
            connect_timeout: Duration::from_millis(1_000 + draw(12_000)),
            silence: Duration::from_millis(100 + draw(20_000)),
            seed: Some(Seed::new(seed)),
            ..ReconnectOptions::default()
        };
        let kept = keep_connected(
            RetryPolicy::reconnecting(),
            options,
            &time,
            |connection| {
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
            },
            |end| {
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
            },
        );
        let until = Sleeper::sleep(&time, Duration::from_millis(draw(1_000_000)));
        let _ = time.block_on(select(Box::pin(kept), pin!(until)));
        assert_eq!((open.get(), time.waits()), (0, 0), "left of seed {seed}");
    }
    assert!(sessions > 2_000, "{sessions}");
}

/// The rejected start is no session, and the next one waits until the circuit may be closed.
#[test]
fn a_connection_starts_when_its_breaker_lets_it() {
    let (time, api) = on(|p| p.breaker(NERVOUS));
    let options = ReconnectOptions {
        protection: Some(api.clone()),
        seed: Some(Seed::new(1)),
        ..ReconnectOptions::default()
    };
    let starts = RefCell::new(Vec::new());
    api.open_for(Duration::from_secs(20));
    let session = |_| {
        starts.borrow_mut().push(time.now());
        let fails = starts.borrow().len() < 3;
        std::future::ready(Err(if fails { "down" } else { "done" }))
    };
    let kept = keep_connected(
        RetryPolicy::reconnecting(),
        options,
        &time,
        session,
        |end| *end != End::Failed("done"),
    );
    time.block_on(kept);
    let starts = starts.into_inner();
    assert!(
        starts.len() == 3 && starts[0] >= Duration::from_secs(20),
        "{starts:?}"
    );
    assert_eq!((breaker(&api).opens, breaker(&api).rejected), (2, 2));
}
