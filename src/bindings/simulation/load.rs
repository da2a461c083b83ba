//! Load over time for JavaScript.

use wasm_bindgen::prelude::*;

use super::fields::{Fields, variant, whole};
use super::record::Record;
use super::{Running, Study, clients_of, seed_of};
use crate::bindings::values::data_of;
use crate::data::Value;
use crate::simulation::{Arrivals, Budget, Load, LoadOptions};

const ARRIVALS: &str = "{ type: 'regular', perS }, { type: 'poisson', perS } or \
                        { type: 'closed', clients, thinkMs } with an integer of clients";
const BUDGET: &str = "'unlimited', { per: 'request', ratio, bucket } or \
                      { per: 'success', ratio, bucket }";

/// See [`LoadOptions`]. The time limit of an attempt defaults to the policy's.
///
/// # Errors
/// If the policy is invalid; a `RangeError` that lists the invalid options.
#[wasm_bindgen(js_name = labLoad, skip_typescript)]
pub fn load(
    policy: JsValue,
    seed_high: u32,
    seed_low: u32,
    options: JsValue,
) -> Result<Running, JsValue> {
    let mut data = data_of(policy)?;
    let (policy, curve) = clients_of(&mut data)?;
    let mut fields = Fields::read(options)?;
    let mut options = LoadOptions {
        curve,
        ..LoadOptions::new(policy, seed_of(seed_high, seed_low))
    };
    if let Some(timeout) = data.attempt_timeout_ms {
        options.timeout_ms = timeout;
    }
    fields.other("arrivals", &mut options.arrivals, ARRIVALS, arrivals);
    fields.number("capacityPerS", &mut options.capacity_per_s);
    fields.number("timeoutMs", &mut options.timeout_ms);
    fields.number("downFromMs", &mut options.down_from_ms);
    fields.number("downMs", &mut options.down_ms);
    fields.number("horizonMs", &mut options.horizon_ms);
    fields.number("binMs", &mut options.bin_ms);
    fields.other("budget", &mut options.budget, BUDGET, budget);
    fields.finish(Load::new(options)).map(Running::new)
}

fn arrivals(value: &Value) -> Option<Arrivals> {
    if let Some([per_s]) = variant(value, ("type", "regular"), ["perS"]) {
        return Some(Arrivals::Regular { per_s });
    }
    if let Some([per_s]) = variant(value, ("type", "poisson"), ["perS"]) {
        return Some(Arrivals::Poisson { per_s });
    }
    let [clients, think_ms] = variant(value, ("type", "closed"), ["clients", "thinkMs"])?;
    Some(Arrivals::Closed {
        clients: whole(&Value::Number(clients))?,
        think_ms,
    })
}

fn budget(value: &Value) -> Option<Budget> {
    if matches!(value, Value::Text(text) if text == "unlimited") {
        return Some(Budget::Unlimited);
    }
    let names = ["ratio", "bucket"];
    if let Some([ratio, bucket]) = variant(value, ("per", "request"), names) {
        return Some(Budget::PerRequest { ratio, bucket });
    }
    let [ratio, bucket] = variant(value, ("per", "success"), names)?;
    Some(Budget::PerSuccess { ratio, bucket })
}

impl Study for Load {
    fn result(&self) -> Record {
        let bins = self.bins();
        Record::new()
            .with("binMs", self.bin_ms())
            .counts("requests", &bins.requests)
            .counts("retries", &bins.retries)
            .counts("successes", &bins.successes)
            .counts("timeouts", &bins.timeouts)
            .floats("responseMs", &bins.response_ms)
            .with("recoveredAfterMs", self.recovered_after_ms())
    }
}
