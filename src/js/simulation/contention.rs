//! The AWS figure for JavaScript.

use js_sys::RangeError;
use wasm_bindgen::prelude::*;

use super::{Contention, policy_of, range_error, seed_of, whole};
use crate::core::RetryPolicy;
use crate::simulation::{self as model, ContentionOptions, Strategy};

#[wasm_bindgen(js_class = ContentionSimulation)]
impl Contention {
    /// See [`ContentionOptions`], in whose order the numbers come.
    ///
    /// # Errors
    /// A `RangeError` that lists what is refused.
    #[wasm_bindgen(constructor, skip_typescript)]
    pub fn new(
        policy: &[f64],
        seed_high: u32,
        seed_low: u32,
        clients: f64,
        hop_mean_ms: f64,
        hop_sd_ms: f64,
        runs: f64,
    ) -> Result<Self, JsValue> {
        let policy = policy_of(policy)?;
        Self::make(
            policy,
            seed_high,
            seed_low,
            [clients, hop_mean_ms, hop_sd_ms, runs],
        )
    }

    /// One of the figure's five lines: none, exponential, equal, full, decorrelated.
    ///
    /// # Errors
    /// A `RangeError` that lists what is refused.
    #[wasm_bindgen(js_name = ofFigure, skip_typescript)]
    #[allow(clippy::too_many_arguments)]
    pub fn of_figure(
        strategy: u32,
        base_ms: f64,
        cap_ms: f64,
        seed_high: u32,
        seed_low: u32,
        clients: f64,
        hop_mean_ms: f64,
        hop_sd_ms: f64,
        runs: f64,
    ) -> Result<Self, JsValue> {
        let strategy = Strategy::ALL
            .get(strategy as usize)
            .ok_or_else(|| RangeError::new("strategy must be from 0 to 4"))?;
        let policy = strategy
            .policy(base_ms, cap_ms)
            .map_err(|errors| range_error(&errors))?;
        Self::make(
            policy,
            seed_high,
            seed_low,
            [clients, hop_mean_ms, hop_sd_ms, runs],
        )
    }

    fn make(
        policy: RetryPolicy,
        seed_high: u32,
        seed_low: u32,
        [clients, hop_mean_ms, hop_sd_ms, runs]: [f64; 4],
    ) -> Result<Self, JsValue> {
        let options = ContentionOptions {
            clients: whole("clients", clients)?,
            hop_mean_ms,
            hop_sd_ms,
            runs: whole("runs", runs)?,
            seed: seed_of(seed_high, seed_low),
            policy,
        };
        let contention = model::Contention::new(options).map_err(|errors| range_error(&errors))?;
        Ok(Self(contention))
    }

    /// The calls of each finished run.
    #[wasm_bindgen(skip_typescript)]
    pub fn calls(&self) -> Vec<u32> {
        self.0.calls().to_vec()
    }

    /// The time of each finished run, in ms.
    #[wasm_bindgen(js_name = timesMs, skip_typescript)]
    pub fn times_ms(&self) -> Vec<f64> {
        self.0.times_ms().to_vec()
    }

    /// The clients that gave up in each finished run.
    #[wasm_bindgen(js_name = giveUps, skip_typescript)]
    pub fn give_ups(&self) -> Vec<u32> {
        self.0.give_ups().to_vec()
    }

    /// Mean, standard deviation and half the 95 % interval, of the calls and of the time.
    #[wasm_bindgen(skip_typescript)]
    pub fn summary(&self) -> Vec<f64> {
        let (calls, time) = (self.0.calls_summary(), self.0.time_summary());
        vec![
            calls.mean, calls.sd, calls.ci95, time.mean, time.sd, time.ci95,
        ]
    }
}
