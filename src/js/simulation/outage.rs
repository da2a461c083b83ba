//! The outage herd for JavaScript.

use wasm_bindgen::prelude::*;

use super::{Outage, policy_of, range_error, seed_of, whole};
use crate::simulation::{self as model, OutageOptions, Traces};

#[wasm_bindgen(js_class = OutageSimulation)]
impl Outage {
    /// See [`OutageOptions`], in whose order the numbers come.
    ///
    /// # Errors
    /// A `RangeError` that lists what is refused.
    #[wasm_bindgen(constructor, skip_typescript)]
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        policy: &[f64],
        seed_high: u32,
        seed_low: u32,
        clients: f64,
        spread_ms: f64,
        down_ms: f64,
        capacity_per_s: f64,
        burst: f64,
        latency_ms: f64,
        deadline_ms: f64,
        horizon_ms: f64,
        bin_ms: f64,
        traced: f64,
    ) -> Result<Self, JsValue> {
        let options = OutageOptions {
            clients: whole("clients", clients)?,
            spread_ms,
            down_ms,
            capacity_per_s,
            burst,
            latency_ms,
            deadline_ms,
            horizon_ms,
            bin_ms,
            traced: whole("traced", traced)?,
            seed: seed_of(seed_high, seed_low),
            policy: policy_of(policy)?,
        };
        let outage = model::Outage::new(options).map_err(|errors| range_error(&errors))?;
        Ok(Self(outage))
    }

    /// The requests per time bin.
    #[wasm_bindgen(skip_typescript)]
    pub fn arrivals(&self) -> Vec<u32> {
        self.0.bins().arrivals().to_vec()
    }

    /// The accepted requests per time bin.
    #[wasm_bindgen(skip_typescript)]
    pub fn accepted(&self) -> Vec<u32> {
        self.0.bins().accepted().to_vec()
    }

    /// The rejected requests per time bin.
    #[wasm_bindgen(skip_typescript)]
    pub fn rejected(&self) -> Vec<u32> {
        self.0.bins().rejected().to_vec()
    }

    /// The busiest bin from this time on: its start in ms, and its requests; NaN and 0 of nothing.
    #[wasm_bindgen(skip_typescript)]
    pub fn peak(&self, from_ms: f64) -> Vec<f64> {
        self.0.bins().peak(from_ms).map_or_else(
            || vec![f64::NAN, 0.0],
            |peak| vec![peak.start_ms, f64::from(peak.arrivals)],
        )
    }

    /// Each client's attempts.
    #[wasm_bindgen(skip_typescript)]
    pub fn attempts(&self) -> Vec<u32> {
        self.0.attempts().to_vec()
    }

    /// Each client's latency in ms; NaN if it was not served.
    #[wasm_bindgen(js_name = latenciesMs, skip_typescript)]
    pub fn latencies_ms(&self) -> Vec<f64> {
        self.0.latencies_ms().to_vec()
    }

    /// When clients were served, in ms, ascending.
    #[wasm_bindgen(js_name = servedMs, skip_typescript)]
    pub fn served_ms(&self) -> Vec<f64> {
        self.0.served_ms().to_vec()
    }

    /// When this share of all clients had been served, in ms; NaN if it never was.
    #[wasm_bindgen(js_name = timeToServeMs, skip_typescript)]
    pub fn time_to_serve_ms(&self, share: f64) -> f64 {
        self.0.time_to_serve_ms(share).unwrap_or(f64::NAN)
    }

    /// The clients that gave up.
    #[wasm_bindgen(js_name = giveUps, skip_typescript)]
    pub fn give_ups(&self) -> u32 {
        self.0.give_ups()
    }

    /// The means of what the served clients waited, in ms, and of all clients' attempts.
    #[wasm_bindgen(skip_typescript)]
    pub fn costs(&self) -> Vec<f64> {
        let (latency, work) = self.0.costs();
        vec![latency.mean, work.mean]
    }

    /// Of the traced attempts: whose each was.
    #[wasm_bindgen(js_name = traceClients, skip_typescript)]
    pub fn trace_clients(&self) -> Vec<u32> {
        self.0.traces().clients().to_vec()
    }

    /// Of the traced attempts: when each arrived, in ms.
    #[wasm_bindgen(js_name = traceTimesMs, skip_typescript)]
    pub fn trace_times_ms(&self) -> Vec<f64> {
        self.0.traces().times_ms().to_vec()
    }

    /// Of the traced attempts: 0 rejected, 1 accepted, 2 rejected and given up.
    #[wasm_bindgen(js_name = traceOutcomes, skip_typescript)]
    pub fn trace_outcomes(&self) -> Vec<u32> {
        const _: () = assert!(
            Traces::REJECTED == 0 && Traces::ACCEPTED == 1 && Traces::GAVE_UP == 2,
            "the numbers that JavaScript knows"
        );
        self.0.traces().outcomes().to_vec()
    }
}
