//! From data of any shape to a policy's data, or all that is wrong with it.

use std::fmt;

use super::{DataErrors, PolicyData, VERSION, Value};
use crate::core::{
    Backoff, CapRule, Jitter, OptionError, RetryOptions, RetryPolicy, Seed, UNLIMITED,
};

const MILLISECONDS: &str = "a number of milliseconds";
const LIMIT: &str = "a number of milliseconds above 0, or \"Infinity\"";
const BACKOFF: &str = "one of 'fixed', 'linear', 'exponential', 'truncated', 'fibonacci', or a \
                       list of milliseconds from 0";
const JITTER: &str = "one of 'none', 'full', 'equal', 'decorrelated', 'decorrelatedBounded', \
                      'slotted', 'pollyV2', { type: 'proportional', ratio }, { type: 'additive', \
                      ratio } or { type: 'additive', maxMs }";

impl TryFrom<&Value> for PolicyData {
    type Error = DataErrors;

    fn try_from(value: &Value) -> Result<Self, DataErrors> {
        let mut reader = Reader::default();
        let Value::Object(entries) = value else {
            reader.refuse("the policy", value, "an object as toJSON() gives it", true);
            return Err(reader.errors);
        };
        let version = entries.iter().find(|(name, _)| name == "version");
        if version.map(|(_, value)| value) != Some(&Value::Number(f64::from(VERSION))) {
            let given = version.map_or("missing".to_owned(), |(_, value)| value.to_string());
            reader.problem(format!("version is {given}; it must be {VERSION}"), false);
            return Err(reader.errors);
        }
        for (name, value) in entries {
            reader.read(name, value);
        }
        reader.finish()
    }
}

#[derive(Default)]
struct Reader {
    data: PolicyData,
    errors: DataErrors,
}

impl Reader {
    fn read(&mut self, name: &str, value: &Value) {
        match name {
            "version" => {}
            "backoff" => self.backoff(value),
            "jitter" => match jitter(value) {
                Some(jitter) => self.data.options.jitter = jitter,
                None => self.refuse(name, value, JITTER, false),
            },
            "capRule" => match value {
                Value::Text(rule) if rule == "bound" => {
                    self.data.options.cap_rule = CapRule::Bound;
                }
                Value::Text(rule) if rule == "ceiling" => {
                    self.data.options.cap_rule = CapRule::Ceiling;
                }
                Value::Text(rule) if rule == "draw" => {
                    self.data.options.cap_rule = CapRule::Draw;
                }
                _ => self.refuse(name, value, "one of 'bound', 'ceiling', 'draw'", false),
            },
            "baseMs" => self.data.options.base_ms = self.number(name, value),
            "capMs" => self.data.options.cap_ms = self.number(name, value),
            "minMs" => self.data.options.min_ms = self.number(name, value),
            "factor" => self.data.options.factor = self.number(name, value),
            "stepMs" => self.data.options.step_ms = self.number(name, value),
            "maxRetryAfterMs" => {
                self.data.options.max_retry_after_ms = self.number(name, value);
            }
            "truncateAt" => match whole(value).and_then(|n| u32::try_from(n).ok()) {
                Some(n) => self.data.options.truncate_at = Some(n),
                None => self.refuse(name, value, "a whole number from 1 to 1024", false),
            },
            "maxAttempts" => match (number(value), whole(value)) {
                (Some(f64::INFINITY), _) => self.data.options.max_attempts = Some(UNLIMITED),
                (_, Some(n)) => self.data.options.max_attempts = Some(n),
                _ => self.refuse(name, value, "a whole number from 1, or \"Infinity\"", false),
            },
            "attemptTimeoutMs" => self.data.attempt_timeout_ms = self.limit(name, value),
            "totalTimeoutMs" => self.data.total_timeout_ms = self.limit(name, value),
            "longRetryAfter" => {
                self.data.options.cap_long_retry_after = self.choice(name, value, "stop", "cap");
            }
            "finalError" => self.data.wrap_error = self.choice(name, value, "last", "wrap"),
            "unref" => self.data.unref = self.switch(name, value),
            "metrics" => self.data.metrics = self.switch(name, value),
            "seed" => self.seed(value),
            _ => self.problem(
                format!("{} is not an option", Value::Text(name.to_owned())),
                true,
            ),
        }
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
                if list.is_empty() || curve.len() < list.len() {
                    self.refuse("backoff", value, BACKOFF, false);
                }
                self.data.curve = Some(curve);
                Backoff::Custom
            }
            _ => return self.refuse("backoff", value, BACKOFF, false),
        };
    }

    /// Of its type; its range is checked with those of the other numbers.
    fn number(&mut self, name: &str, value: &Value) -> Option<f64> {
        let number = number(value);
        if number.is_none() {
            self.refuse(name, value, MILLISECONDS, true);
        }
        number
    }

    fn limit(&mut self, name: &str, value: &Value) -> Option<f64> {
        let limit = number(value).filter(|ms| *ms > 0.0);
        if limit.is_none() {
            self.refuse(name, value, LIMIT, false);
        }
        limit
    }

    fn switch(&mut self, name: &str, value: &Value) -> bool {
        if !matches!(value, Value::Bool(_)) {
            self.refuse(name, value, "true or false", true);
        }
        *value == Value::Bool(true)
    }

    fn choice(&mut self, name: &str, value: &Value, no: &str, yes: &str) -> bool {
        match value {
            Value::Text(text) if text == no => false,
            Value::Text(text) if text == yes => true,
            _ => {
                let rule = format!("one of '{no}', '{yes}'");
                self.refuse(name, value, &rule, false);
                false
            }
        }
    }

    fn seed(&mut self, value: &Value) {
        let bits = match value {
            Value::Object(entries) => match entries.as_slice() {
                [(name, Value::Text(digits))] if name == "bits" => digits
                    .bytes()
                    .all(|byte| byte.is_ascii_digit())
                    .then(|| digits.parse().ok())
                    .flatten(),
                _ => None,
            },
            _ => None,
        };
        match bits {
            Some(bits) => self.data.seed = Some(Seed::new(bits)),
            None => self.refuse(
                "seed",
                value,
                "{ bits } with the decimal digits of a number below 2^64",
                false,
            ),
        }
    }

    /// The ranges, and what options say about each other.
    fn finish(mut self) -> Result<PolicyData, DataErrors> {
        // A value of a wrong type is "not given" by now: what depends on it would be wrong too.
        if self.errors.problems.is_empty() {
            if let Err(errors) = RetryPolicy::new(self.data.options) {
                for problem in errors.problems() {
                    self.problem(refusal(problem, &Value::Number(problem.value)), false);
                }
            }
        }
        if self.errors.problems.is_empty() {
            Ok(self.data)
        } else {
            Err(self.errors)
        }
    }

    /// `typed`: whether the rule is about the type alone.
    fn refuse(&mut self, name: &str, value: &Value, rule: &str, typed: bool) {
        let other_type = typed || !matches!(value, Value::Number(_) | Value::Text(_));
        self.problem(format!("{name} is {value}; it must be {rule}"), other_type);
    }

    fn problem(&mut self, text: String, wrong_type: bool) {
        self.errors.problems.push(text);
        self.errors.wrong_type |= wrong_type;
    }
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

/// A refused option in the words of the data: its name as there, and its value.
pub(crate) fn refusal(problem: &OptionError, value: &dyn fmt::Display) -> String {
    let (name, rule) = (camel_case(problem.option), camel_case(problem.rule));
    format!("{name} is {value}; it must be {rule}")
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
