//! The requests that a failing server gets when retries have a budget.

use rejitter::internals::protection::BudgetOptions;

/// The most requests per operation, over all rates of failure, when each attempt fails independently of the others and
/// the retries of all operations share a budget.
///
/// Below a rate p of failures the budget is idle, and there are `1 + p + … + p^(n − 1)` attempts per operation. Above
/// it, successes pay for the retries. With refund each retry costs the share that fails, so that there are
/// `ratio·(1 − p)/p`, fewer and fewer; without refund `ratio` for each operation that succeeds. So the most are at the
/// rate at which both are equal, which this finds by halving an interval.
pub(super) fn amplification(attempts: u64, options: &BudgetOptions) -> f64 {
    retries(attempts, knee(attempts, options)) + 1.0
}

/// The rate of failures up to which the budget is idle.
fn knee(attempts: u64, options: &BudgetOptions) -> f64 {
    let options = options.settings();
    let ratio = options.per_success / options.cost;
    let (mut idle, mut busy) = (0.0, 1.0);
    for _ in 0..60 {
        let p = f64::midpoint(idle, busy);
        let (paid, spent) = if options.refund {
            (ratio * (1.0 - p), p * retries(attempts, p))
        } else {
            (ratio * (1.0 - power(p, attempts)), retries(attempts, p))
        };
        if spent < paid {
            idle = p;
        } else {
            busy = p;
        }
    }
    idle
}

/// Retries of an operation that nothing limits but its attempts: `p + … + p^(n − 1)`.
fn retries(attempts: u64, p: f64) -> f64 {
    p * (1.0 - power(p, attempts.saturating_sub(1))) / (1.0 - p)
}

/// p^k; what is beyond the 200th power is nothing.
fn power(p: f64, k: u64) -> f64 {
    (0..k.min(200)).fold(1.0, |product, _| product * p)
}
