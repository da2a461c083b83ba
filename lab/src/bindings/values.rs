//! Data from JavaScript, validated here again, strictly: `serde-wasm-bindgen` alone would ignore
//! unknown names and read missing values as empty.

use js_sys::{RangeError, TypeError};
use rejitter::data::{DataErrors, PolicyData, Value};
use rejitter::internals::nested;
use rejitter::{OptionErrors, Seed};
use serde::Deserialize;
use wasm_bindgen::JsValue;

/// An error for JavaScript. The prefix marks rejected options for lab/js/run.js: anything else that these
/// functions throw is a fault.
pub(super) fn thrown(problems: &str, is_type_error: bool) -> JsValue {
    let text = format!("rejitter: {problems}");
    if is_type_error {
        TypeError::new(&text).into()
    } else {
        RangeError::new(&text).into()
    }
}

/// Reads data of any shape.
pub(super) fn value_of(what: &str, value: JsValue) -> Result<Value, JsValue> {
    Value::deserialize(serde_wasm_bindgen::Deserializer::from(value))
        .map_err(|error| thrown(&format!("{what} must be data, got {error}"), true))
}

/// Reads options, some of which are objects of options.
pub(super) fn options_of(value: JsValue) -> Result<Value, JsValue> {
    nested(serde_wasm_bindgen::Deserializer::from(value))
        .map_err(|error| thrown(&format!("options must be data, got {error}"), true))
}

pub(super) fn data_of(policy: JsValue) -> Result<PolicyData, JsValue> {
    PolicyData::try_from(&value_of("the policy", policy)?).map_err(|errors| invalid(&errors))
}

pub(super) fn invalid(errors: &DataErrors) -> JsValue {
    thrown(&errors.to_string(), errors.is_type_error())
}

pub(super) fn rejected(errors: &OptionErrors) -> JsValue {
    thrown(&errors.to_string(), false)
}

/// A seed from its halves: JavaScript's numbers do not hold 64 bits.
pub(super) fn seed_of(high: u32, low: u32) -> Seed {
    Seed::new(u64::from(high) << 32 | u64::from(low))
}

/// A whole number that JavaScript counted; the largest if it is infinite.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub(super) fn count(value: f64) -> u64 {
    value as u64
}
