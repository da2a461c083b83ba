//! The rules of options in data: each reads a value, or rejects it.

use super::reader::{Kind, Reader};
use super::value::infinite;
use super::{IdleTimeout, MAX_LIST, Value};
use crate::core::elementary::whole;
use crate::core::{Backoff, Jitter, MAX_MS, Seed, UNLIMITED};

const BACKOFF: &str = "one of 'fixed', 'linear', 'exponential', 'truncated', 'fibonacci', or a \
                       list of 1 to 1,000 non-negative numbers of milliseconds";
const JITTER: &str = "one of 'none', 'full', 'equal', 'decorrelated', 'decorrelatedBounded', \
                      'slotted', 'pollyV2', { type: 'proportional', ratio }, { type: 'additive', \
                      ratio } or { type: 'additive', maxMs }";
const SEED: &str = "an integer between 0 and 2^53 - 1, a string, or { bits } with the decimal \
                    digits of a number below 2^64";

/// A jitter of its parameter.
type Made = fn(f64) -> Jitter;

/// Makes the rules of numbers: methods that read one of this range, which these words describe.
macro_rules! ranges {
    ($($rule:ident $lo:expr, $hi:expr, $words:literal;)+) => {
        impl Reader {
            $(pub(super) fn $rule(&mut self, name: &str, value: &Value) -> Option<f64> {
                let found = value.number().filter(|n| ($lo..=$hi).contains(n));
                self.known(found, name, value, $words, Kind::Number)
            })+
        }
    };
}
ranges! {
    milliseconds 0.0, MAX_MS, "a number of milliseconds between 0 and 2^53 - 1";
    longest 0.0, f64::INFINITY, "a non-negative number of milliseconds or Infinity";
    limit f64::from_bits(1), f64::INFINITY, "a positive number of milliseconds or Infinity";
    factor 1.0, f64::MAX, "a finite number, at least 1";
}

impl Reader {
    pub(super) fn backoff(&mut self, name: &str, value: &Value) -> Backoff {
        match (value, value.text().and_then(Backoff::from_name)) {
            (Value::List(list), _) => {
                self.data.curve = Some(self.list(list));
                Backoff::Custom
            }
            (_, None | Some(Backoff::Custom)) => {
                self.reject(name, value, BACKOFF, Kind::Text);
                Backoff::Custom
            }
            (_, Some(backoff)) => backoff,
        }
    }

    fn list(&mut self, list: &[Value]) -> Vec<f64> {
        if !(1..=MAX_LIST).contains(&list.len()) {
            // Reading stopped at the first entry too many.
            let length = match list.len() {
                0 => "0",
                _ => "more",
            };
            let text = format!("backoff.length must be between 1 and {MAX_LIST}, got {length}");
            self.problem(text, false);
            return Vec::new();
        }
        let entries = list.iter().enumerate();
        // The first problem ends the reading.
        let curve = entries
            .map_while(|(i, value)| self.longest(&format!("backoff[{i}]"), &infinite(value)));
        curve.collect()
    }

    pub(super) fn jitter(&mut self, name: &str, value: &Value) -> Jitter {
        let found = match value {
            Value::Object(entries) if entries.iter().any(|(name, _)| name == "type") => {
                self.jitter_of(entries)
            }
            _ => {
                let found = value.text().and_then(Jitter::from_name);
                self.known(found, name, value, JITTER, Kind::Text)
            }
        };
        found.unwrap_or_default()
    }

    /// A jitter with a parameter, or nothing after a problem.
    fn jitter_of(&mut self, entries: &[(String, Value)]) -> Option<Jitter> {
        let field = |name: &str| {
            let entry = entries.iter().find(|(key, _)| key == name);
            entry.map(|(_, value)| value)
        };
        let (ratio, max_ms) = (field("ratio"), field("maxMs"));
        let kind = field("type").unwrap_or(&Value::Null);
        for (name, value) in entries {
            if !["type", "ratio", "maxMs"].contains(&name.as_str()) {
                let because = "only type, ratio and maxMs are known";
                self.omit(&format!("jitter.{name}"), value, because);
            }
        }
        match (kind.text(), ratio, max_ms) {
            (Some("proportional"), _, Some(value)) => {
                self.omit("jitter.maxMs", value, "it applies only to type 'additive'");
            }
            (_, Some(value), Some(_)) => self.omit("jitter.ratio", value, "maxMs replaces it"),
            _ => {}
        }
        let (name, value, most, made): (_, _, _, Made) = match (kind.text(), max_ms) {
            (Some("proportional"), _) => {
                let made = |ratio| Jitter::Proportional { ratio };
                ("jitter.ratio", ratio, 1.0, made)
            }
            (Some("additive"), Some(_)) => {
                let made = |max_ms| Jitter::AdditiveMax { max_ms };
                ("jitter.maxMs", max_ms, MAX_MS, made)
            }
            (Some("additive"), None) => {
                let made = |ratio| Jitter::Additive { ratio };
                ("jitter.ratio", ratio, 1_000.0, made)
            }
            _ => {
                let rule = "'proportional' or 'additive'";
                self.reject("jitter.type", kind, rule, Kind::Text);
                return None;
            }
        };
        let value = value.unwrap_or(&Value::Null);
        let found = value.number().filter(|n| *n > 0.0 && *n <= most);
        let rule = format!("a number above 0 and at most {most}");
        self.known(found.map(made), name, value, &rule, Kind::Number)
    }

