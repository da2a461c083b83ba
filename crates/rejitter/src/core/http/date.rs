//! The three forms of an HTTP date (RFC 9110, 5.6.7), read strictly.
//!
//! Engines disagree in what `Date.parse` makes of them: asctime is local time there, and numbers
//! are years. So the grammar is here, once.

/// Three letters each, from Sunday.
const DAYS: &[u8] = b"SunMonTueWedThuFriSat";
/// The rest of the full names.
const DAY_ENDS: [&[u8]; 7] = [
    b"day", b"day", b"sday", b"nesday", b"rsday", b"day", b"urday",
];
/// Three letters each.
const MONTHS: &[u8] = b"JanFebMarAprMayJunJulAugSepOctNovDec";
const LENGTHS: [i64; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/// The date in Unix seconds, if `text` is an HTTP date: IMF-fixdate, RFC 850 or asctime, to the
/// letter. `now` (Unix seconds) gives the two-digit years of RFC 850 their century: none is more
/// than 50 years ahead.
///
/// The name of the weekday must be one, but need not be right: recipients have no use for it.
#[must_use]
#[inline(never)]
pub fn parse_http_date(text: &[u8], now: i64) -> Option<i64> {
    let mut rest = Rest(text);
    let weekday = rest.name(DAYS)?;
    // Small letters are fields, of which `c` is a year without its century, and `e` a day without its zero.
    let form: &[u8] = match rest.0 {
        [b',', ..] => b", d m y t GMT",
        [b' ', ..] => b" m e t y",
        _ => {
            rest.literal(DAY_ENDS.get(weekday)?)?;
            b", d-m-c t GMT"
        }
    };
    let (mut day, mut month, mut year, mut time) = (0, 0, 0, 0);
    for field in form {
        match field {
            b'e' if rest.literal(b" ").is_some() => day = rest.number(1)?,
            b'd' | b'e' => day = rest.number(2)?,
            b'm' => month = rest.name(MONTHS)?,
            b'y' => year = rest.number(4)?,
            b'c' => year = rest.number(2)?,
            b't' => time = rest.time()?,
            other => rest.literal(&[*other])?,
        }
    }
    // Fifty years are counted on the calendar: the same day and time, 50 years before. The bound ends the loop for a
    // clock that is infinitely late.
    while form.contains(&b'c')
        && year < 20_000
        && days(year + 50, month, day) * 86_400 + time <= now
    {
        year += 100;
    }
    let seconds = date(year, month, day)? + time;
    rest.0.is_empty().then_some(seconds)
}

/// The text that is left to read.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    #[inline(never)]
    fn literal(&mut self, text: &[u8]) -> Option<()> {
        self.0 = self.0.strip_prefix(text)?;
        Some(())
    }

    /// Reads exactly `N` digits.
    #[inline(never)]
    fn number(&mut self, digits: u32) -> Option<i64> {
        let mut number = 0;
        for _ in 0..digits {
            let (first, rest) = self.0.split_first()?;
            if !first.is_ascii_digit() {
                return None;
            }
            number = number * 10 + i64::from(first - b'0');
            self.0 = rest;
        }
        Some(number)
    }

    /// One of the names of three letters, as its position.
    #[inline(never)]
    fn name(&mut self, names: &[u8]) -> Option<usize> {
        let position = names
            .chunks_exact(3)
            .position(|name| self.0.starts_with(name))?;
        self.0 = self.0.get(3..)?;
        Some(position)
    }

    /// `08:49:37` in seconds of the day. A leap second is the next minute's first.
    #[inline(never)]
    fn time(&mut self) -> Option<i64> {
        let hour = self.number(2)?;
        self.literal(b":")?;
        let minute = self.number(2)?;
        self.literal(b":")?;
        let second = self.number(2)?;
        (hour < 24 && minute < 60 && second <= 60).then_some(hour * 3600 + minute * 60 + second)
    }
}

/// Midnight of a day that exists, in Unix seconds; months count from 0.
#[inline(never)]
fn date(year: i64, month: usize, day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = *LENGTHS.get(month)? - i64::from(month == 1 && !leap);
    (1..=last)
        .contains(&day)
        .then(|| days(year, month, day) * 86_400)
}

/// Days from 1 January 1970 in the Gregorian calendar. Years start in March here, so that the leap
/// day is the last of one; `year` is never negative.
fn days(year: i64, month: usize, day: i64) -> i64 {
    let month = i64::try_from(month).unwrap_or(0);
    let shifted = (month + 10) % 12;
    let year = if month < 2 { year - 1 } else { year };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + (shifted * 153 + 2) / 5 + day - 1 - 719_468
}
