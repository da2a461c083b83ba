//! A server with a limit of requests for JavaScript.

use wasm_bindgen::prelude::*;

use super::fields::Fields;
use super::record::Record;
use super::{Running, Study, clients_of, seed_of};
use crate::bindings::values::data_of;
use crate::data::Value;
use crate::simulation::{RateHints, RateLimit, RateLimitOptions};

/// See [`RateLimitOptions`].
#[wasm_bindgen(js_name = labRateLimit, skip_typescript)]
pub fn rate_limit(
    policy: JsValue,
    seed_high: u32,
    seed_low: u32,
    options: JsValue,
) -> Result<Running, JsValue> {
    let (policy, curve) = clients_of(&mut data_of(policy)?)?;
    let mut fields = Fields::read(options)?;
    let mut options = RateLimitOptions {
        curve,
        ..RateLimitOptions::new(policy, seed_of(seed_high, seed_low))
    };
    fields.whole("jobs", &mut options.jobs);
    fields.whole("workers", &mut options.workers);
    fields.whole("limit", &mut options.limit);
    fields.number("windowMs", &mut options.window_ms);
    fields.number("latencyMs", &mut options.latency_ms);
    fields.number("horizonMs", &mut options.horizon_ms);
    fields.number("binMs", &mut options.bin_ms);
    options.hints = hints(&mut fields, options.policy.max_retry_after_ms());
    fields.finish(RateLimit::new(options)).map(Running::new)
}

/// `longest_ms`: how long the policy follows a hint.
fn hints(fields: &mut Fields, longest_ms: f64) -> RateHints {
    let mut follows = true;
    let rule = "one of 'ignored', 'followed'";
    fields.other("hints", &mut follows, rule, |value| match value {
        Value::Text(name) if name == "ignored" => Some(false),
        Value::Text(name) if name == "followed" => Some(true),
        _ => None,
    });
    let mut max_hold_ms = None;
    if fields.section("protection", "protection.")
        && fields.section("protection.cooldown", "cooldown.")
    {
        let max_hold_ms = max_hold_ms.insert(longest_ms);
        fields.number("cooldown.maxHoldMs", max_hold_ms);
    }
    match max_hold_ms {
        _ if !follows => RateHints::Ignored,
        None => RateHints::Followed,
        Some(max_hold_ms) => RateHints::Shared { max_hold_ms },
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
