//! Layers that retry, for JavaScript.

use wasm_bindgen::prelude::*;

use super::fields::Fields;
use super::record::Record;
use super::{Running, Study, seed_of};
use crate::simulation::{Amplification, AmplificationOptions};

/// See [`AmplificationOptions`].
///
/// # Errors
/// A `RangeError` that lists the invalid options.
#[wasm_bindgen(js_name = labAmplification, skip_typescript)]
pub fn amplification(seed_high: u32, seed_low: u32, options: JsValue) -> Result<Running, JsValue> {
    let mut fields = Fields::read(options)?;
    let mut options = AmplificationOptions::new(seed_of(seed_high, seed_low));
    fields.whole("attempts", &mut options.attempts);
    fields.whole("layers", &mut options.layers);
    fields.number("failure", &mut options.failure);
    fields.whole("requests", &mut options.requests);
    fields.finish(Amplification::new(options)).map(Running::new)
}

impl Study for Amplification {
    fn result(&self) -> Record {
        let mut expected = self.expected();
        // The last one is not a number of calls.
        let success = expected.pop().unwrap_or(f64::NAN);
        Record::new()
            .floats("expectedCalls", &expected)
            .with("expectedSuccess", success)
            .floats("calls", self.calls())
            .counts("callsPerRequest", self.calls_per_request())
            .with("successes", self.successes())
    }
}
