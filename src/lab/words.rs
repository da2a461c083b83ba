//! Numbers in words for people.

/// A time with the unit that suits it, to three digits: `850 ms`, `31.5 s`, `2 min`, `1.5 h`.
pub(super) fn time(ms: f64) -> String {
    const UNITS: [(f64, &str); 5] = [
        (1.0, "ms"),
        (1_000.0, "s"),
        (60_000.0, "min"),
        (3_600_000.0, "h"),
        (86_400_000.0, "days"),
    ];
    let mut words = String::new();
    for (i, (length, unit)) in UNITS.into_iter().enumerate() {
        // Half of the last digit below the next unit would be rounded to a whole one of it.
        let fits = |(next, _): &(f64, &str)| ms < next - length * 0.5;
        if i == 0 || ms >= length - UNITS.get(i - 1).map_or(0.0, |unit| unit.0) * 0.5 {
            words = format!("{} {unit}", number(ms / length));
        }
        if UNITS.get(i + 1).is_some_and(fits) {
            break;
        }
    }
    words
}

/// To three digits, without zeros at the end.
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
        share if share < 0.1 => "less than 0.1 %".to_owned(),
        share if share > 99.9 && probability < 1.0 => "more than 99.9 %".to_owned(),
        share => format!("{} %", number(share)),
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
            (0.25, "0.25 ms"),
            (19.531_25, "19.5 ms"),
            (850.0, "850 ms"),
            (999.4, "999 ms"),
            (999.6, "1 s"),
            (1_000.0, "1 s"),
            (31_500.0, "31.5 s"),
            (59_960.0, "1 min"),
            (60_000.0, "1 min"),
            (150_000.0, "2.5 min"),
            (3_600_000.0, "1 h"),
            (5_400_000.0, "1.5 h"),
            (86_400_000.0, "1 days"),
            (2e14, "2315 days"),
            (9_007_199_254_740_991.0, "1.04e8 days"),
        ] {
            assert_eq!(time(ms), words, "{ms}");
        }
    }

    #[test]
    fn shares_are_not_rounded_to_all_or_nothing() {
        for (p, words) in [
            (1.0, "100 %"),
            (0.9999, "more than 99.9 %"),
            (0.314_833, "31.5 %"),
            (0.004, "0.4 %"),
            (1e-9, "less than 0.1 %"),
        ] {
            assert_eq!(percent(p), words, "{p}");
        }
        assert_eq!([count(1, "wait"), count(2, "wait")], ["1 wait", "2 waits"]);
    }
}
