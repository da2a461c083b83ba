//! The times that servers work on attempts: most are short, some are long.

use crate::simulation::check::{Check, SHARE, UP_TO_1E6_MS};
use crate::simulation::elementary::exp_minus;
use crate::simulation::noise::Noise;
use crate::simulation::options::options;

options! { "service."
    /// How long a server works on an attempt: exponentially distributed, but for a share of slow attempts. Times are in
    /// ms.
    #[derive(Copy)]
    ServiceTimes:

    /// Mean of an ordinary attempt. Between 0.01 and 10^6. Defaults to 20.
    mean_ms: f64 = 20.0 => [0.01, 1e6, "a number of milliseconds between 0.01 and 10^6"],
    /// Share of slow attempts. Between 0 and 1. Defaults to 0.05.
    slow_share: f64 = 0.05 => [0.0, 1.0, SHARE],
    /// Shortest time of a slow attempt. Between 0 and 10^6. Defaults to 500.
    slow_from_ms: f64 = 500.0 => [0.0, 1e6, UP_TO_1E6_MS],
    /// Mean of the exponentially distributed time that a slow attempt takes in addition. Between 0 and 10^6. Defaults
    /// to 500.
    slow_mean_ms: f64 = 500.0 => [0.0, 1e6, UP_TO_1E6_MS],
}

impl ServiceTimes {
    /// The time of the next attempt.
    pub(super) fn draw(&self, noise: &mut Noise) -> f64 {
        let is_slow = noise.uniform() < self.slow_share;
        let time = noise.exponential();
        if is_slow {
            self.slow_from_ms + time * self.slow_mean_ms
        } else {
            time * self.mean_ms
        }
    }

    /// The mean over all attempts.
    pub(super) fn overall_mean_ms(&self) -> f64 {
        let slow = self.slow_from_ms + self.slow_mean_ms;
        (1.0 - self.slow_share) * self.mean_ms + self.slow_share * slow
    }

    /// The share of attempts that take longer than this.
    pub(super) fn longer_than(&self, ms: f64) -> f64 {
        let slow = if ms < self.slow_from_ms {
            1.0
        } else if self.slow_mean_ms > 0.0 {
            exp_minus((ms - self.slow_from_ms) / self.slow_mean_ms)
        } else {
            0.0
        };
        (1.0 - self.slow_share) * exp_minus(ms / self.mean_ms) + self.slow_share * slow
    }
}
