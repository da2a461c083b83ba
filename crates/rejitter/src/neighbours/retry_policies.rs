//! The policy for crates that take one of `retry-policies`.

use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use retry_policies::RetryDecision;

use crate::core::random::{GOLDEN, mix};
use crate::core::{RetryPolicy, Seed};

/// With the feature `retry-policies`, the policy goes where one of that crate goes, such as into the
/// `RetryTransientMiddleware` of `reqwest-retry`.
///
/// That crate's policies keep nothing between two attempts. The jitters that need the previous wait find it by
/// computing the request's waits again, from randomness of this process and from the time at which the request
/// started. Without randomness from the system there is no retry.
impl retry_policies::RetryPolicy for RetryPolicy {
    fn should_retry(&self, request_start_time: SystemTime, n_past_retries: u32) -> RetryDecision {
        let end = delay(self, request_start_time, n_past_retries)
            .and_then(|delay| SystemTime::now().checked_add(delay));
        end.map_or(RetryDecision::DoNotRetry, |execute_after| {
            RetryDecision::Retry { execute_after }
        })
    }
}

/// Clients that share a seed would retry together.
fn process_seed() -> Option<Seed> {
    static SEED: OnceLock<Seed> = OnceLock::new();
    if let Some(seed) = SEED.get() {
        return Some(*seed);
    }
    let seed = Seed::random().ok()?;
    Some(*SEED.get_or_init(|| seed))
}

/// The wait after the attempt that was `past` retries; `None` if no attempt follows.
fn delay(policy: &RetryPolicy, start: SystemTime, past: u32) -> Option<Duration> {
    let k = u64::from(past) + 1;
    if k >= policy.max_attempts() {
        return None;
    }
    let seed = if policy.jitter().follows_the_curve() {
        // Nothing of the waits before is needed, and several requests may start at one time.
        Seed::of_operation()?
    } else {
        of_request(process_seed()?, start)
    };
    Some(policy.delay(k, seed))
}

fn of_request(seed: Seed, start: SystemTime) -> Seed {
    let since = start.duration_since(UNIX_EPOCH);
    let since = since.unwrap_or_else(|before| before.duration());
    // All bits that change from request to request.
    let request = since.as_secs() ^ u64::from(since.subsec_nanos()) << 32;
    Seed::new(mix(seed.bits().wrapping_add(request.wrapping_mul(GOLDEN))))
}

#[cfg(test)]
mod tests {
    use retry_policies::RetryPolicy as _;

    use super::*;
    use crate::core::Jitter;

    const POLICY: RetryPolicy = RetryPolicy::exponential();

    fn delays(policy: &RetryPolicy, start: SystemTime) -> Vec<Duration> {
        (0..).map_while(|past| delay(policy, start, past)).collect()
    }

    #[test]
    fn there_are_as_many_waits_as_the_policy_has() {
        assert_eq!(delays(&POLICY, UNIX_EPOCH).len(), 5);
        let none = RetryPolicy::no_retries().should_retry(SystemTime::now(), 0);
        assert!(matches!(none, RetryDecision::DoNotRetry));
    }

    #[test]
    fn each_wait_knows_the_one_before() {
        for jitter in [
            Jitter::Decorrelated,
            Jitter::DecorrelatedBounded,
            Jitter::PollyV2,
        ] {
            let policy = POLICY.with_jitter(jitter).with_max_attempts(20);
            let (seconds, nanos) = (1_700_000_000, 123_456_789);
            let start = UNIX_EPOCH + Duration::new(seconds, nanos);
            let found = delays(&policy, start);
            let seed = of_request(process_seed().unwrap(), start);
            assert!(policy.delays(seed).eq(found.iter().copied()), "{jitter:?}");
            let later = delays(&policy, start + Duration::from_nanos(1));
            assert_ne!(found, later, "{jitter:?}: requests share their waits");
        }
    }

    #[test]
    fn requests_that_start_together_wait_differently() {
        let [first, second] = [(); 2].map(|()| delay(&POLICY, UNIX_EPOCH, 0));
        assert_ne!(first, second);
    }

    #[test]
    fn the_attempt_is_executed_after_the_wait() {
        let second = Duration::from_secs(1);
        let policy = RetryPolicy::fixed(second).with_jitter(Jitter::None);
        // The start is another clock's reading for all that is known: the wait counts from now.
        let before = SystemTime::now();
        match policy.should_retry(UNIX_EPOCH, 0) {
            RetryDecision::Retry { execute_after } => assert!(execute_after >= before + second),
            RetryDecision::DoNotRetry => panic!("no attempt follows"),
        }
    }
}
