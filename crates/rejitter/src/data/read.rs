//! From data of any shape to a policy's data, or all that is wrong with it.

use std::fmt;

use super::similar::similar;
use super::table::with_options;
use super::{DataErrors, IdleTimeout, MAX_LIST, PolicyData, VERSION, Value};
use crate::core::elementary::whole;
use crate::core::{Backoff, CapRule, Jitter, MAX_MS, OptionError, RetryOptions, Seed, UNLIMITED};

const CAP_RULE: &str = "one of 'bound', 'ceiling', 'draw'";
const BACKOFF: &str = "one of 'fixed', 'linear', 'exponential', 'truncated', 'fibonacci', or a \
                       list of 1 to 1,000 non-negative numbers of milliseconds";
const JITTER: &str = "one of 'none', 'full', 'equal', 'decorrelated', 'decorrelatedBounded', \
                      'slotted', 'pollyV2', { type: 'proportional', ratio }, { type: 'additive', \
                      ratio } or { type: 'additive', maxMs }";
const SEED: &str = "an integer between 0 and 2^53 - 1, a string, or { bits } with the decimal \
                    digits of a number below 2^64";

/// A jitter of its parameter.
type Made = fn(f64) -> Jitter;

/// More problems than these are not reported: each repeats what the data say.
const MOST_PROBLEMS: usize = 10;

impl TryFrom<&Value> for PolicyData {
    type Error = DataErrors;

    fn try_from(value: &Value) -> Result<Self, DataErrors> {
        Self::read(value, false)
    }
}

impl PolicyData {
    /// Reads data with no names but those of `RetryOptions`.
    pub(super) fn of_options(value: &Value) -> Result<Self, DataErrors> {
        Self::read(value, true)
    }

