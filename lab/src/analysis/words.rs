//! Numbers in words for people.

/// Units of durations, in ms, the longest first.
const UNITS: [(f64, &str); 5] = [
    (86_400_000.0, "d"),
    (3_600_000.0, "h"),
    (60_000.0, "min"),
    (1_000.0, "s"),
    (1.0, "ms"),
];

/// A time with the unit that suits it, to three digits: `850 ms`, `31.5 s`, `2 min`, `1.5 h`.
pub(super) fn time(ms: f64) -> String {
    // Rounded first: 59.96 s are a minute.
    let rounded = to_three_digits(ms);
    let (length, unit) = UNITS
        .into_iter()
        .find(|(length, _)| rounded >= *length)
        .unwrap_or((1.0, "ms"));
    format!("{} {unit}", number(rounded / length))
}

/// Times below a second are rounded where they are written.
fn to_three_digits(ms: f64) -> f64 {
    // Powers of ten are exact as far as times go.
    let mut last = 1.0;
    while ms >= last * 999.5 {
        last *= 10.0;
    }
    if last > 1.0 {
        (ms / last).round() * last
    } else {
        ms
    }
}

/// To three digits, or all before the point; without zeros at the end.
pub(super) fn number(value: f64) -> String {
    let decimals = match value {
        v if v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        v if v >= 0.9995 => 2,
        _ => 3,
    };
    if value > 1e6 {
        return format!("{value:.2e}");
    }
    if value > 0.0 && value < 0.0005 {
        return "less than 0.001".to_owned();
    }
    let text = format!("{value:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// A probability as a percentage.
pub(super) fn percent(probability: f64) -> String {
    match probability * 100.0 {
        share if share < 0.1 => "less than 0.1%".to_owned(),
        share if share > 99.9 && probability < 1.0 => "more than 99.9%".to_owned(),
        share => format!("{}%", number(share)),
    }
}

/// `1 wait`, `5 waits`.
pub(super) fn count(n: u64, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_the_unit_that_people_would_use() {
        for (ms, words) in [
            (0.0, "0 ms"),
            (1e-9, "less than 0.001 ms"),
            (0.25, "0.25 ms"),
            (19.531_25, "19.5 ms"),
            (850.0, "850 ms"),
            (999.4, "999 ms"),
            (999.6, "1 s"),
            (1_000.0, "1 s"),
            (31_500.0, "31.5 s"),
            (59_940.0, "59.9 s"),
            (59_960.0, "1 min"),
            (60_000.0, "1 min"),
            (150_000.0, "2.5 min"),
            (3_600_000.0, "1 h"),
            (5_400_000.0, "1.5 h"),
            (86_400_000.0, "1 d"),
            (2e11, "2315 d"),
            (9_007_199_254_740_991.0, "1.04e8 d"),
        ] {
            assert_eq!(time(ms), words, "{ms}");
        }
    }

    #[test]
    fn shares_are_not_rounded_to_all_or_nothing() {
        for (p, words) in [
            (1.0, "100%"),
            (0.9999, "more than 99.9%"),
            (0.314_833, "31.5%"),
            (0.004, "0.4%"),
            (1e-9, "less than 0.1%"),
        ] {
            assert_eq!(percent(p), words, "{p}");
        }
        assert_eq!([count(1, "wait"), count(2, "wait")], ["1 wait", "2 waits"]);
    }
}
