//! The simulations for JavaScript: a policy as data and options by name in, typed arrays out, advanced in slices.
//!
//! A policy comes as the data that its `toJSON()` gives, options as an object of those that are set, a seed as its two
//! halves. These are the raw functions: lab/js/simulations.js makes of them what users call.

use js_sys::{Float64Array, Object, Reflect, Uint32Array};
use rejitter::internals::camel_case;
use wasm_bindgen::prelude::*;

use super::values::{count, invalid, options_of, seed_of, value_of};
use crate::data::{self, Column, Study};

/// A running simulation. (Printing it would put that of every model into the wasm file.)
#[allow(missing_debug_implementations)]
#[wasm_bindgen(js_name = LabSimulation, skip_typescript)]
pub struct Running(Box<dyn Study>);

/// The simulation with this name. One of hedges has no policy.
///
/// # Errors
/// If the policy or options are invalid: lists all that are.
#[wasm_bindgen(js_name = labSimulate, skip_typescript)]
pub fn simulate(
    name: &str,
    policy: JsValue,
    seed_high: u32,
    seed_low: u32,
    options: JsValue,
) -> Result<Running, JsValue> {
    let (policy, options) = (value_of("the policy", policy)?, options_of(options)?);
    let made = data::simulate(name, &policy, seed_of(seed_high, seed_low), &options);
    made.map(Running).map_err(|errors| invalid(&errors))
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
        object([
            ("events", events.into()),
            ("share", progress.share.into()),
            ("done", progress.done.into()),
        ])
    }

    /// Returns the results so far.
    #[must_use]
    #[wasm_bindgen(skip_typescript)]
    pub fn result(&self) -> JsValue {
        written(Column::Record(self.0.results()))
    }
}

/// A result, of which the long parts are typed arrays of their own.
fn written(column: Column<'_>) -> JsValue {
    match column {
        Column::None => JsValue::UNDEFINED,
        Column::Number(number) => number.into(),
        Column::Counts(counts) => Uint32Array::from(counts).into(),
        Column::Numbers(numbers) => Float64Array::from(&numbers[..]).into(),
        Column::Record(columns) => {
            let columns = columns.0.into_iter();
            object(columns.map(|(name, column)| (name, written(column))))
        }
    }
}

fn object(columns: impl IntoIterator<Item = (&'static str, JsValue)>) -> JsValue {
    let object = Object::new();
    for (name, value) in columns {
        // Cannot fail: a fresh object takes any property.
        let _ = Reflect::set(&object, &camel_case(name).into(), &value);
    }
    object.into()
}
