//! A server with a limit of requests for JavaScript.

use wasm_bindgen::prelude::*;

use super::fields::Fields;
use super::record::Record;
use super::{Running, Study, clients_of, seed_of};
use crate::bindings::values::data_of;
use rejitter::simulation::{RateHints, RateLimit, RateLimitOptions};

/// See [`RateLimitOptions`].
#[wasm_bindgen(js_name = labRateLimit, skip_typescript)]
pub fn rate_limit(
    policy: JsValue,
    seed_high: u32,
    seed_low: u32,
    options: JsValue,
) -> Result<Running, JsValue> {
    let (policy, curve) = clients_of(&mut data_of(policy)?)?;
    let mut fields = Fields::read_all(options)?;
    let mut options = RateLimitOptions {
        curve,
        ..RateLimitOptions::new(policy, seed_of(seed_high, seed_low))
    };
    fields.numbers("", &mut |name, number| options.set(name, number));
    options.hints = hints(&mut fields, options.policy.max_retry_after_ms());
    fields.finish(RateLimit::new(options)).map(Running::new)
}

/// `longest_ms`: how long the policy follows a hint.
fn hints(fields: &mut Fields, longest_ms: f64) -> RateHints {
    let follows = fields.text("hints") != Some("ignored");
    let mut max_hold_ms = longest_ms;
    let is_shared = fields.section("protection", "protection.")
        && fields.section("protection.cooldown", "cooldown.");
    fields.read("cooldown.max_hold_ms", &mut max_hold_ms);
    match (follows, is_shared) {
        (false, _) => RateHints::Ignored,
        (_, false) => RateHints::Followed,
        _ => RateHints::Shared { max_hold_ms },
    }
}

impl Study for RateLimit {
    fn result(&self) -> Record {
        let (bins, totals) = (self.bins(), self.totals());
        let totals = Record::new()
            .count("requests", totals.requests)
            .count("rejected", totals.rejected)
            .count("done", totals.done)
            .count("failed", totals.failed)
            .count("rejectedByCooldown", totals.rejected_by_cooldown)
            .with("endMs", totals.end_ms);
        Record::new()
            .with("binMs", bins.bin_ms())
            .counts("arrivals", bins.arrivals())
            .counts("accepted", bins.accepted())
            .counts("rejected", bins.rejected())
            .with("totals", totals)
    }
}
