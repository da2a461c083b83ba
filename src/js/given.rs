//! What JavaScript gives as data, validated here again, strictly: `serde-wasm-bindgen` alone would
//! pass over unknown names and read what is missing as nothing.

use js_sys::{RangeError, TypeError};
use serde::Deserialize;
use wasm_bindgen::JsValue;

use crate::core::OptionErrors;
use crate::data::{PolicyData, Value};

/// Data of any shape, if it is data.
pub(super) fn value_of(what: &str, value: JsValue) -> Result<Value, JsValue> {
    Value::deserialize(serde_wasm_bindgen::Deserializer::from(value))
        .map_err(|error| TypeError::new(&format!("{what} is no data: {error}")).into())
}

pub(super) fn data_of(policy: JsValue) -> Result<PolicyData, JsValue> {
    data_from(&value_of("the policy", policy)?)
}

pub(super) fn data_from(policy: &Value) -> Result<PolicyData, JsValue> {
    PolicyData::try_from(policy).map_err(|errors| {
        let text = errors.to_string();
        if errors.is_type_error() {
            TypeError::new(&text).into()
        } else {
            RangeError::new(&text).into()
        }
    })
}

pub(super) fn refused(errors: &OptionErrors) -> JsValue {
    RangeError::new(&errors.to_string()).into()
}
