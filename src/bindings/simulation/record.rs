//! Answers: objects whose long parts are typed arrays of their own.

use js_sys::{Float64Array, Object, Reflect, Uint32Array};
use wasm_bindgen::JsValue;

use rejitter::simulation::Summary;

/// A plain object under construction.
pub(super) struct Record(Object);

impl Record {
    pub(super) fn new() -> Self {
        Self(Object::new())
    }

    pub(super) fn with(self, name: &str, value: impl Into<JsValue>) -> Self {
        // Cannot fail: a fresh object takes any property.
        let _ = Reflect::set(&self.0, &name.into(), &value.into());
        self
    }

    pub(super) fn counts(self, name: &str, numbers: &[u32]) -> Self {
        self.with(name, Uint32Array::from(numbers))
    }

    pub(super) fn count(self, name: &str, number: u64) -> Self {
        // No simulation counts to 2^53.
        #[allow(clippy::cast_precision_loss)]
        let number = number as f64;
        self.with(name, number)
    }

    pub(super) fn floats(self, name: &str, numbers: &[f64]) -> Self {
        self.with(name, Float64Array::from(numbers))
    }

    pub(super) fn summary(self, name: &str, summary: Summary) -> Self {
        let record = Self::new()
            .with("mean", summary.mean)
            .with("sd", summary.sd);
        self.with(name, record.with("ci95", summary.ci95))
    }
}

impl From<Record> for JsValue {
    fn from(record: Record) -> Self {
        record.0.into()
    }
}
