//! The table of `tests/vectors` about HTTP, checked natively and in wasm.

use std::path::Path;
use std::time::Duration;

use rejitter::decide::duration_from_ms;
use rejitter::internals::http::{
    HintHeaders, StatusRule, is_idempotent, parse_http_date, retry_after_ms,
};
use rejitter::retry_after;
use serde_json::{Value, json};

use super::{some, words::Words};

const HINTS: &str = include_str!("../vectors/retry-after.json");

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
            retry_after_ms: text(case, "retry-after-ms"),
            x_ms_retry_after_ms: text(case, "x-ms-retry-after-ms"),
            x_amz_retry_after: text(case, "x-amz-retry-after"),
            retry_after: text(case, "retry-after"),
            date: text(case, "date"),
        };
        assert_eq!(
            retry_after_ms(&headers, now_ms),
            case["ms"].as_f64(),
            "{case}"
        );
        // The first one of equal names counts.
        let all = [
            ("Date", headers.date),
            ("Retry-After-MS", headers.retry_after_ms),
            ("X-MS-Retry-After-Ms", headers.x_ms_retry_after_ms),
            ("X-Amz-Retry-After", headers.x_amz_retry_after),
            ("Retry-After", headers.retry_after),
            ("retry-after", b"1"),
        ];
        // It reads a clock of its own, which does not count everywhere.
        let timeless = retry_after_ms(&headers, f64::INFINITY) == case["ms"].as_f64();
        if timeless && case["ms"] != 0 {
            let expected = case["ms"].as_f64().map(duration_from_ms);
            assert_eq!(retry_after(all), expected, "{case}");
        }
    }
    let clock = |text| retry_after([("retry-after", text)]);
    assert_eq!(clock("Sat, 01 Jan 2000 00:00:00 GMT"), Some(Duration::ZERO));
    assert!(clock("Fri, 31 Dec 9999 23:59:59 GMT") > Some(Duration::from_secs(1 << 37)));
    let ignored = cases.iter().filter(|case| case["ms"].is_null()).count();
    (cases.len(), ignored)
}

pub fn check_statuses_and_methods() {
    let retried = |rule: StatusRule| -> Vec<u16> {
        (0..=999).filter(|status| rule.retries(*status)).collect()
    };
    assert_eq!(
        retried(StatusRule::Transient),
        [
            408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529, 530
        ]
    );
    let go: Vec<u16> = [0, 429]
        .into_iter()
        .chain(500..=999)
        .filter(|status| *status != 501)
        .collect();
    assert_eq!(retried(StatusRule::GoRetryableHttp), go);

    for method in [
        "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY", "get", "Put",
    ] {
        assert!(is_idempotent(method), "{method}");
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
        assert!(!is_idempotent(method), "{method}");
    }
}

/// Checks what no table lists: every date of some centuries in all three forms.
pub fn check_dates() {
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
    for year in 1970..1970 + i64::from(some(180)) {
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
                    // The year changes nothing of a date that is cut.
                    let ends = if year == 1970 { 0..form.len() } else { 0..0 };
                    for end in ends {
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
}

/// Makes headers: texts of all forms, some of which are damaged.
struct Headers(Words);

impl Headers {
    fn digits(&mut self, count: u32) -> String {
        (0..count).map(|_| self.0.below(10).to_string()).collect()
    }

    fn one_of(&mut self, words: &str) -> String {
        let words: Vec<&str> = words.split(' ').collect();
        let count = u32::try_from(words.len()).expect("few words");
        words[self.0.below(count) as usize].to_owned()
    }

    /// A number of two digits that is out of range now and then.
    fn two(&mut self, limit: u32) -> String {
        format!("{:02}", self.0.below(limit + 1))
    }

    fn time(&mut self) -> String {
        format!("{}:{}:{}", self.two(23), self.two(60), self.two(60))
    }

    fn text(&mut self) -> String {
        let months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec";
        let days = "Sun Mon Tue Wed Thu Fri Sat";
        let whole = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday";
        let mut text = match self.0.below(8) {
            0 => {
                let count = 1 + self.0.below(25);
                self.digits(count)
            }
            1 => {
                let count = 1 + self.0.below(5);
                let before = self.digits(count);
                let count = self.0.below(20);
                let after = self.digits(count);
                format!("{before}.{after}")
            }
            2 => {
                let (day, date, month) = (self.one_of(days), self.two(31), self.one_of(months));
                let (year, time) = (self.digits(4), self.time());
                format!("{day}, {date} {month} {year} {time} GMT")
            }
            3 => {
                let (day, date, month) = (self.one_of(whole), self.two(31), self.one_of(months));
                let (year, time) = (self.digits(2), self.time());
                format!("{day}, {date}-{month}-{year} {time} GMT")
            }
            4 => {
                let (day, month, date) = (self.one_of(days), self.one_of(months), self.0.below(32));
                let (time, year) = (self.time(), self.digits(4));
                format!("{day} {month} {date:2} {time} {year}")
            }
            5 => format!("Tue, 14 Nov 2023 {} GMT", self.time()),
            6 => format!(" {}\t", self.0.below(1000)),
            _ => String::new(),
        };
        if self.0.below(4) == 0 && !text.is_empty() {
            let length = u32::try_from(text.len()).expect("short");
            let at = self.0.below(length) as usize;
            let keep = self.0.below(2) as usize;
            let new = self.one_of("0 9 . : - + , S G a");
            text.replace_range(at..=at, &new.repeat(keep));
        }
        text
    }
}

/// The digest of what 100,000 random headers ask for is that of the table. They are written on a tape, each with its
/// answer, if `tests/package/engine/tapes.cargo.test.mjs` has set a folder.
pub fn check_random_headers() {
    let table: Value = serde_json::from_str(HINTS).expect("the table is JSON");
    let now_ms = table["now"].as_f64().expect("now is a number");
    let tapes = std::env::var_os("REJITTER_TAPES");
    let mut tape = Vec::new();
    let mut headers = Headers(Words(1));
    // FNV-1a.
    let mut digest = 0x811c_9dc5_u32;
    let mut requested = 0_u32;
    for _ in 0..some(100_000) {
        let [mut precise, retry_after, date] = std::array::from_fn(|_| headers.text());
        if headers.0.below(2) == 0 {
            precise.clear();
        }
        let ms = retry_after_ms(
            &HintHeaders {
                retry_after_ms: precise.as_bytes(),
                retry_after: retry_after.as_bytes(),
                date: date.as_bytes(),
                ..HintHeaders::default()
            },
            now_ms,
        );
        requested += u32::from(ms.is_some());
        for byte in ms.unwrap_or(-1.0).to_be_bytes() {
            digest = (digest ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
        if tapes.is_some() {
            let line = json!({ "retry-after-ms": precise, "retry-after": retry_after, "date": date, "ms": ms });
            tape.push(line.to_string());
        }
    }
    if let Some(folder) = tapes {
        std::fs::write(Path::new(&folder).join("headers"), tape.join("\n")).expect("written");
    }
    if cfg!(miri) {
        return;
    }
    assert!(requested > 50_000, "only {requested} ask for a wait");
    assert_eq!(Some(u64::from(digest)), table["random"].as_u64());
}
