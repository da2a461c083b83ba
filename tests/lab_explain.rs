//! `lab::explain`: each note appears where it should and not next to there, and says what is so.

#![cfg(all(not(target_arch = "wasm32"), feature = "lab"))]

use rejitter::data::PolicyData;
use rejitter::lab::{Model, Note, Severity, explain};
use serde_json::{Value, json};

fn notes(options: &Value) -> Vec<Note> {
    let mut data = options.clone();
    data["version"] = json!(1);
    let data: PolicyData = serde_json::from_value(data).expect("valid data");
    explain(&data.model().expect("valid options"))
}

fn text(options: &Value, code: &str) -> Option<String> {
    let found: Vec<Note> = notes(options)
        .into_iter()
        .filter(|note| note.code == code)
        .collect();
    assert!(found.len() <= 1, "{code} twice for {options}");
    found.into_iter().next().map(|note| note.text)
}

/// A code, options for which it must appear, with the text, and options, mostly a step away, for
/// which it must not.
type Case = (&'static str, Vec<(Value, &'static str)>, Vec<Value>);

#[allow(clippy::too_many_lines)] // A table.
fn cases() -> Vec<Case> {
    vec![
        (
            "retries-never-happen",
            vec![
                (
                    json!({ "maxAttempts": 1 }),
                    "maxAttempts is 1: the first attempt is the only one, so nothing is retried",
                ),
                (
                    json!({ "jitter": "none", "totalTimeoutMs": 100 }),
                    "the deadline of 100 ms passes before the shortest first wait of 100 ms \
                     can end: nothing is ever retried",
                ),
                (
                    json!({ "minMs": 2500, "totalTimeoutMs": 1500 }),
                    "the deadline of 1.5 s passes before the shortest first wait of 2.5 s can end: \
                     nothing is ever retried",
                ),
            ],
            vec![
                json!({ "maxAttempts": 2 }),
                json!({ "jitter": "none", "totalTimeoutMs": 100.001 }),
                json!({ "totalTimeoutMs": 1 }),
            ],
        ),
        (
            "deadline-before-first-wait",
            vec![
                (
                    json!({ "totalTimeoutMs": 60 }),
                    "the first wait can be as long as 100 ms, but the deadline is 60 ms: 40% of the \
                     operations are never retried, even if their first attempt takes no time",
                ),
                (
                    json!({ "jitter": "decorrelated", "totalTimeoutMs": 250 }),
                    "the first wait can be as long as 300 ms, but the deadline is 250 ms: 25% of the \
                     operations are never retried, even if their first attempt takes no time",
                ),
            ],
            vec![
                json!({ "totalTimeoutMs": 100 }),
                json!({ "jitter": "none", "totalTimeoutMs": 99 }),
                json!({ "jitter": "none", "totalTimeoutMs": 101 }),
                json!({ "maxAttempts": 1, "totalTimeoutMs": 60 }),
            ],
        ),
        (
            "no-wait",
            vec![
                (
                    json!({ "baseMs": 0 }),
                    "all waits are 0: clients call a failing server again immediately, as often as \
                     attempts allow",
                ),
                (
                    json!({ "backoff": [0, 0], "jitter": "none" }),
                    "all waits are 0: clients call a failing server again immediately, as often as \
                     attempts allow",
                ),
            ],
            vec![
                json!({ "baseMs": 0, "minMs": 1 }),
                json!({ "backoff": [0, 1] }),
                json!({ "baseMs": 0, "maxAttempts": 1 }),
            ],
        ),
        (
            "no-jitter",
            vec![(
                json!({ "jitter": "none" }),
                "no jitter: all clients that fail together retry together",
            )],
            vec![
                json!({ "jitter": "equal" }),
                json!({ "jitter": "none", "maxAttempts": 1 }),
                json!({ "jitter": "none", "baseMs": 0 }),
            ],
        ),
        (
            "floor-removes-jitter",
            vec![
                (
                    json!({ "minMs": 1000 }),
                    "waits 1 to 4 are always the minimum of 1 s, because the curve is not above it \
                     yet: minMs removes the jitter",
                ),
                (
                    json!({ "minMs": 100 }),
                    "wait 1 is always the minimum of 100 ms, because the curve is not above it yet: \
                     minMs removes the jitter",
                ),
                (
                    json!({ "minMs": 5000 }),
                    "all waits are always the minimum of 5 s, because the curve is not above it \
                     yet: minMs removes the jitter",
                ),
            ],
            vec![
                json!({ "minMs": 99 }),
                json!({}),
                json!({ "minMs": 1000, "jitter": "none" }),
            ],
        ),
        (
            "min-near-cap",
            vec![(
                json!({ "minMs": 8000 }),
                "the minimum of 8 s leaves only 2 s up to the cap of 10 s: clients stay close \
                 together",
            )],
            vec![
                json!({ "minMs": 7999 }),
                json!({ "minMs": 8000, "jitter": "none" }),
                json!({ "minMs": 8000, "maxAttempts": 1 }),
            ],
        ),
        (
            "does-not-grow",
            vec![
                (
                    json!({ "baseMs": 15_000 }),
                    "the backoff does not grow: baseMs is 15 s, and no ceiling exceeds the cap of 15 s; \
                     set a longer capMs",
                ),
                (
                    json!({ "backoff": "linear", "baseMs": 60_000 }),
                    "the backoff does not grow: baseMs is 1 min, and no ceiling exceeds the cap of 1 \
                     min; set a longer capMs",
                ),
                (
                    json!({ "backoff": "fibonacci", "capMs": 50, "baseMs": 50, "jitter": "none" }),
                    "the backoff does not grow: baseMs is 50 ms, and no ceiling exceeds the cap of 50 \
                     ms; set a longer capMs",
                ),
                (
                    json!({ "jitter": "decorrelated", "baseMs": 10_000 }),
                    "the backoff does not grow: baseMs is 10 s, and no ceiling exceeds the cap of 10 \
                     s; set a longer capMs",
                ),
            ],
            vec![
                json!({ "baseMs": 9_999 }),
                json!({ "baseMs": 15_000, "capMs": 15_001 }),
                json!({ "baseMs": 15_000, "maxAttempts": 2 }),
                json!({ "baseMs": 15_000, "factor": 1 }),
                json!({ "backoff": "fixed", "baseMs": 15_000 }),
                json!({ "backoff": "linear", "baseMs": 15_000, "stepMs": 0 }),
                json!({ "backoff": "truncated" }),
                json!({ "backoff": "truncated", "baseMs": 15_000, "truncateAt": 1 }),
                json!({ "backoff": [15_000], "jitter": "equal" }),
                json!({ "jitter": "slotted", "baseMs": 15_000 }),
                json!({ "capMs": 0, "baseMs": 0 }),
            ],
        ),
        (
            "atom-at-cap",
            vec![
                (
                    json!({ "jitter": "decorrelated", "maxAttempts": 21 }),
                    "30.3% of the clients wait exactly the cap of 10 s at wait 20, because larger \
                     draws are clipped to it: they retry together",
                ),
                (
                    json!({ "jitter": "slotted", "maxAttempts": 9 }),
                    "60.9% of the clients wait exactly the cap of 10 s at wait 8, because larger \
                     draws are clipped to it: they retry together",
                ),
                (
                    json!({ "baseMs": 1000, "capMs": 20000, "capRule": "draw", "maxAttempts": 7 }),
                    "37.5% of the clients wait exactly the cap of 20 s at wait 6, because larger \
                     draws are clipped to it: they retry together",
                ),
            ],
            vec![
                json!({ "jitter": "slotted" }),
                json!({ "jitter": "decorrelated", "maxAttempts": 5 }),
                json!({ "jitter": "decorrelatedBounded", "maxAttempts": 21 }),
                json!({ "maxAttempts": 21 }),
                json!({ "jitter": "none", "maxAttempts": 21 }),
                json!({ "baseMs": 1000, "capMs": 20000, "capRule": "draw", "maxAttempts": 3 }),
            ],
        ),
        (
            "worst-case-exceeds-deadline",
            vec![(
                json!({ "totalTimeoutMs": 3000 }),
                "the worst case of 3.1 s of waiting exceeds the deadline of 3 s: the operation \
                     may end before 6 attempts",
            )],
            vec![
                json!({ "totalTimeoutMs": 3100 }),
                json!({ "totalTimeoutMs": 3000, "maxAttempts": 5 }),
                json!({ "totalTimeoutMs": 3000, "maxAttempts": "Infinity" }),
                json!({}),
            ],
        ),
        (
            "attempt-timeout-exceeds-deadline",
            vec![
                (
                    json!({ "attemptTimeoutMs": 30_000, "totalTimeoutMs": 10_000 }),
                    "the attempt timeout of 30 s is not shorter than the deadline of 10 s: it never \
                     fires, and a hung attempt leaves no time for another",
                ),
                (
                    json!({ "attemptTimeoutMs": 10_000, "totalTimeoutMs": 10_000 }),
                    "the attempt timeout of 10 s is not shorter than the deadline of 10 s: it never \
                     fires, and a hung attempt leaves no time for another",
                ),
            ],
            vec![
                json!({ "attemptTimeoutMs": 9_999, "totalTimeoutMs": 10_000 }),
                json!({ "attemptTimeoutMs": 9_999 }),
                json!({ "totalTimeoutMs": 10_000 }),
            ],
        ),
        (
            "unlimited-attempts-without-deadline",
            vec![(
                json!({ "maxAttempts": "Infinity" }),
                "neither attempts nor time are limited: an operation that keeps failing is \
                 retried until a signal, retryIf or a permanent error ends it",
            )],
            vec![
                json!({ "maxAttempts": "Infinity", "totalTimeoutMs": 1e9 }),
                json!({ "maxAttempts": 1_000_000 }),
            ],
        ),
        (
            "no-budget",
            vec![
                (
                    json!({ "maxAttempts": 3 }),
                    "3 attempts and no budget: while a server fails, its clients send it up to 3 times as many \
                     requests; with budget() of rejitter/protection it is up to 1.31 times where failures are \
                     independent, and up to 1.1 times without refund",
                ),
                (
                    json!({}),
                    "6 attempts and no budget: while a server fails, its clients send it up to 6 times as many \
                     requests; with budget() of rejitter/protection it is up to 1.32 times where failures are \
                     independent, and up to 1.1 times without refund",
                ),
                (
                    json!({ "maxAttempts": "Infinity", "totalTimeoutMs": 5000 }),
                    "attempts without a limit and no budget: while a server fails, its clients send it ever more \
                     requests; with budget() of rejitter/protection it is up to 1.32 times where failures are \
                     independent, and up to 1.1 times without refund",
                ),
            ],
            vec![
                json!({ "maxAttempts": 2 }),
                json!({ "maxAttempts": 1 }),
                json!({ "jitter": "none", "totalTimeoutMs": 100 }),
            ],
        ),
        (
            "no-time-limit",
            vec![(
                json!({}),
                "neither attemptTimeoutMs nor totalTimeoutMs is set: only a signal ends an \
                 attempt that never settles",
            )],
            vec![
                json!({ "attemptTimeoutMs": 1e9 }),
                json!({ "totalTimeoutMs": 1e9 }),
            ],
        ),
        (
            "worst-case",
            vec![
                (
                    json!({}),
                    "worst case 3.1 s of waiting in 5 waits, 1.55 s on average",
                ),
                (
                    json!({ "backoff": "linear", "jitter": "none", "baseMs": 1500, "maxAttempts": 7 }),
                    "worst case 31.5 s of waiting in 6 waits",
                ),
                (
                    json!({ "maxAttempts": 2 }),
                    "worst case 100 ms of waiting in 1 wait, 50 ms on average",
                ),
                (
                    json!({ "backoff": "fixed", "maxAttempts": 1_000_001 }),
                    "worst case 1.16 d of waiting in 1000000 waits",
                ),
                (
                    json!({ "jitter": "decorrelated", "maxAttempts": 3 }),
                    "worst case 1.2 s of waiting in 2 waits, 550 ms on average",
                ),
                // f(3)·1000/1.4 = 5.7 s, and not the 3.4 + 2.4 + 1 s of the single worst cases.
                (
                    json!({ "jitter": "pollyV2", "baseMs": 1000, "capMs": "Infinity", "maxAttempts": 4 }),
                    "worst case 5.7 s of waiting in 3 waits, 4.11 s on average",
                ),
            ],
            vec![
                json!({ "maxAttempts": "Infinity" }),
                json!({ "maxAttempts": 1 }),
            ],
        ),
        (
            "cap-never-reached",
            vec![
                (
                    json!({}),
                    "the cap of 10 s is never reached with 6 attempts: the highest ceiling is 1.6 s",
                ),
                (
                    json!({ "backoff": "fixed", "maxAttempts": "Infinity" }),
                    "the cap of 10 s is never reached: the highest ceiling is 100 ms",
                ),
                (
                    json!({ "jitter": "decorrelated", "maxAttempts": 5 }),
                    "the cap of 10 s is never reached with 5 attempts: the highest ceiling is 8.1 s",
                ),
                (
                    json!({ "backoff": [10, 500, 20], "maxAttempts": "Infinity" }),
                    "the cap of 10 s is never reached: the highest ceiling is 500 ms",
                ),
                (
                    json!({ "jitter": "slotted", "truncateAt": 3, "maxAttempts": "Infinity" }),
                    "the cap of 10 s is never reached: the highest ceiling is 700 ms",
                ),
            ],
            vec![
                json!({ "maxAttempts": 9 }),
                json!({ "maxAttempts": "Infinity" }),
                json!({ "jitter": "decorrelated", "maxAttempts": 6 }),
                json!({ "jitter": "decorrelated", "baseMs": 1e-300, "maxAttempts": "Infinity" }),
                json!({ "jitter": "pollyV2", "maxAttempts": "Infinity" }),
                json!({ "capMs": "Infinity" }),
                json!({ "maxAttempts": 1 }),
            ],
        ),
        (
            "no-cap",
            vec![
                (
                    json!({ "capMs": "Infinity", "baseMs": 1000, "maxAttempts": 11 }),
                    "the waits have no cap: the longest wait is 8.53 min",
                ),
                (
                    json!({ "capMs": "Infinity", "maxAttempts": "Infinity" }),
                    "the waits have no cap: the waits grow without end",
                ),
            ],
            vec![
                json!({ "capMs": 1e15 }),
                json!({ "capMs": "Infinity", "maxAttempts": 1 }),
            ],
        ),
        (
            "immediate-retry-possible",
            vec![(
                json!({}),
                "a wait can be almost 0: 1 in 10 first waits is at most 10 ms; minMs sets a \
                 minimum",
            )],
            vec![
                json!({ "minMs": 1 }),
                json!({ "jitter": "equal" }),
                json!({ "baseMs": 0 }),
                json!({ "maxAttempts": 1 }),
            ],
        ),
    ]
}

