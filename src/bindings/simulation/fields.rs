//! Options by name: a missing one keeps its default, and one error lists all invalid ones.

use wasm_bindgen::JsValue;

use crate::bindings::values::{options_of, thrown};
use crate::core::{OptionError, OptionErrors, UNLIMITED};
use crate::data::{self, Value, camel_case, rejection};

/// The options of a simulation as the caller passed them.
pub(super) struct Fields {
    entries: Vec<(String, Value)>,
    /// Names that were read.
    known: Vec<&'static str>,
    problems: Vec<String>,
}

impl Fields {
    pub(super) fn read(options: JsValue) -> Result<Self, JsValue> {
        match options_of(options)? {
            Value::Object(entries) => Ok(Self::of(entries)),
            other => {
                let text = format!("options must be an object, got {other}");
                Err(thrown(&text, false))
            }
        }
    }

    /// Reads an object of options, which are found under their names after `prefix` from here on. Returns whether it is
    /// there.
    pub(super) fn section(&mut self, name: &'static str, prefix: &str) -> bool {
        let Some(at) = self.entries.iter().position(|(entry, _)| entry == name) else {
            return false;
        };
        match self.entries.swap_remove(at) {
            (_, Value::Object(entries)) => {
                let named = |(part, value)| (format!("{prefix}{part}"), value);
                self.entries.extend(entries.into_iter().map(named));
                true
            }
            (_, other) => {
                let problem = format!("{name} must be an object, got {other}");
                self.problems.push(problem);
                false
            }
        }
    }

    /// Whether the option is set.
    pub(super) fn has(&self, name: &str) -> bool {
        self.given(name).is_some()
    }

    /// Reads a switch.
    pub(super) fn switch(&mut self, name: &'static str, field: &mut bool) {
        self.other(name, field, "true or false", |value| match value {
            Value::Bool(value) => Some(*value),
            _ => None,
        });
    }

    pub(super) fn of(entries: Vec<(String, Value)>) -> Self {
        Self {
            entries,
            known: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// Reads a number. Any other value becomes NaN, which the option's own check rejects.
    #[inline(never)]
    pub(super) fn number(&mut self, name: &'static str, field: &mut f64) {
        match self.value(name) {
            None => {}
            Some(Value::Number(number)) => *field = *number,
            Some(_) => *field = f64::NAN,
        }
    }

    /// Reads a number that need not be set.
    pub(super) fn optional(&mut self, name: &'static str, field: &mut Option<f64>) {
        if self.has(name) {
            self.number(name, field.insert(f64::NAN));
        }
    }

    /// Reads a count, which may be infinite. Any other value becomes 0, which no option allows.
    pub(super) fn count(&mut self, name: &'static str, field: &mut Option<u64>) {
        if let Some(value) = self.value(name) {
            *field = Some(match value {
                Value::Number(f64::INFINITY) => UNLIMITED,
                value => data::whole(value).unwrap_or(0),
            });
        }
    }

    /// Reads a whole number. Any other value becomes the largest, which no option allows.
    #[inline(never)]
    pub(super) fn whole(&mut self, name: &'static str, field: &mut u32) {
        if let Some(value) = self.value(name) {
            *field = whole(value).unwrap_or(u32::MAX);
        }
    }

    /// Reads any other value with `read`; the rule names the valid values.
    pub(super) fn other<T>(
        &mut self,
        name: &'static str,
        field: &mut T,
        rule: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) {
        let Some(value) = self.value(name) else {
            return;
        };
        if let Some(value) = read(value) {
            *field = value;
        } else {
            let value = written(value);
            self.problems
                .push(format!("{name} must be {rule}, got {value}"));
        }
    }

    /// Returns `made`, or one `RangeError` that lists all problems, with the names as JavaScript
    /// spells them and the values as the caller passed them.
    pub(super) fn finish<T>(self, made: Result<T, OptionErrors>) -> Result<T, JsValue> {
        let problems = self.list(made.as_ref().err().map_or(&[], OptionErrors::problems));
        match made {
            Ok(made) if problems.is_empty() => Ok(made),
            _ => Err(thrown(&problems, false)),
        }
    }

    fn list(self, rejected: &[OptionError]) -> String {
        let mut problems = Vec::new();
        for problem in rejected {
            let default = Value::Number(problem.value);
            let value = self.given(&camel_case(problem.option)).unwrap_or(&default);
            problems.push(rejection(problem, &written(value)));
        }
        problems.extend(self.problems);
        for (name, _) in self.entries {
            if !self.known.contains(&name.as_str()) {
                problems.push(format!("unknown option {}", Value::Text(name)));
            }
        }
        problems.truncate(10);
        problems.join("; ")
    }

    fn value(&mut self, name: &'static str) -> Option<&Value> {
        self.known.push(name);
        self.given(name)
    }

    fn given(&self, name: &str) -> Option<&Value> {
        let entry = self.entries.iter().find(|(entry, _)| entry == name);
        entry.map(|(_, value)| value)
    }
}

/// The numbers of an object that has exactly these, and `tag` with this text.
pub(super) fn variant<const N: usize>(
    value: &Value,
    (tag, text): (&str, &str),
    names: [&str; N],
) -> Option<[f64; N]> {
    let Value::Object(entries) = value else {
        return None;
    };
    let field = |name: &str| entries.iter().find(|(entry, _)| entry == name);
    let (_, Value::Text(found)) = field(tag)? else {
        return None;
    };
    let mut numbers = [0.0; N];
    for (number, name) in numbers.iter_mut().zip(names) {
        let (_, Value::Number(given)) = field(name)? else {
            return None;
        };
        *number = *given;
    }
    (found == text && entries.len() == N + 1).then_some(numbers)
}

/// The whole number that the value is.
pub(super) fn whole(value: &Value) -> Option<u32> {
    u32::try_from(data::whole(value)?).ok()
}

/// A value in words; an object with its parts, because one of them is wrong.
fn written(value: &Value) -> String {
    match value {
        Value::Object(entries) => {
            let parts: Vec<String> = entries
                .iter()
                .map(|(name, value)| format!("{name}: {value}"))
                .collect();
            format!("{{ {} }}", parts.join(", "))
        }
        other => other.to_string(),
    }
}
