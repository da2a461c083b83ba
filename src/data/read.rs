//! From data of any shape to a policy's data, or all that is wrong with it.

use std::fmt;

use super::{DataErrors, MAX_LIST, PolicyData, VERSION, Value};
use crate::core::{Backoff, CapRule, Jitter, OptionError, RetryOptions, Seed, UNLIMITED};

const MILLISECONDS: &str = "a number of milliseconds between 0 and 2^53 - 1";
const LIMIT: &str = "a number of milliseconds above 0, or \"Infinity\"";
const BACKOFF: &str = "one of 'fixed', 'linear', 'exponential', 'truncated', 'fibonacci', or a \
                       list of 1 to 1,000 non-negative numbers of milliseconds";
const JITTER: &str = "one of 'none', 'full', 'equal', 'decorrelated', 'decorrelatedBounded', \
                      'slotted', 'pollyV2', { type: 'proportional', ratio } with a ratio above 0 \
                      and at most 1, or { type: 'additive' } with either a ratio above 0 and at \
                      most 1000 or a maxMs above 0";
const SEED: &str = "an integer between 0 and 2^53 - 1, a string, or { bits } with the decimal \
                    digits of a number below 2^64";

/// All names that data may have.
const NAMES: [&str; 21] = [
    "version",
    "baseMs",
    "capMs",
    "minMs",
    "factor",
    "backoff",
    "jitter",
    "stepMs",
    "truncateAt",
    "maxRetryAfterMs",
    "longRetryAfter",
    "maxAttempts",
    "attemptTimeoutMs",
    "totalTimeoutMs",
    "name",
    "seed",
    "unref",
    "finalError",
    "finalResult",
    "metrics",
    "capRule",
];

/// More problems than these are not reported: each repeats what the data say.
const MOST_PROBLEMS: usize = 10;

impl TryFrom<&Value> for PolicyData {
    type Error = DataErrors;

    fn try_from(value: &Value) -> Result<Self, DataErrors> {
        let mut reader = Reader::default();
        let Value::Object(entries) = value else {
            reader.refuse(
                "the policy",
                value,
                "an object made by toJSON()",
                Kind::None,
            );
            return Err(reader.errors);
        };
        let version = entries.iter().find(|(name, _)| name == "version");
        if version.map(|(_, value)| value) != Some(&Value::Number(f64::from(VERSION))) {
            let found = version.map_or("nothing".to_owned(), |(_, value)| value.to_string());
            reader.problem(format!("version must be {VERSION}, got {found}"), false);
            return Err(reader.errors);
        }
        for (name, value) in entries {
            // JSON has no infinity, so it is written as a string.
            match value {
                Value::Text(text) if text == "Infinity" => {
                    reader.read(name, &Value::Number(f64::INFINITY));
                }
                value => reader.read(name, value),
            }
        }
        reader.finish()
    }
}

/// The type of which a wrong value is out of range; of any other it is of a wrong type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    None,
    Number,
    Text,
    Any,
}

#[derive(Default)]
struct Reader {
    data: PolicyData,
    errors: DataErrors,
    unknown: bool,
}

impl Reader {
    fn read(&mut self, name: &str, value: &Value) {
        match name {
            "version" => {}
            "backoff" => self.backoff(value),
            "jitter" => match jitter(value) {
                Some(jitter) => self.data.options.jitter = jitter,
                None => self.refuse(name, value, JITTER, Kind::Text),
            },
            "capRule" => match value.text() {
                Some("bound") => self.data.options.cap_rule = CapRule::Bound,
                Some("ceiling") => self.data.options.cap_rule = CapRule::Ceiling,
                Some("draw") => self.data.options.cap_rule = CapRule::Draw,
                _ => self.refuse(name, value, "one of 'bound', 'ceiling', 'draw'", Kind::Any),
            },
            "baseMs" => self.data.options.base_ms = self.number(name, value),
            "capMs" => self.data.options.cap_ms = self.number(name, value),
            "minMs" => self.data.options.min_ms = self.number(name, value),
            "factor" => {
                self.data.options.factor = number(value);
                if self.data.options.factor.is_none() {
                    self.refuse(name, value, "a finite number of at least 1", Kind::Number);
                }
            }
            "stepMs" => self.data.options.step_ms = self.number(name, value),
            "maxRetryAfterMs" => {
                self.data.options.max_retry_after_ms = self.number(name, value);
            }
            "truncateAt" => match whole(value).and_then(|n| u32::try_from(n).ok()) {
                Some(n) => self.data.options.truncate_at = Some(n),
                None => self.refuse(name, value, "an integer between 1 and 1,024", Kind::Number),
            },
            "maxAttempts" => match (number(value), whole(value)) {
                (Some(f64::INFINITY), _) => self.data.options.max_attempts = Some(UNLIMITED),
                (_, Some(n)) => self.data.options.max_attempts = Some(n),
                _ => {
                    let rule = "a positive integer (first attempt included) or \"Infinity\"";
                    self.refuse(name, value, rule, Kind::Number);
                }
            },
            "attemptTimeoutMs" => self.data.attempt_timeout_ms = self.limit(name, value),
            "totalTimeoutMs" => self.data.total_timeout_ms = self.limit(name, value),
            "longRetryAfter" => {
                self.data.options.cap_long_retry_after = self.choice(name, value, "stop", "cap");
            }
            "name" => match value {
                Value::Text(text) => self.data.name = Some(text.clone()),
                _ => self.refuse(name, value, "a string", Kind::None),
            },
            "finalError" => self.data.wrap_error = self.choice(name, value, "last", "wrap"),
            "finalResult" => {
                self.data.reject_result = self.choice(name, value, "resolve", "reject");
            }
            "unref" => self.data.unref = self.switch(name, value),
            "metrics" => self.data.metrics = self.switch(name, value),
            "seed" => self.seed(value),
            _ => self.unknown(name),
        }
    }

