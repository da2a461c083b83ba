//! Slotted backoff for JavaScript.

use wasm_bindgen::prelude::*;

use super::{Ethernet, range_error, seed_of, whole};
use crate::simulation::{self as model, EthernetOptions};

#[wasm_bindgen(js_class = EthernetSimulation)]
impl Ethernet {
    /// See [`EthernetOptions`], in whose order the numbers come.
    ///
    /// # Errors
    /// A `RangeError` that lists what is refused.
    #[wasm_bindgen(constructor, skip_typescript)]
    pub fn new(
        seed_high: u32,
        seed_low: u32,
        stations: f64,
        max_attempts: f64,
        truncate_at: f64,
        runs: f64,
    ) -> Result<Self, JsValue> {
        let options = EthernetOptions {
            stations: whole("stations", stations)?,
            max_attempts: whole("maxAttempts", max_attempts)?,
            truncate_at: whole("truncateAt", truncate_at)?,
            runs: whole("runs", runs)?,
            seed: seed_of(seed_high, seed_low),
        };
        let stations = model::Ethernet::new(options).map_err(|errors| range_error(&errors))?;
        Ok(Self(stations))
    }

    /// The slots of each finished run.
    #[wasm_bindgen(skip_typescript)]
    pub fn slots(&self) -> Vec<f64> {
        self.0.slots().to_vec()
    }

    /// The collisions of each finished run.
    #[wasm_bindgen(skip_typescript)]
    pub fn collisions(&self) -> Vec<u32> {
        self.0.collisions().to_vec()
    }

    /// The stations that gave up in each finished run.
    #[wasm_bindgen(skip_typescript)]
    pub fn dropped(&self) -> Vec<u32> {
        self.0.dropped().to_vec()
    }

    /// The slots of the first run in which anyone sent, ascending.
    #[wasm_bindgen(js_name = usedSlots, skip_typescript)]
    pub fn used_slots(&self) -> Vec<f64> {
        self.0.first_run().0.to_vec()
    }

    /// How many sent in each of those slots.
    #[wasm_bindgen(js_name = usedBy, skip_typescript)]
    pub fn used_by(&self) -> Vec<u32> {
        self.0.first_run().1.to_vec()
    }
}