    fn read(value: &Value, only_options: bool) -> Result<Self, DataErrors> {
        let mut reader = Reader {
            only_options,
            ..Reader::default()
        };
        let Value::Object(entries) = value else {
            reader.reject("the policy", value, "an object with a version", Kind::None);
            return Err(reader.errors);
        };
        let version = entries.iter().find(|(name, _)| name == "version");
        if version.map(|(_, value)| value) != Some(&Value::Number(f64::from(VERSION))) {
            let found = version.map_or("nothing".to_owned(), |(_, value)| value.to_string());
            reader.problem(format!("version must be {VERSION}, got {found}"), false);
            return Err(reader.errors);
        }
        for (name, value) in entries {
            reader.read(name, &infinite(value));
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

/// Reads one option into its field, by the method that has its rule's name; or refuses what is no data.
macro_rules! setting {
    ($reader:ident, $name:ident, $value:ident, [] $($rule:tt)+) => {
        $reader.omit($name, $value, "it is not data")
    };
    ($reader:ident, $name:ident, $value:ident, [$($field:ident).+] $rule:ident $($word:literal)*) => {
        $reader.data.$($field).+ = $reader.$rule($name, $value $(, $word)*)
    };
}

/// Makes the rules of numbers: methods that read one of this range, which these words describe.
macro_rules! ranges {
    ($($rule:ident $lo:expr, $hi:expr, $words:literal;)+) => {
        impl Reader {
            $(fn $rule(&mut self, name: &str, value: &Value) -> Option<f64> {
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

macro_rules! reader {
    ($($option:literal $rule:ident $(($($word:literal)+))? [$($field:ident).*] $default:literal $entries:literal;)+) => {
        /// Options, and their fields, if they are data.
        const FIELDS: &[(&str, &str)] = &[$(($option, stringify!($($field).*)),)+];

        impl Reader {
            fn option(&mut self, name: &str, value: &Value) {
                match name {
                    $($option => setting!(self, name, value, [$($field).*] $rule $($($word)+)?),)+
                    _ => self.unknown(name),
                }
            }
        }
    };
}
with_options!(reader);

#[derive(Default)]
struct Reader {
    /// Whether errors list the names of `RetryOptions` alone.
    only_options: bool,
    data: PolicyData,
    errors: DataErrors,
    unknown: bool,
}

impl Reader {
    fn read(&mut self, name: &str, value: &Value) {
        match name {
            "version" => {}
            "capRule" => {
                let (found, rule) = (value.text().and_then(CapRule::from_name), CAP_RULE);
                let found = self.known(found, name, value, rule, Kind::Any);
                self.data.options.cap_rule = found.unwrap_or_default();
            }
            _ => self.option(name, value),
        }
    }

    /// The names of the format, as errors list them.
    fn names(&self) -> Vec<&'static str> {
        let mut names = vec!["version"];
        for (name, field) in FIELDS {
            if field.starts_with("options") || !self.only_options && !field.is_empty() {
                names.push(name);
            }
        }
        if !self.only_options {
            names.push("capRule");
        }
        names
    }

    fn unknown(&mut self, name: &str) {
        // The search for a similar name takes longer than all the rest.
        let hint = if self.is_full() {
            None
        } else {
            similar(name, self.names().into_iter())
        };
        let hint = hint.map_or(String::new(), |name| format!(". Did you mean {name}?"));
        let shown = Value::Text(name.to_owned());
        self.problem(format!("unknown option {shown}{hint}"), true);
        self.unknown = true;
    }

    fn backoff(&mut self, name: &str, value: &Value) -> Backoff {
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

    fn jitter(&mut self, name: &str, value: &Value) -> Jitter {
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

    fn idle(&mut self, name: &str, value: &Value) -> Option<IdleTimeout> {
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

    fn truncate_at(&mut self, name: &str, value: &Value) -> Option<u32> {
        let whole = value.number().and_then(whole);
        let found = whole.and_then(|n| n.try_into().ok());
        let found = found.filter(|n| (1..=1_024).contains(n));
        let rule = "an integer between 1 and 1024";
        self.known(found, name, value, rule, Kind::Number)
    }

    fn max_attempts(&mut self, name: &str, value: &Value) -> Option<u64> {
        let found = match value {
            Value::Number(f64::INFINITY) => Some(UNLIMITED),
            _ => value.number().and_then(whole).filter(|n| *n > 0),
        };
        let rule = "a positive integer (first attempt included) or Infinity";
        self.known(found, name, value, rule, Kind::Number)
    }

    fn text(&mut self, name: &str, value: &Value) -> Option<String> {
        let text = value.text().map(str::to_owned);
        self.known(text, name, value, "a string", Kind::None)
    }

    fn switch(&mut self, name: &str, value: &Value) -> bool {
        let found = match value {
            Value::Bool(is_on) => Some(*is_on),
            _ => None,
        };
        let found = self.known(found, name, value, "true or false", Kind::None);
        found.unwrap_or_default()
    }

    fn choice(&mut self, name: &str, value: &Value, no: &str, yes: &str) -> bool {
        let found = [no, yes].iter().position(|each| value.text() == Some(each));
        let rule = format!("one of '{no}', '{yes}'");
        self.known(found, name, value, &rule, Kind::Text) == Some(1)
    }

    fn seed(&mut self, name: &str, value: &Value) -> Option<Seed> {
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

    /// Returns what was found in a value, or rejects the value by this rule.
    fn known<T>(
        &mut self,
        found: Option<T>,
        name: &str,
        value: &Value,
        rule: &str,
        ranged: Kind,
    ) -> Option<T> {
        if found.is_none() {
            self.reject(name, value, rule, ranged);
        }
        found
    }

    /// Checks the options against each other.
    fn finish(mut self) -> Result<PolicyData, DataErrors> {
        // An invalid option is unset by now: what depends on it would be wrong too.
        if self.errors.problems.is_empty() {
            if let Err(errors) = self.data.policy() {
                for problem in errors.problems() {
                    let text = rejection(problem, &Value::Number(problem.value));
                    self.problem(text, problem.rule.starts_with("omitted"));
                }
            }
        }
        if self.errors.problems.is_empty() {
            return Ok(self.data);
        }
        if self.unknown {
            let names = self.names().join(", ");
            self.errors.problems.push(format!("known options: {names}"));
        }
        Err(self.errors)
    }

    fn omit(&mut self, name: &str, value: &Value, because: &str) {
        let text = format!("{name} must be omitted (got {value}): {because}");
        self.problem(text, true);
    }

    fn reject(&mut self, name: &str, value: &Value, rule: &str, ranged: Kind) {
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

/// JSON has no infinity, so it is written as a string.
fn infinite(value: &Value) -> Value {
    match value {
        Value::Text(text) if text == "Infinity" => Value::Number(f64::INFINITY),
        value => value.clone(),
    }
}

/// An invalid option in the words of the data: its name as there, its value, and infinity as JavaScript spells it.
pub(crate) fn rejection(problem: &OptionError, value: &dyn fmt::Display) -> String {
    let (name, rule) = (camel_case(problem.option), camel_case(problem.rule));
    let rule = rule.replace("infinity", "Infinity");
    format!("{name} must be {rule}, got {value}")
}

/// `base_ms` is `baseMs` where the data come from.
pub(crate) fn camel_case(text: &str) -> String {
    let mut camel = String::new();
    let mut upper = false;
    for c in text.chars() {
        match c {
            '_' => {}
            c if upper => camel.push(c.to_ascii_uppercase()),
            c => camel.push(c),
        }
        upper = c == '_';
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
