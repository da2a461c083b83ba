//! Layers that retry, for JavaScript.

use wasm_bindgen::prelude::*;

use super::{Amplification, range_error, seed_of, whole};
use crate::simulation::{self as model, AmplificationOptions};

#[wasm_bindgen(js_class = AmplificationSimulation)]
impl Amplification {
    /// See [`AmplificationOptions`], in whose order the numbers come.
    ///
    /// # Errors
    /// A `RangeError` that lists what is refused.
    #[wasm_bindgen(constructor, skip_typescript)]
    pub fn new(
        seed_high: u32,
        seed_low: u32,
        attempts: f64,
        layers: f64,
        failure: f64,
        requests: f64,
    ) -> Result<Self, JsValue> {
        let options = AmplificationOptions {
            attempts: whole("attempts", attempts)?,
            layers: whole("layers", layers)?,
            failure,
            requests: whole("requests", requests)?,
            seed: seed_of(seed_high, seed_low),
        };
        let layers = model::Amplification::new(options).map_err(|errors| range_error(&errors))?;
        Ok(Self(layers))
    }

    /// The expected calls per request into each layer, and last the share of successes.
    #[wasm_bindgen(skip_typescript)]
    pub fn expected(&self) -> Vec<f64> {
        self.0.expected()
    }

    /// The calls into each layer so far.
    #[wasm_bindgen(skip_typescript)]
    pub fn calls(&self) -> Vec<f64> {
        self.0.calls().to_vec()
    }

    /// The calls at the bottom for each finished request.
    #[wasm_bindgen(js_name = callsPerRequest, skip_typescript)]
    pub fn calls_per_request(&self) -> Vec<u32> {
        self.0.calls_per_request().to_vec()
    }

    /// The requests that succeeded.
    #[wasm_bindgen(skip_typescript)]
    pub fn successes(&self) -> u32 {
        self.0.successes()
    }
}
