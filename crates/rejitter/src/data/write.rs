//! A policy's data, written as `toJSON()` of the JavaScript package writes them.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::reader::camel_case;
use super::table::with_options;
use super::{IdleTimeout, PolicyData, VERSION};
use crate::core::elementary::whole;
use crate::core::{Backoff, CapRule, Jitter, MAX_MS};

/// JSON has no infinity. Whole numbers are integers, which readers of all languages take, and which no reader rounds.
struct Ms(f64);

impl Serialize for Ms {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match whole(self.0) {
            Some(whole) => serializer.serialize_u64(whole),
            None if self.0 == f64::INFINITY => serializer.serialize_str("Infinity"),
            None => serializer.serialize_f64(self.0),
        }
    }
}

impl Serialize for IdleTimeout {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { first_ms, then_ms } = *self;
        if first_ms.to_bits() == then_ms.to_bits() {
            return Ms(first_ms).serialize(serializer);
        }
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("firstMs", &Ms(first_ms))?;
        map.serialize_entry("thenMs", &Ms(then_ms))?;
        map.end()
    }
}

struct JitterData(Jitter);

impl Serialize for JitterData {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some((name, value)) = self.0.parameter() else {
            return serializer.serialize_str(self.0.name());
        };
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("type", self.0.name())?;
        map.serialize_entry(&camel_case(name), &Ms(value))?;
        map.end()
    }
}

#[derive(Serialize)]
struct SeedData {
    bits: String,
}

impl Serialize for PolicyData {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let options = &self.options;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("version", &VERSION)?;
        if options.backoff == Backoff::Custom {
            let curve = self.curve.iter().flatten().copied().map(Ms);
            map.serialize_entry("backoff", &curve.collect::<Vec<_>>())?;
        } else {
            map.serialize_entry("backoff", options.backoff.name())?;
        }
        map.serialize_entry("jitter", &JitterData(options.jitter))?;
        if options.cap_rule != CapRule::Bound {
            map.serialize_entry("capRule", options.cap_rule.name())?;
        }
        if let Some(seed) = self.seed {
            let bits = seed.bits().to_string();
            map.serialize_entry("seed", &SeedData { bits })?;
        }
        self.write_fields(&mut map)?;
        map.end()
    }
}

/// A field's value in data, or nothing if it is unset.
trait Written {
    fn written(&self) -> Option<impl Serialize>;
}

impl Written for Option<f64> {
    fn written(&self) -> Option<impl Serialize> {
        self.map(Ms)
    }
}

impl Written for Option<IdleTimeout> {
    fn written(&self) -> Option<impl Serialize> {
        *self
    }
}

impl Written for Option<u32> {
    fn written(&self) -> Option<impl Serialize> {
        *self
    }
}

impl Written for Option<u64> {
    /// No program reaches a limit beyond 2^53, which readers refuse.
    #[allow(clippy::cast_precision_loss)]
    fn written(&self) -> Option<impl Serialize> {
        self.map(|count| match count as f64 {
            number if number > MAX_MS => Ms(f64::INFINITY),
            number => Ms(number),
        })
    }
}

impl Written for Option<String> {
    fn written(&self) -> Option<impl Serialize> {
        self.as_ref()
    }
}

impl Written for bool {
    fn written(&self) -> Option<impl Serialize> {
        self.then_some(true)
    }
}

/// Writes a field, if it has one of these rules. The others come first.
macro_rules! field {
    ($map:ident, $name:literal, [] $($rule:tt)+) => {};
    ($map:ident, $name:literal, [$($field:expr)+] backoff) => {};
    ($map:ident, $name:literal, [$($field:expr)+] jitter) => {};
    ($map:ident, $name:literal, [$($field:expr)+] seed) => {};
    ($map:ident, $name:literal, [$field:expr] choice $default:literal $other:literal) => {
        if $field {
            $map.serialize_entry($name, $other)?;
        }
    };
    ($map:ident, $name:literal, [$field:expr] $rule:ident) => {
        if let Some(value) = $field.written() {
            $map.serialize_entry($name, &value)?;
        }
    };
}

macro_rules! writer {
    ($($name:literal $rule:ident $(($($word:literal)+))? [$($($field:ident).+)?] $default:literal $entries:literal;)+) => {
        impl PolicyData {
            fn write_fields<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
                $(field!(map, $name, [$(self.$($field).+)?] $rule $($($word)+)?);)+
                Ok(())
            }
        }
    };
}
with_options!(writer);
