//! The tables of `tests/vectors` about HTTP, checked natively and in wasm.

use rejitter::core::http::{
    HintHeaders, NetworkFailure, StatusRule, is_idempotent, parse_http_date, retry_after_ms,
};
use serde_json::Value;

const HINTS: &str = include_str!("../vectors/retry-after.json");
const FAILURES: &str = include_str!("../vectors/network-failures.json");

fn text<'a>(entry: &'a Value, name: &str) -> &'a [u8] {
    entry[name].as_str().unwrap_or_default().as_bytes()
}

/// Checks each case of the table; gives the number of cases, and of those that ask for nothing.
pub fn check_hints() -> (usize, usize) {
    let table: Value = serde_json::from_str(HINTS).expect("the table is JSON");
    let now_ms = table["now"].as_f64().expect("now is a number");
    let cases = table["cases"].as_array().expect("cases is a list");
    for case in cases {
        let headers = HintHeaders {
            retry_after_ms: text(case, "retryAfterMs"),
            retry_after: text(case, "retryAfter"),
            date: text(case, "date"),
        };
        assert_eq!(
            retry_after_ms(&headers, now_ms),
            case["ms"].as_f64(),
            "{case}"
        );
    }
    let ignored = cases.iter().filter(|case| case["ms"].is_null()).count();
    (cases.len(), ignored)
}

pub fn check_failures() -> usize {
    let table: Vec<Value> = serde_json::from_str(FAILURES).expect("the table is JSON");
    for entry in &table {
        let failure = NetworkFailure::of(
            text(entry, "code"),
            text(entry, "syscall"),
            text(entry, "message"),
        );
        let name = match failure {
            NetworkFailure::Unknown => "unknown",
            NetworkFailure::Network => "network",
            NetworkFailure::Unprocessed => "unprocessed",
            NetworkFailure::Hopeless => "hopeless",
        };
        assert_eq!(name, entry["is"], "{entry}");
    }
    table.len()
}

pub fn check_statuses_and_methods() {
    let retried = |rule: StatusRule| -> Vec<u32> {
        (0..=999).filter(|status| rule.retries(*status)).collect()
    };
    assert_eq!(
        retried(StatusRule::Transient),
        [408, 425, 429, 500, 502, 503, 504]
    );
    assert_eq!(
        retried(StatusRule::TransientInBrowsers),
        [425, 429, 500, 502, 503, 504]
    );
    let go: Vec<u32> = [0, 429]
        .into_iter()
        .chain(500..=999)
        .filter(|status| *status != 501)
        .collect();
    assert_eq!(retried(StatusRule::GoRetryableHttp), go);

    for method in [
        "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY", "get", "Put",
    ] {
        assert!(is_idempotent(method.as_bytes()), "{method}");
    }
    for method in [
        "POST",
        "PATCH",
        "CONNECT",
        "LOCK",
        "",
        "GETS",
        "GE",
        "G\u{131}T",
    ] {
        assert!(!is_idempotent(method.as_bytes()), "{method}");
    }
}

/// What no table lists: every date of some centuries in all three forms, and texts of noise.
pub fn check_dates_and_noise() {
    const DAYS: [&str; 7] = [
        "Thursday",
        "Friday",
        "Saturday",
        "Sunday",
        "Monday",
        "Tuesday",
        "Wednesday",
    ];
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    // The calendar by counting, not by the formula under test.
    let mut at = 0;
    for year in 1970..2150_i64 {
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        for (month, name) in (1..=12).zip(MONTHS) {
            let length = match month {
                2 => 28 + i64::from(leap),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            for day in 1..=length {
                let weekday = DAYS[usize::try_from(at % 7).expect("a day of the week")];
                let seconds = at * 86_400 + 45_296;
                let short = &weekday[..3];
                for form in [
                    format!("{short}, {day:02} {name} {year} 12:34:56 GMT"),
                    format!("{weekday}, {day:02}-{name}-{:02} 12:34:56 GMT", year % 100),
                    format!("{short} {name} {day:2} 12:34:56 {year}"),
                ] {
                    let read = parse_http_date(form.as_bytes(), seconds);
                    assert_eq!(read, Some(seconds), "{form}");
                    for end in 0..form.len() {
                        assert_eq!(
                            parse_http_date(&form.as_bytes()[..end], seconds),
                            None,
                            "{form} cut at {end}"
                        );
                    }
                }
                at += 1;
            }
        }
    }
    // Noise of the alphabet that the grammars are made of: no panic, and no wait out of range.
    let alphabet = b"0123456789 :,-.GMTSunJanFeb+\t";
    let mut state = 1_u64;
    for round in 0..200_000_usize {
        let noise: Vec<u8> = (0..round % 33)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let pick = usize::try_from(state >> 33).unwrap_or(0) % alphabet.len();
                alphabet[pick]
            })
            .collect();
        let headers = HintHeaders {
            retry_after_ms: if round % 2 == 0 { &noise } else { b"" },
            retry_after: &noise,
            date: if round % 3 == 0 { &noise } else { b"" },
        };
        for now_ms in [1.7e12, 0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            if let Some(ms) = retry_after_ms(&headers, now_ms) {
                assert!(
                    (0.0..=9_007_199_254_740_991.0).contains(&ms) || !now_ms.is_finite(),
                    "{noise:?}"
                );
            }
        }
    }
}