#[test]
fn each_note_appears_where_it_should_and_says_what_is_so() {
    for (code, given, _) in cases() {
        for (options, expected) in given {
            let text = text(&options, code).unwrap_or_else(|| panic!("no {code} for {options}"));
            assert_eq!(text, expected, "{code} for {options}");
        }
    }
}

#[test]
fn no_note_appears_beside_where_it_should() {
    for (code, _, others) in cases() {
        assert!(others.len() >= 2);
        for options in others {
            assert_eq!(text(&options, code), None, "{code} for {options}");
        }
    }
}

#[test]
fn who_has_a_budget_is_not_told_to_have_one() {
    let data: PolicyData = serde_json::from_value(json!({ "version": 1 })).unwrap();
    let model = data.model().unwrap();
    let codes = |model: &Model| -> Vec<&str> {
        let notes = explain(model);
        notes.iter().map(|note| note.code).collect()
    };
    let mut without = codes(&model);
    let budgeted = model.with_budget();
    assert!(budgeted.has_budget());
    without.retain(|code| *code != "no-budget");
    assert_eq!(codes(&budgeted), without);
}

#[test]
fn all_codes_are_tested_and_in_the_declarations() {
    let declared = include_str!("../pkg-template/lab.d.ts");
    let types = declared.split("export type NoteCode =").nth(1).unwrap();
    let types = types.split(';').next().unwrap();
    let mut documented: Vec<&str> = types
        .lines()
        .filter_map(|line| line.trim().strip_prefix("| '")?.split('\'').next())
        .collect();
    let mut tested: Vec<&str> = cases().iter().map(|(code, ..)| *code).collect();
    assert_eq!(documented.len(), 17);
    documented.sort_unstable();
    tested.sort_unstable();
    assert_eq!(documented, tested);
    // And what appears anywhere is one of them.
    for (_, given, others) in cases() {
        let all = given.into_iter().map(|(options, _)| options).chain(others);
        for note in all.flat_map(|options| notes(&options)) {
            assert!(tested.contains(&note.code), "{}", note.code);
        }
    }
}

#[test]
fn warnings_come_first() {
    let notes = notes(&json!({ "jitter": "none", "totalTimeoutMs": 1000 }));
    let severities: Vec<Severity> = notes.iter().map(|note| note.severity).collect();
    assert!(severities.contains(&Severity::Warning) && severities.contains(&Severity::Info));
    assert!(severities.is_sorted_by_key(|severity| *severity != Severity::Warning));
}
