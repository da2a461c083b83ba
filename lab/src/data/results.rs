//! Results of simulations: columns by their names in Rust.

use std::borrow::Cow;

use crate::simulation::{
    Contention, Hedging, Load, LoadPhases, Outage, RateLimit, Simulation, Summary, Traces,
};

/// A simulation with its results so far.
pub trait Study: Simulation {
    /// The results so far.
    fn results(&self) -> Columns<'_>;
}

/// Results by their names in Rust.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Columns<'a>(pub Vec<(&'static str, Column<'a>)>);

/// A result.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub enum Column<'a> {
    None,
    Number(f64),
    Counts(&'a [u32]),
    Numbers(Cow<'a, [f64]>),
    Record(Columns<'a>),
}

impl<'a> Columns<'a> {
    // Once, and not for each name.
    #[inline(never)]
    fn add(&mut self, name: &'static str, column: Column<'a>) {
        self.0.push((name, column));
    }

    fn with(mut self, name: &'static str, column: impl Into<Column<'a>>) -> Self {
        self.add(name, column.into());
        self
    }
}

macro_rules! columns {
    ($($type:ty: $value:ident => $column:expr;)+) => {$(
        impl<'a> From<$type> for Column<'a> {
            fn from($value: $type) -> Self {
                $column
            }
        }
    )+};
}

// No simulation counts to 2^53.
#[allow(clippy::cast_precision_loss)]
const fn float(count: u64) -> f64 {
    count as f64
}

columns! {
    f64: number => Self::Number(number);
    &f64: number => Self::Number(*number);
    u32: count => Self::Number(f64::from(count));
    &u64: count => Self::Number(float(*count));
    Option<f64>: number => number.map_or(Self::None, Self::Number);
    &'a [u32]: counts => Self::Counts(counts);
    &'a Vec<u32>: counts => Self::Counts(counts);
    &'a [f64]: numbers => Self::Numbers(numbers.into());
    &'a Vec<f64>: numbers => Self::Numbers(numbers.into());
    Vec<f64>: numbers => Self::Numbers(numbers.into());
    Columns<'a>: columns => Self::Record(columns);
    Summary: summary => Self::Record(record!(summary.{ mean sd ci95 }));
}

/// The columns of results: of fields in braces, of methods in parentheses.
macro_rules! record {
    ($($of:ident.$names:tt),+) => {{
        let mut columns = Columns::default();
        $(record!(@columns $of $names);)+
        columns
    }};
    (@$columns:ident $of:ident { $($name:ident)+ }) => {
        $($columns.add(stringify!($name), Column::from(&$of.$name));)+
    };
    (@$columns:ident $of:ident ($($name:ident)+)) => {
        $($columns.add(stringify!($name), Column::from($of.$name()));)+
    };
}
use record;

impl Study for Contention {
    fn results(&self) -> Columns<'_> {
        let results = record!(self.(calls times_ms give_ups calls_summary));
        results.with("time_ms_summary", self.time_summary())
    }
}

impl Study for Outage {
    fn results(&self) -> Columns<'_> {
        const _: () = assert!(
            Traces::REJECTED == 0 && Traces::ACCEPTED == 1 && Traces::GAVE_UP == 2,
            "the numbers that JavaScript knows"
        );
        let (bins, traces, (latency, work)) = (self.bins(), self.traces(), self.costs());
        record!(
            bins.(bin_ms arrivals accepted rejected),
            self.(attempts latencies_ms served_ms give_ups)
        )
        .with("mean_latency_ms", latency.mean)
        .with("mean_attempts", work.mean)
        .with("traces", record!(traces.(clients times_ms outcomes)))
    }
}

impl Study for Load {
    fn results(&self) -> Columns<'_> {
        const _: () = assert!(
            LoadPhases::CLOSED == 0 && LoadPhases::OPEN == 1 && LoadPhases::HALF_OPEN == 2,
            "the numbers that JavaScript knows"
        );
        let (bins, totals, phases) = (self.bins(), self.totals(), self.phases());
        let totals = record!(
            totals.{ requests retries successes give_ups rejected_by_breaker rejected_by_budget openings }
        );
        record!(
            bins.{ requests retries successes timeouts failures rejected_by_breaker rejected_by_budget response_ms },
            self.(bin_ms recovered_after_ms admitted_after_ms)
        )
        .with("totals", totals)
        .with("phases", record!(phases.{ times_ms processes phases }))
    }
}

impl Study for RateLimit {
    fn results(&self) -> Columns<'_> {
        let (bins, totals) = (self.bins(), self.totals());
        let totals = record!(totals.{ requests rejected done failed rejected_by_cooldown end_ms });
        record!(bins.(bin_ms arrivals accepted rejected)).with("totals", totals)
    }
}

impl Study for Hedging {
    fn results(&self) -> Columns<'_> {
        let totals = self.totals();
        let exact = match self.exact() {
            Some(exact) => record!(exact.{ survival p50_ms p99_ms p999_ms extra }).into(),
            None => Column::None,
        };
        record!(self.(survival mean_ms))
            .with("times_ms", Self::times_ms())
            .with("p50_ms", self.exceeded_by(0.5))
            .with("p99_ms", self.exceeded_by(0.01))
            .with("p999_ms", self.exceeded_by(0.001))
            .with("totals", record!(totals.{ requests hedges won rejected }))
            .with("exact", exact)
    }
}
