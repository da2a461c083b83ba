//! From data of any shape to a policy's data, or all that is wrong with it. The options have their rules in
//! [`read`](super::read).

use std::fmt;

use super::similar::similar;
use super::table::with_options;
use super::value::infinite;
use super::{DataErrors, PolicyData, VERSION, Value};
use crate::core::{CapRule, OptionError, RetryOptions};

const CAP_RULE: &str = "one of 'bound', 'ceiling', 'draw'";
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
pub(super) enum Kind {
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
pub(super) struct Reader {
    /// Whether errors list the names of `RetryOptions` alone.
    only_options: bool,
    pub(super) data: PolicyData,
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

    /// Returns what was found in a value, or rejects the value by this rule.
    pub(super) fn known<T>(
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

    pub(super) fn omit(&mut self, name: &str, value: &Value, because: &str) {
        let text = format!("{name} must be omitted (got {value}): {because}");
        self.problem(text, true);
    }

    pub(super) fn reject(&mut self, name: &str, value: &Value, rule: &str, ranged: Kind) {
        let in_kind = match value {
            Value::Number(_) => ranged == Kind::Number,
            Value::Text(_) => ranged == Kind::Text,
            _ => false,
        };
        let wrong_type = !in_kind && ranged != Kind::Any;
        self.problem(format!("{name} must be {rule}, got {value}"), wrong_type);
    }

    pub(super) fn problem(&mut self, text: String, wrong_type: bool) {
        if !self.is_full() {
            self.errors.problems.push(text);
        }
        self.errors.wrong_type |= wrong_type;
    }

    fn is_full(&self) -> bool {
        self.errors.problems.len() >= MOST_PROBLEMS
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