    fn unknown(&mut self, name: &str) {
        // The search for a similar name takes longer than all the rest.
        let hint = if self.is_full() {
            None
        } else {
            similar(name, &NAMES)
        };
        let hint = hint.map_or(String::new(), |name| format!(". Did you mean {name}?"));
        let shown = Value::Text(name.to_owned());
        self.problem(format!("unknown option {shown}{hint}"), true);
        self.unknown = true;
    }

    fn backoff(&mut self, value: &Value) {
        self.data.options.backoff = match value {
            Value::Text(name) if name == "fixed" => Backoff::Fixed,
            Value::Text(name) if name == "linear" => Backoff::Linear,
            Value::Text(name) if name == "exponential" => Backoff::Exponential,
            Value::Text(name) if name == "truncated" => Backoff::Truncated,
            Value::Text(name) if name == "fibonacci" => Backoff::Fibonacci,
            Value::List(list) => {
                let curve: Vec<f64> = list
                    .iter()
                    .filter_map(number)
                    .filter(|ms| *ms >= 0.0)
                    .collect();
                if list.is_empty() || list.len() > MAX_LIST || curve.len() < list.len() {
                    self.refuse("backoff", value, BACKOFF, Kind::Text);
                }
                self.data.curve = Some(curve);
                Backoff::Custom
            }
            _ => return self.refuse("backoff", value, BACKOFF, Kind::Text),
        };
    }

    /// A number of milliseconds. [`Reader::finish`] checks its range.
    fn number(&mut self, name: &str, value: &Value) -> Option<f64> {
        let number = number(value);
        if number.is_none() {
            self.refuse(name, value, MILLISECONDS, Kind::Number);
        }
        number
    }

    fn limit(&mut self, name: &str, value: &Value) -> Option<f64> {
        let limit = number(value).filter(|ms| *ms > 0.0);
        if limit.is_none() {
            self.refuse(name, value, LIMIT, Kind::Number);
        }
        limit
    }

    fn switch(&mut self, name: &str, value: &Value) -> bool {
        if !matches!(value, Value::Bool(_)) {
            self.refuse(name, value, "true or false", Kind::None);
        }
        *value == Value::Bool(true)
    }

    fn choice(&mut self, name: &str, value: &Value, no: &str, yes: &str) -> bool {
        match value.text() {
            Some(text) if text == no => false,
            Some(text) if text == yes => true,
            _ => {
                let rule = format!("one of '{no}', '{yes}'");
                self.refuse(name, value, &rule, Kind::Text);
                false
            }
        }
    }

    fn seed(&mut self, value: &Value) {
        let digits = digits(value);
        self.data.seed = match value {
            Value::Text(text) => Some(Seed::from(text.as_str())),
            Value::Number(_) => whole(value).map(Seed::new),
            _ => digits.and_then(|digits| digits.parse().ok()).map(Seed::new),
        };
        if self.data.seed.is_none() {
            // Digits are a number, which may be too large.
            let kind = if digits.is_some() {
                Kind::Any
            } else {
                Kind::Number
            };
            self.refuse("seed", value, SEED, kind);
        }
    }

    /// Checks the ranges, and the options against each other.
    fn finish(mut self) -> Result<PolicyData, DataErrors> {
        // A value of a wrong type is unset by now: what depends on it would be wrong too.
        if self.errors.problems.is_empty() {
            if let Err(errors) = self.data.policy() {
                for problem in errors.problems() {
                    if problem.option == "jitter" {
                        let object = Value::Object(Vec::new());
                        self.refuse("jitter", &object, JITTER, Kind::Text);
                    } else {
                        let omitted = problem.rule.starts_with("omitted");
                        self.problem(refusal(problem, &Value::Number(problem.value)), omitted);
                    }
                }
            }
        }
        if self.errors.problems.is_empty() {
            return Ok(self.data);
        }
        if self.unknown {
            let names = format!("known options: {}", NAMES.join(", "));
            self.errors.problems.push(names);
        }
        Err(self.errors)
    }

