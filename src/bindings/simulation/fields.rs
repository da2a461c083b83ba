//! Options by name: a missing one keeps its default, and one error lists all that are out of range.
//!
//! Names and types were checked by src/js/lab/simulations.js, which takes no others.

use wasm_bindgen::JsValue;

use crate::bindings::values::{options_of, thrown};
use rejitter::data::{self, Value, camel_case, rejection};
use rejitter::decide::OptionError;
use rejitter::{OptionErrors, UNLIMITED};

/// The options of a simulation as the caller passed them.
pub(super) struct Fields {
    entries: Vec<(String, Value)>,
    problems: Vec<String>,
}

/// Reads options into the fields of their names, which are those of JavaScript in camel case, behind the prefix.
macro_rules! read {
    ($fields:ident, $options:ident $prefix:literal: $($field:ident)+) => {
        $($fields.read(concat!($prefix, stringify!($field)), &mut $options.$field);)+
    };
}
pub(super) use read;

/// An option's type. A value that it cannot have becomes one that the option's own check rejects.
pub(super) trait Field {
    fn of(value: &Value) -> Self;
}

impl Field for f64 {
    fn of(value: &Value) -> Self {
        match value {
            Value::Number(number) => *number,
            _ => f64::NAN,
        }
    }
}

impl Field for u32 {
    fn of(value: &Value) -> Self {
        let whole = data::whole(value).and_then(|whole| whole.try_into().ok());
        whole.unwrap_or(u32::MAX)
    }
}

/// A count, which may be infinite.
impl Field for u64 {
    fn of(value: &Value) -> Self {
        match value {
            Value::Number(f64::INFINITY) => UNLIMITED,
            value => data::whole(value).unwrap_or(0),
        }
    }
}

impl Field for bool {
    fn of(value: &Value) -> Self {
        *value == Value::Bool(true)
    }
}

impl<T: Field> Field for Option<T> {
    fn of(value: &Value) -> Self {
        Some(T::of(value))
    }
}

impl Fields {
    pub(super) fn read_all(options: JsValue) -> Result<Self, JsValue> {
        Ok(Self::of(options_of(options)?))
    }

    pub(super) fn of(options: Value) -> Self {
        let mut fields = Self {
            entries: Vec::new(),
            problems: Vec::new(),
        };
        fields.add("", options);
        fields
    }

    fn add(&mut self, prefix: &str, options: Value) {
        if let Value::Object(entries) = options {
            let named = |(name, value)| (format!("{prefix}{name}"), value);
            self.entries.extend(entries.into_iter().map(named));
        }
    }

    /// Reads an object of options, which are found under their names after `prefix` from here on. Returns whether it is
    /// there.
    pub(super) fn section(&mut self, name: &str, prefix: &str) -> bool {
        let options = self.value(name).cloned();
        let is_there = options.is_some();
        self.add(prefix, options.unwrap_or(Value::Null));
        is_there
    }

    /// Whether the option is set.
    pub(super) fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// Reads a name.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.value(name).and_then(Value::text)
    }

    /// Passes on the numbers of a section, by the names that Rust has for them.
    pub(super) fn numbers(&self, section: &str, set: &mut dyn FnMut(&str, f64)) {
        for (name, value) in &self.entries {
            if let (Some(name), Value::Number(number)) = (name.strip_prefix(section), value) {
                set(&snake_case(name), *number);
            }
        }
    }

    /// Reads any other option.
    #[inline(never)]
    pub(super) fn read<T: Field>(&self, name: &str, field: &mut T) {
        if let Some(value) = self.value(&camel_case(name)) {
            *field = T::of(value);
        }
    }

    /// Rejects an option that another one replaces.
    pub(super) fn omit(&mut self, name: &str, because: &str) {
        if let Some(value) = self.value(name) {
            let problem = format!("{name} must be omitted, because {because}, got {value}");
            self.problems.push(problem);
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
            let value = self.value(&camel_case(problem.option)).unwrap_or(&default);
            problems.push(rejection(problem, &written(value)));
        }
        problems.extend(self.problems);
        problems.truncate(10);
        problems.join("; ")
    }

    fn value(&self, name: &str) -> Option<&Value> {
        let entry = self.entries.iter().find(|(entry, _)| entry == name);
        entry.map(|(_, value)| value)
    }
}

fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
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
