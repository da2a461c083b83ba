//! Hedges for JavaScript.

use wasm_bindgen::prelude::*;

use super::fields::Fields;
use super::record::Record;
use super::{Running, Study, seed_of};
use rejitter::simulation::{
    HedgeDelay, HedgeRule, Hedging, HedgingExact, HedgingOptions, ServerLoad,
};

/// See [`HedgingOptions`].
#[wasm_bindgen(js_name = labHedging, skip_typescript)]
pub fn hedging(seed_high: u32, seed_low: u32, options: JsValue) -> Result<Running, JsValue> {
    let mut fields = Fields::read_all(options)?;
    let mut options = HedgingOptions::new(seed_of(seed_high, seed_low));
    fields.numbers("", &mut |name, number| options.set(name, number));
    if fields.section("service", "service.") {
        fields.numbers("service.", &mut |name, number| {
            options.service.set(name, number);
        });
    }
    if fields.section("hedge", "hedge.") {
        options.hedge = Some(hedge(&mut fields));
    }
    if fields.section("load", "load.") {
        let mut load = ServerLoad::default();
        fields.numbers("load.", &mut |name, number| load.set(name, number));
        options.load = Some(load);
    }
    fields.finish(Hedging::new(options)).map(Running::new)
}

fn hedge(fields: &mut Fields) -> HedgeRule {
    let mut rule = HedgeRule::default();
    let (mut delay_ms, mut quantile) = (None, None);
    fields.read("hedge.delay_ms", &mut delay_ms);
    if let Some(ms) = delay_ms {
        rule.delay = HedgeDelay::Fixed(ms);
        fields.omit("hedge.quantile", "delayMs takes its place");
    }
    fields.read("hedge.quantile", &mut quantile);
    if let (None, Some(quantile)) = (delay_ms, quantile) {
        rule.delay = HedgeDelay::Learned(quantile);
    }
    fields.numbers("hedge.", &mut |name, number| rule.set(name, number));
    rule
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
