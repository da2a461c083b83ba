//! The AWS figure for JavaScript.

use wasm_bindgen::prelude::*;

use super::fields::Fields;
use super::record::Record;
use super::{Running, Study, clients_of, seed_of};
use crate::bindings::values::{data_from, value_of};
use rejitter::RetryPolicy;
use rejitter::data::Value;
use rejitter::simulation::{Contention, ContentionOptions, Strategy};

/// See [`ContentionOptions`]. In place of a policy may be a line of the figure: `{ figure }` with
/// its name, and perhaps `baseMs` and `capMs`.
#[wasm_bindgen(js_name = labContention, skip_typescript)]
pub fn contention(
    policy: JsValue,
    seed_high: u32,
    seed_low: u32,
    options: JsValue,
) -> Result<Running, JsValue> {
    let (policy, curve) = match value_of("the policy", policy)? {
        Value::Object(entries) if entries.iter().any(|(name, _)| name == "figure") => {
            let line = line_of_the_figure(Fields::of(Value::Object(entries)))?;
            (line, Vec::new())
        }
        value => clients_of(&mut data_from(&value)?)?,
    };
    let fields = Fields::read_all(options)?;
    let mut options = ContentionOptions {
        curve,
        ..ContentionOptions::new(policy, seed_of(seed_high, seed_low))
    };
    fields.numbers("", &mut |name, number| options.set(name, number));
    fields.finish(Contention::new(options)).map(Running::new)
}

/// The figure's own base and cap are the defaults.
fn line_of_the_figure(fields: Fields) -> Result<RetryPolicy, JsValue> {
    let (mut base_ms, mut cap_ms) = (5.0, 2_000.0);
    let strategy = match fields.text("figure") {
        Some("exponential") => Strategy::Exponential,
        Some("equal") => Strategy::Equal,
        Some("full") => Strategy::Full,
        Some("decorrelated") => Strategy::Decorrelated,
        _ => Strategy::None,
    };
    fields.read("base_ms", &mut base_ms);
    fields.read("cap_ms", &mut cap_ms);
    fields.finish(strategy.policy(base_ms, cap_ms))
}

impl Study for Contention {
    fn result(&self) -> Record {
        Record::new()
            .counts("calls", self.calls())
            .floats("timesMs", self.times_ms())
            .counts("giveUps", self.give_ups())
            .summary("callsSummary", self.calls_summary())
            .summary("timeMsSummary", self.time_summary())
    }
}
