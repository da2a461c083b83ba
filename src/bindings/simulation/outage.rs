//! The outage herd for JavaScript.

use wasm_bindgen::prelude::*;

use super::fields::Fields;
use super::record::Record;
use super::{Running, Study, clients_of, seed_of};
use crate::bindings::values::data_of;
use rejitter::simulation::{Outage, OutageOptions, Traces};

/// See [`OutageOptions`]. The deadline defaults to the policy's.
#[wasm_bindgen(js_name = labOutage, skip_typescript)]
pub fn outage(
    policy: JsValue,
    seed_high: u32,
    seed_low: u32,
    options: JsValue,
) -> Result<Running, JsValue> {
    let mut data = data_of(policy)?;
    let (policy, curve) = clients_of(&mut data)?;
    let fields = Fields::read_all(options)?;
    let mut options = OutageOptions {
        curve,
        ..OutageOptions::new(policy, seed_of(seed_high, seed_low))
    };
    if let Some(deadline) = data.total_timeout_ms {
        options.deadline_ms = deadline;
    }
    fields.numbers("", &mut |name, number| options.set(name, number));
    fields.finish(Outage::new(options)).map(Running::new)
}

impl Study for Outage {
    fn result(&self) -> Record {
        const _: () = assert!(
            Traces::REJECTED == 0 && Traces::ACCEPTED == 1 && Traces::GAVE_UP == 2,
            "the numbers that JavaScript knows"
        );
        let (bins, traces) = (self.bins(), self.traces());
        let (latency, work) = self.costs();
        let traces = Record::new()
            .counts("clients", traces.clients())
            .floats("timesMs", traces.times_ms())
            .counts("outcomes", traces.outcomes());
        Record::new()
            .with("binMs", bins.bin_ms())
            .counts("arrivals", bins.arrivals())
            .counts("accepted", bins.accepted())
            .counts("rejected", bins.rejected())
            .counts("attempts", self.attempts())
            .floats("latenciesMs", self.latencies_ms())
            .floats("servedMs", self.served_ms())
            .with("giveUps", self.give_ups())
            .with("meanLatencyMs", latency.mean)
            .with("meanAttempts", work.mean)
            .with("traces", traces)
    }
}
