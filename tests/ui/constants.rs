//! Constants that break a rule.

use rejitter::RetryPolicy;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

const CAP: RetryPolicy = RetryPolicy::exponential()
    .with_base(SECOND)
    .with_cap(Duration::ZERO);
//~ error: evaluation panicked: rejitter: cap must be at least base

const MIN: RetryPolicy = RetryPolicy::exponential()
    .with_cap(SECOND)
    .with_min(Duration::from_secs(2));
//~ error: evaluation panicked: rejitter: min must be at most cap (which defaults to 10,000, or to a longer base)

fn main() {
    let _ = (CAP, MIN);
}
