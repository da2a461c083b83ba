//! Load over time for JavaScript.

use js_sys::RangeError;
use wasm_bindgen::prelude::*;

use super::{Load, policy_of, range_error, seed_of, whole};
use crate::simulation::{self as model, Arrivals, Budget, LoadOptions};

#[wasm_bindgen(js_class = LoadSimulation)]
impl Load {
    /// See [`LoadOptions`], in whose order the numbers come.
    ///
    /// `arrivals` is 0 for regular, 1 for Poisson (`rate`: requests per second) and 2 for closed
    /// (`rate`: clients, `think_ms`: their pause). `budget` is 0 for none, 1 by requests, 2 by
    /// successes.
    ///
    /// # Errors
    /// A `RangeError` that lists what is refused.
    #[wasm_bindgen(constructor, skip_typescript)]
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        policy: &[f64],
        seed_high: u32,
        seed_low: u32,
        arrivals: u32,
        rate: f64,
        think_ms: f64,
        capacity_per_s: f64,
        timeout_ms: f64,
        down_from_ms: f64,
        down_ms: f64,
        horizon_ms: f64,
        bin_ms: f64,
        budget: u32,
        ratio: f64,
        bucket: f64,
    ) -> Result<Self, JsValue> {
        let options = LoadOptions {
            arrivals: match arrivals {
                0 => Arrivals::Regular { per_s: rate },
                1 => Arrivals::Poisson { per_s: rate },
                2 => Arrivals::Closed {
                    clients: whole("clients", rate)?,
                    think_ms,
                },
                _ => return Err(RangeError::new("arrivals must be 0, 1 or 2").into()),
            },
            capacity_per_s,
            timeout_ms,
            down_from_ms,
            down_ms,
            horizon_ms,
            bin_ms,
            budget: match budget {
                0 => Budget::Unlimited,
                1 => Budget::PerRequest { ratio, bucket },
                2 => Budget::PerSuccess { ratio, bucket },
                _ => return Err(RangeError::new("budget must be 0, 1 or 2").into()),
            },
            seed: seed_of(seed_high, seed_low),
            policy: policy_of(policy)?,
        };
        let load = model::Load::new(options).map_err(|errors| range_error(&errors))?;
        Ok(Self(load))
    }

    /// First attempts per time bin.
    #[wasm_bindgen(skip_typescript)]
    pub fn requests(&self) -> Vec<u32> {
        self.0.bins().requests.clone()
    }

    /// Retries per time bin.
    #[wasm_bindgen(skip_typescript)]
    pub fn retries(&self) -> Vec<u32> {
        self.0.bins().retries.clone()
    }

    /// Attempts answered in time, per time bin.
    #[wasm_bindgen(skip_typescript)]
    pub fn successes(&self) -> Vec<u32> {
        self.0.bins().successes.clone()
    }

    /// Attempts that ran into their time limit, per time bin.
    #[wasm_bindgen(skip_typescript)]
    pub fn timeouts(&self) -> Vec<u32> {
        self.0.bins().timeouts.clone()
    }

    /// How long the last attempt of each time bin has to wait for its answer, in ms; NaN if none.
    #[wasm_bindgen(js_name = responseMs, skip_typescript)]
    pub fn response_ms(&self) -> Vec<f64> {
        self.0.bins().response_ms.clone()
    }

    /// How long after the outage the load recovered, in ms; NaN if it did not.
    #[wasm_bindgen(js_name = recoveredAfterMs, skip_typescript)]
    pub fn recovered_after_ms(&self) -> f64 {
        self.0.recovered_after_ms().unwrap_or(f64::NAN)
    }
}
