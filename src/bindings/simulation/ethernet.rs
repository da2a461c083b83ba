//! Slotted backoff for JavaScript.

use wasm_bindgen::prelude::*;

use super::fields::Fields;
use super::record::Record;
use super::{Running, Study, seed_of};
use crate::simulation::{Ethernet, EthernetOptions};

/// See [`EthernetOptions`].
///
/// # Errors
/// A `RangeError` that lists the invalid options.
#[wasm_bindgen(js_name = labEthernet, skip_typescript)]
pub fn ethernet(seed_high: u32, seed_low: u32, options: JsValue) -> Result<Running, JsValue> {
    let mut fields = Fields::read(options)?;
    let mut options = EthernetOptions::new(seed_of(seed_high, seed_low));
    fields.whole("stations", &mut options.stations);
    fields.whole("maxAttempts", &mut options.max_attempts);
    fields.whole("truncateAt", &mut options.truncate_at);
    fields.whole("runs", &mut options.runs);
    fields.finish(Ethernet::new(options)).map(Running::new)
}

impl Study for Ethernet {
    fn result(&self) -> Record {
        let (slots, senders) = self.first_run();
        let first_run = Record::new()
            .floats("slots", slots)
            .counts("senders", senders);
        Record::new()
            .floats("slots", self.slots())
            .counts("collisions", self.collisions())
            .counts("dropped", self.dropped())
            .counts("attempts", self.attempts())
            .with("firstRun", first_run)
    }
}
