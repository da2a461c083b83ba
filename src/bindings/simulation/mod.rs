//! The simulations for JavaScript: a policy as data and options by name in, typed arrays out,
//! advanced in slices.
//!
//! A policy comes as the data that its `toJSON()` gives, options as an object of those that are
//! set, a seed as its two halves. A policy that is invalid throws, and so do options: a `RangeError` that
//! lists all of them.
//! These are the raw functions: src/js/lab/simulations.js makes of them what users call.

#![allow(clippy::missing_errors_doc)] // All for the reasons above.

use wasm_bindgen::prelude::*;

use super::core::{count, seed_of};
use super::values::rejected;
use record::Record;
use rejitter::RetryPolicy;
use rejitter::data::PolicyData;
use rejitter::simulation::Simulation;

mod contention;
mod fields;
mod hedging;
mod load;
mod outage;
mod rate_limit;
mod record;

pub use contention::contention;
pub use hedging::hedging;
pub use load::load;
pub use outage::outage;
pub use rate_limit::rate_limit;

/// How the clients retry: the policy, and its curve if that is a list.
fn clients_of(data: &mut PolicyData) -> Result<(RetryPolicy, Vec<f64>), JsValue> {
    let policy = data.policy().map_err(|errors| rejected(&errors))?;
    Ok((policy, data.curve.take().unwrap_or_default()))
}

/// A simulation with results so far.
trait Study: Simulation {
    fn result(&self) -> Record;
}

/// A running simulation. (Printing it would put that of every model into the wasm file.)
#[allow(missing_debug_implementations)]
#[wasm_bindgen(js_name = LabSimulation, skip_typescript)]
pub struct Running(Box<dyn Study>);

impl Running {
    fn new(study: impl Study + 'static) -> Self {
        Self(Box::new(study))
    }
}

#[wasm_bindgen(js_class = LabSimulation)]
impl Running {
    /// Handles at most this many events (infinity: all of them) and returns the progress.
    #[wasm_bindgen(skip_typescript)]
    pub fn step(&mut self, max_events: f64) -> JsValue {
        let progress = self.0.step(count(max_events));
        // Exact for the next 20 years.
        #[allow(clippy::cast_precision_loss)]
        let events = progress.events as f64;
        let record = Record::new().with("events", events);
        let record = record.with("share", progress.share);
        record.with("done", progress.done).into()
    }

    /// Returns the results so far.
    #[must_use]
    #[wasm_bindgen(skip_typescript)]
    pub fn result(&self) -> JsValue {
        self.0.result().into()
    }
}
