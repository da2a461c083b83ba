//! Hedges for JavaScript.

use wasm_bindgen::prelude::*;

use super::fields::Fields;
use super::record::Record;
use super::{Running, Study, seed_of};
use crate::simulation::{
    HedgeDelay, HedgeRule, Hedging, HedgingExact, HedgingOptions, ServerLoad, ServiceTimes,
};

/// See [`HedgingOptions`].
#[wasm_bindgen(js_name = labHedging, skip_typescript)]
pub fn hedging(seed_high: u32, seed_low: u32, options: JsValue) -> Result<Running, JsValue> {
    let mut fields = Fields::read(options)?;
    let mut options = HedgingOptions::new(seed_of(seed_high, seed_low));
    fields.whole("requests", &mut options.requests);
    options.service = service(&mut fields);
    if fields.section("hedge", "hedge.") {
        options.hedge = Some(hedge(&mut fields));
    }
    if fields.section("load", "load.") {
        options.load = Some(load(&mut fields));
    }
    fields.finish(Hedging::new(options)).map(Running::new)
}

fn service(fields: &mut Fields) -> ServiceTimes {
    let mut service = ServiceTimes::default();
    if fields.section("service", "service.") {
        fields.number("service.meanMs", &mut service.mean_ms);
        fields.number("service.slowShare", &mut service.slow_share);
        fields.number("service.slowFromMs", &mut service.slow_from_ms);
        fields.number("service.slowMeanMs", &mut service.slow_mean_ms);
    }
    service
}

fn hedge(fields: &mut Fields) -> HedgeRule {
    let mut rule = HedgeRule::default();
    let (mut delay_ms, mut quantile) = (None, None);
    fields.optional("hedge.delayMs", &mut delay_ms);
    if delay_ms.is_some() {
        let unset = "omitted, because delayMs takes its place";
        fields.other("hedge.quantile", &mut quantile, unset, |_| None);
    } else {
        fields.optional("hedge.quantile", &mut quantile);
    }
    if let Some(ms) = delay_ms {
        rule.delay = HedgeDelay::Fixed(ms);
    } else if let Some(quantile) = quantile {
        rule.delay = HedgeDelay::Learned(quantile);
    }
    fields.number("hedge.maxRatio", &mut rule.max_ratio);
    rule
}

fn load(fields: &mut Fields) -> ServerLoad {
    let mut load = ServerLoad::default();
    fields.whole("load.servers", &mut load.servers);
    fields.number("load.utilisation", &mut load.utilisation);
    load
}

impl Study for Hedging {
    fn result(&self) -> Record {
        let totals = self.totals();
        let totals = Record::new()
            .count("requests", totals.requests)
            .count("hedges", totals.hedges)
            .count("won", totals.won)
            .count("rejected", totals.rejected);
        Record::new()
            .floats("timesMs", &Self::times_ms())
            .floats("survival", &self.survival())
            .with("p50Ms", self.exceeded_by(0.5))
            .with("p99Ms", self.exceeded_by(0.01))
            .with("p999Ms", self.exceeded_by(0.001))
            .with("meanMs", self.mean_ms())
            .with("totals", totals)
            .with("exact", self.exact().map(exact))
    }
}

fn exact(exact: &HedgingExact) -> Record {
    Record::new()
        .floats("survival", &exact.survival)
        .with("p50Ms", exact.p50_ms)
        .with("p99Ms", exact.p99_ms)
        .with("p999Ms", exact.p999_ms)
        .with("extra", exact.extra)
}
