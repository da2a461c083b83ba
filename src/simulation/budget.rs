//! Retry budgets: what keeps retries from feeding an overload.

use super::check::Check;

/// How many retries the clients may make together: a bucket of tokens, full at first, one token
/// per retry. However long it goes on, retries ≤ bucket + deposits.
///
/// A deposit per *request* keeps coming when nothing succeeds, and so keeps an overload alive; a
/// deposit per *success* stops with the successes.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Budget {
    /// No limit.
    Unlimited,
    /// Every first attempt deposits `ratio` of a token.
    PerRequest {
        /// Between 0 and 1000.
        ratio: f64,
        /// Capacity of the bucket, in tokens. Between 0 and 10^9.
        bucket: f64,
    },
    /// Every success deposits `ratio` of a token.
    PerSuccess {
        /// Between 0 and 1000.
        ratio: f64,
        /// Capacity of the bucket, in tokens. Between 0 and 10^9.
        bucket: f64,
    },
}

impl Budget {
    pub(super) fn check(self, check: &mut Check) {
        if let Self::PerRequest { ratio, bucket } | Self::PerSuccess { ratio, bucket } = self {
            let rule = "a budget with a ratio between 0 and 1,000 tokens";
            check.range("budget", ratio, (0.0, 1e3), rule);
            let rule = "a budget with a bucket between 0 and 10^9 tokens";
            check.range("budget", bucket, (0.0, 1e9), rule);
        }
    }
}

/// A budget's bucket.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bucket {
    budget: Budget,
    tokens: f64,
}

impl Bucket {
    pub(super) fn new(budget: Budget) -> Self {
        let tokens = match budget {
            Budget::Unlimited => 0.0,
            Budget::PerRequest { bucket, .. } | Budget::PerSuccess { bucket, .. } => bucket,
        };
        Self { budget, tokens }
    }

    pub(super) fn request(&mut self) {
        if let Budget::PerRequest { ratio, bucket } = self.budget {
            self.tokens = (self.tokens + ratio).min(bucket);
        }
    }

    pub(super) fn success(&mut self) {
        if let Budget::PerSuccess { ratio, bucket } = self.budget {
            self.tokens = (self.tokens + ratio).min(bucket);
        }
    }

    /// Takes a token for a retry, if there is one.
    pub(super) fn withdraw(&mut self) -> bool {
        if self.budget == Budget::Unlimited {
            return true;
        }
        // Ten tenths are a token.
        let enough = self.tokens >= 1.0 - 1e-9;
        if enough {
            self.tokens = (self.tokens - 1.0).max(0.0);
        }
        enough
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Event = fn(&mut Bucket);

    /// How many tokens can be taken.
    fn empty(bucket: &mut Bucket) -> usize {
        (0..100).take_while(|_| bucket.withdraw()).count()
    }

    #[test]
    fn a_bucket_holds_what_was_deposited_and_no_more() {
        let (ratio, size) = (0.25, 2.0);
        let by_success = Budget::PerSuccess {
            ratio,
            bucket: size,
        };
        let by_request = Budget::PerRequest {
            ratio,
            bucket: size,
        };
        for (budget, counts, does_not) in [
            (
                by_success,
                Bucket::success as Event,
                Bucket::request as Event,
            ),
            (by_request, Bucket::request, Bucket::success),
        ] {
            let mut bucket = Bucket::new(budget);
            assert_eq!(empty(&mut bucket), 2);
            (0..3).for_each(|_| counts(&mut bucket));
            assert_eq!(empty(&mut bucket), 0);
            (0..9).for_each(|_| does_not(&mut bucket));
            assert_eq!(empty(&mut bucket), 0);
            counts(&mut bucket);
            assert_eq!(empty(&mut bucket), 1);
            (0..50).for_each(|_| counts(&mut bucket));
            assert_eq!(empty(&mut bucket), 2);
        }
        assert_eq!(empty(&mut Bucket::new(Budget::Unlimited)), 100);
    }
}
