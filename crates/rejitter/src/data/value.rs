//! Data of any shape, read before they are validated, so that messages can name what they are.
//!
//! Data may come from anywhere: what no policy or option has (a long list, a deep object) is skipped
//! while it is read, so that memory and stack stay small.

use std::fmt;

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// Maximum number of entries of a list. The last one repeats, so more would rarely matter.
pub const MAX_LIST: usize = 1_000;

/// Levels of lists and objects that are read: a policy has two.
const DEEPEST: u32 = 3;

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// `null`, and `undefined` in JavaScript.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number; from JavaScript also one that JSON does not have.
    Number(f64),
    /// A string.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// An object, in insertion order.
    Object(Vec<(String, Value)>),
}

impl fmt::Display for Value {
    /// Short, as in the messages of the JavaScript package.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => value.fmt(f),
            Self::Number(value) if value.is_infinite() => f.write_str(if *value > 0.0 {
                "Infinity"
            } else {
                "-Infinity"
            }),
            Self::Number(value) => value.fmt(f),
            Self::Text(text) => {
                let mut short: String = text.chars().take(40).collect();
                if short.len() < text.len() {
                    short.push('…');
                }
                write!(f, "{short:?}")
            }
            Self::List(_) => f.write_str("a list"),
            Self::Object(_) => f.write_str("an object"),
        }
    }
}

impl Value {
    /// Reads options in objects, of which the numbers are a level deeper than those of a policy.
    #[cfg(feature = "internals")]
    pub(crate) fn nested<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Shapes(DEEPEST + 1).deserialize(deserializer)
    }

    /// The number that this is.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The string that this is.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Shapes(DEEPEST).deserialize(deserializer)
    }
}

/// Reads values down to this many levels; what is deeper becomes [`Value::Null`].
#[derive(Clone, Copy)]
struct Shapes(u32);

impl<'de> DeserializeSeed<'de> for Shapes {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        if self.0 == 0 {
            IgnoredAny::deserialize(deserializer).map(|_| Value::Null)
        } else {
            deserializer.deserialize_any(self)
        }
    }
}

impl<'de> Visitor<'de> for Shapes {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    // Integers take another path; beyond 2^53 JSON promises no more than this.
    #[allow(clippy::cast_precision_loss)]
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value as f64))
    }

    #[allow(clippy::cast_precision_loss)]
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        let inside = Self(self.0.saturating_sub(1));
        // One more than a list may have, so that it is invalid.
        while list.len() <= MAX_LIST {
            match items.next_element_seed(inside)? {
                Some(item) => list.push(item),
                None => return Ok(Value::List(list)),
            }
        }
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Vec::new();
        let inside = Self(self.0.saturating_sub(1));
        while object.len() <= MAX_LIST {
            match entries.next_key()? {
                Some(name) => object.push((name, entries.next_value_seed(inside)?)),
                None => return Ok(Value::Object(object)),
            }
        }
        while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Value::Object(object))
    }
}

/// JSON has no infinity, so it is written as a string.
pub(super) fn infinite(value: &Value) -> Value {
    match value {
        Value::Text(text) if text == "Infinity" => Value::Number(f64::INFINITY),
        value => value.clone(),
    }
}