    fn refuse(&mut self, name: &str, value: &Value, rule: &str, ranged: Kind) {
        let in_kind = match value {
            Value::Number(_) => ranged == Kind::Number,
            Value::Text(_) => ranged == Kind::Text,
            _ => false,
        };
        let wrong_type = !in_kind && ranged != Kind::Any;
        self.problem(format!("{name} must be {rule}, got {value}"), wrong_type);
    }

    fn problem(&mut self, text: String, wrong_type: bool) {
        if !self.is_full() {
            self.errors.problems.push(text);
        }
        self.errors.wrong_type |= wrong_type;
    }

    fn is_full(&self) -> bool {
        self.errors.problems.len() >= MOST_PROBLEMS
    }
}

/// The known name that is at most three edits away, the nearest first.
pub(crate) fn similar<'a>(name: &str, names: &[&'a str]) -> Option<&'a str> {
    let name: Vec<char> = name.to_lowercase().chars().take(40).collect();
    let near = names.iter().map(|known| (edits(&name, known), *known));
    let nearest = near.min_by_key(|(edits, _)| *edits);
    let (edits, known) = nearest?;
    (edits <= 3 && edits <= name.len() / 2).then_some(known)
}

/// How many inserted, deleted, replaced or transposed letters `a` and `b` are apart.
fn edits(a: &[char], b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let at = |row: &[usize], j: usize| row.get(j).copied().unwrap_or(usize::MAX / 2);
            let replaced = at(&row, j) + usize::from(x != y);
            let mut least = replaced.min(at(&row, j + 1) + 1).min(at(&next, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if swapped {
                least = least.min(at(&before, j - 1) + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or(0)
}

/// The digits of `{ bits }`, if there are at most as many as a number below 2^64 has.
fn digits(value: &Value) -> Option<&str> {
    let Value::Object(entries) = value else {
        return None;
    };
    let [(name, Value::Text(digits))] = entries.as_slice() else {
        return None;
    };
    let all_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
    (name == "bits" && all_digits && (1..=20).contains(&digits.len())).then_some(digits)
}

/// A number; JSON has no infinity, so it is written as a text.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => Some(*number),
        Value::Text(text) if text == "Infinity" => Some(f64::INFINITY),
        _ => None,
    }
}

fn whole(value: &Value) -> Option<u64> {
    /// Above it not every whole number is an `f64`.
    const LARGEST: f64 = 9_007_199_254_740_991.0;
    let number = number(value)?;
    // Whole, and in the range where the conversion is exact.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let whole =
        (number.fract() == 0.0 && (0.0..=LARGEST).contains(&number)).then_some(number as u64);
    whole
}

fn jitter(value: &Value) -> Option<Jitter> {
    match value {
        Value::Text(name) => match name.as_str() {
            "none" => Some(Jitter::None),
            "full" => Some(Jitter::Full),
            "equal" => Some(Jitter::Equal),
            "decorrelated" => Some(Jitter::Decorrelated),
            "decorrelatedBounded" => Some(Jitter::DecorrelatedBounded),
            "slotted" => Some(Jitter::Slotted),
            "pollyV2" => Some(Jitter::PollyV2),
            _ => None,
        },
        Value::Object(entries) if entries.len() == 2 => {
            let field = |name: &str| entries.iter().find(|(key, _)| key == name);
            let Some((_, Value::Text(kind))) = field("type") else {
                return None;
            };
            let (name, parameter) = entries.iter().find(|(name, _)| name != "type")?;
            let parameter = number(parameter)?;
            match (kind.as_str(), name.as_str()) {
                ("proportional", "ratio") => Some(Jitter::Proportional { ratio: parameter }),
                ("additive", "ratio") => Some(Jitter::Additive { ratio: parameter }),
                ("additive", "maxMs") => Some(Jitter::AdditiveMax { max_ms: parameter }),
                _ => None,
            }
        }
        _ => None,
    }
}

/// An invalid option in the words of the data: its name as there, and its value.
pub(crate) fn refusal(problem: &OptionError, value: &dyn fmt::Display) -> String {
    let (name, rule) = (camel_case(problem.option), camel_case(problem.rule));
    format!("{name} must be {rule}, got {value}")
}

/// `base_ms` is `baseMs` where the data come from.
pub(crate) fn camel_case(text: &str) -> String {
    let mut camel = String::new();
    let mut upper = false;
    for c in text.chars() {
        if c == '_' {
            upper = true;
        } else if upper {
            camel.extend(c.to_uppercase());
            upper = false;
        } else {
            camel.push(c);
        }
    }
    camel
}

impl From<RetryOptions> for PolicyData {
    fn from(options: RetryOptions) -> Self {
        Self {
            options,
            ..Self::default()
        }
    }
}