    pub(super) fn idle(&mut self, name: &str, value: &Value) -> Option<IdleTimeout> {
        let limit = |value: &Value| infinite(value).number().filter(|ms| *ms > 0.0);
        let found = match value {
            Value::Object(entries) => match entries.as_slice() {
                [(a, first), (b, then)] if a == "firstMs" && b == "thenMs" => {
                    limit(first).zip(limit(then))
                }
                [(a, then), (b, first)] if a == "thenMs" && b == "firstMs" => {
                    limit(first).zip(limit(then))
                }
                _ => None,
            },
            value => limit(value).map(|ms| (ms, ms)),
        };
        let found = found.map(|(first_ms, then_ms)| IdleTimeout { first_ms, then_ms });
        let rule =
            "a positive number of milliseconds, Infinity, or { firstMs, thenMs } with two of these";
        self.known(found, name, value, rule, Kind::Number)
    }

    pub(super) fn truncate_at(&mut self, name: &str, value: &Value) -> Option<u32> {
        let whole = value.number().and_then(whole);
        let found = whole.and_then(|n| n.try_into().ok());
        let found = found.filter(|n| (1..=1_024).contains(n));
        let rule = "an integer between 1 and 1024";
        self.known(found, name, value, rule, Kind::Number)
    }

    pub(super) fn max_attempts(&mut self, name: &str, value: &Value) -> Option<u64> {
        let found = match value {
            Value::Number(f64::INFINITY) => Some(UNLIMITED),
            _ => value.number().and_then(whole).filter(|n| *n > 0),
        };
        let rule = "a positive integer (first attempt included) or Infinity";
        self.known(found, name, value, rule, Kind::Number)
    }

    pub(super) fn text(&mut self, name: &str, value: &Value) -> Option<String> {
        let text = value.text().map(str::to_owned);
        self.known(text, name, value, "a string", Kind::None)
    }

    pub(super) fn switch(&mut self, name: &str, value: &Value) -> bool {
        let found = match value {
            Value::Bool(is_on) => Some(*is_on),
            _ => None,
        };
        let found = self.known(found, name, value, "true or false", Kind::None);
        found.unwrap_or_default()
    }

    pub(super) fn choice(&mut self, name: &str, value: &Value, no: &str, yes: &str) -> bool {
        let found = [no, yes].iter().position(|each| value.text() == Some(each));
        let rule = format!("one of '{no}', '{yes}'");
        self.known(found, name, value, &rule, Kind::Text) == Some(1)
    }

    pub(super) fn seed(&mut self, name: &str, value: &Value) -> Option<Seed> {
        let digits = digits(value);
        let seed = match value {
            Value::Text(text) => Some(Seed::from(text.as_str())),
            Value::Number(number) => whole(*number).map(Seed::new),
            _ => digits.and_then(|digits| digits.parse().ok()).map(Seed::new),
        };
        // Digits are a number, which may be too large.
        let kind = digits.map_or(Kind::Number, |_| Kind::Any);
        self.known(seed, name, value, SEED, kind)
    }
}

/// The digits of `{ bits }`, without zeros before them: with 21 they are too many, however they go on.
fn digits(value: &Value) -> Option<&str> {
    let Value::Object(entries) = value else {
        return None;
    };
    let [(name, Value::Text(digits))] = entries.as_slice() else {
        return None;
    };
    let all_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let zeros = digits.len() - digits.trim_start_matches('0').len();
    let number = digits.get(zeros.min(digits.len().saturating_sub(1))..)?;
    (name == "bits" && all_digits).then_some(number.get(..21).unwrap_or(number))
}
