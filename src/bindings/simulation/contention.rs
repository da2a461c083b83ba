//! The AWS figure for JavaScript.

use wasm_bindgen::prelude::*;

use super::fields::Fields;
use super::record::Record;
use super::{Running, Study, clients_of, seed_of};
use crate::bindings::values::{data_from, value_of};
use crate::core::RetryPolicy;
use crate::data::Value;
use crate::simulation::{Contention, ContentionOptions, Strategy};

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
            (line_of_the_figure(Fields::of(entries))?, Vec::new())
        }
        value => clients_of(&mut data_from(&value)?)?,
    };
    let mut fields = Fields::read(options)?;
    let mut options = ContentionOptions {
        curve,
        ..ContentionOptions::new(policy, seed_of(seed_high, seed_low))
    };
    fields.whole("clients", &mut options.clients);
    fields.number("hopMeanMs", &mut options.hop_mean_ms);
    fields.number("hopSdMs", &mut options.hop_sd_ms);
    fields.whole("runs", &mut options.runs);
    fields.finish(Contention::new(options)).map(Running::new)
}

/// The figure's own base and cap are the defaults.
fn line_of_the_figure(mut fields: Fields) -> Result<RetryPolicy, JsValue> {
    let (mut base_ms, mut cap_ms) = (5.0, 2_000.0);
    let mut strategy = Strategy::None;
    let rule = "one of 'none', 'exponential', 'equal', 'full', 'decorrelated'";
    fields.other("figure", &mut strategy, rule, |value| match value {
        Value::Text(name) => match name.as_str() {
            "none" => Some(Strategy::None),
            "exponential" => Some(Strategy::Exponential),
            "equal" => Some(Strategy::Equal),
            "full" => Some(Strategy::Full),
            "decorrelated" => Some(Strategy::Decorrelated),
            _ => None,
        },
        _ => None,
    });
    fields.number("baseMs", &mut base_ms);
    fields.number("capMs", &mut cap_ms);
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
