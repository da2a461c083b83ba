//! Layers that each retry: how many calls one request becomes at the bottom.

use crate::core::{OptionErrors, Seed};

use super::check::Check;
use super::{Noise, Progress, Simulation};

/// Options of [`Amplification`] and [`amplification`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AmplificationOptions {
    /// The attempts that each layer makes at most, the first included. Between 1 and 1000. Defaults to 3.
    pub attempts: u32,
    /// Number of layers that retry, one above the other. Between 1 and 20; attempts^layers at most 10^6.
    /// Defaults to 3.
    pub layers: u32,
    /// The probability that a call at the bottom fails. Between 0 and 1. Defaults to 0.5.
    pub failure: f64,
    /// Number of simulated requests. Between 1 and 10^7. Defaults to 10,000.
    pub requests: u32,
    /// Where all the randomness comes from.
    pub seed: Seed,
}

impl AmplificationOptions {
    /// The defaults.
    #[must_use]
    pub fn new(seed: Seed) -> Self {
        Self {
            attempts: 3,
            layers: 3,
            failure: 0.5,
            requests: 10_000,
            seed,
        }
    }

    fn check(&self) -> Result<(), OptionErrors> {
        let mut check = Check::default();
        let (attempts, layers) = (f64::from(self.attempts), f64::from(self.layers));
        let rule = "an integer between 1 and 1,000";
        check.range("attempts", attempts, (1.0, 1e3), rule);
        let most = self.attempts.checked_pow(self.layers).unwrap_or(u32::MAX);
        check.holds(
            "layers",
            layers,
            (1..=20).contains(&self.layers)
                && (most <= 1_000_000 || !(1.0..=1e3).contains(&attempts)),
            "an integer between 1 and 20 with attempts^layers at most 10^6",
        );
        let rule = "a probability between 0 and 1";
        check.range("failure", self.failure, (0.0, 1.0), rule);
        let rule = "an integer between 1 and 10^7";
        check.range("requests", f64::from(self.requests), (1.0, 1e7), rule);
        check.finish()
    }
}

/// The expected calls per request into each layer, from the topmost to the bottom, and last the
/// share of requests that succeed.
///
/// With n attempts in each of L layers a request makes at most n^L calls, until one succeeds:
/// 1 − p^(n^L) of the requests do. An attempt of the layer with j layers below it fails with
/// q = p^(n^j), so that there are (1 − p^(n^L))/(1 − q) of them; at the bottom q = p.
///
/// # Errors
/// Lists every invalid option.
pub fn amplification(options: &AmplificationOptions) -> Result<Vec<f64>, OptionErrors> {
    options.check()?;
    Ok(expected(options))
}

/// [`amplification`] of options that were checked.
fn expected(options: &AmplificationOptions) -> Vec<f64> {
    let (n, p) = (options.attempts, options.failure);
    // 1 − p^m over 1 − p is the sum of the powers below m: exact for p = 1, too.
    let powers =
        |q: f64, m: u32| (0..m).fold((0.0, 1.0), |(sum, power), _| (sum + power, power * q));
    let mut expected = Vec::new();
    for depth in 1..=options.layers {
        let (_, q) = powers(p, n.pow(options.layers - depth));
        let (calls, _) = powers(q, n.pow(depth));
        expected.push(calls);
    }
    let (_, all_fail) = powers(p, n.pow(options.layers));
    expected.push(1.0 - all_fail);
    expected
}

/// Requests through layers that each retry. An event is a call at the bottom.
#[derive(Debug, Clone)]
pub struct Amplification {
    options: AmplificationOptions,
    noise: Noise,
    /// Number of attempts that each layer has made for the request in progress.
    made: Vec<u32>,
    /// The calls at the bottom for the request in progress; 0 between two requests.
    under_way: u32,
    calls: Vec<f64>,
    calls_per_request: Vec<u32>,
    successes: u32,
    events: u64,
}

impl Amplification {
    /// # Errors
    /// Lists every invalid option.
    pub fn new(options: AmplificationOptions) -> Result<Self, OptionErrors> {
        options.check()?;
        let layers = options.layers as usize;
        Ok(Self {
            noise: Noise::new(options.seed, 0),
            made: vec![0; layers],
            under_way: 0,
            calls: vec![0.0; layers],
            calls_per_request: Vec::new(),
            successes: 0,
            events: 0,
            options,
        })
    }

    /// Returns the expected values: see [`amplification`].
    #[must_use]
    pub fn expected(&self) -> Vec<f64> {
        expected(&self.options)
    }

    /// The calls into each layer, from the topmost to the bottom.
    #[must_use]
    pub fn calls(&self) -> &[f64] {
        &self.calls
    }

    /// The calls at the bottom, for each finished request.
    #[must_use]
    pub fn calls_per_request(&self) -> &[u32] {
        &self.calls_per_request
    }

    /// The requests that succeeded.
    #[must_use]
    pub fn successes(&self) -> u32 {
        self.successes
    }

    /// One call at the bottom, for the attempts that the layers have started. Returns whether the
    /// request has ended.
    fn call(&mut self) -> bool {
        if self.noise.uniform() >= self.options.failure {
            self.successes += 1;
            return true;
        }
        // The failure goes up to the first layer with an attempt left.
        let left = |made: &u32| *made < self.options.attempts;
        let Some(layer) = self.made.iter().rposition(left) else {
            return true;
        };
        self.made[layer] += 1;
        self.made[layer + 1..].fill(1);
        for calls in &mut self.calls[layer..] {
            *calls += 1.0;
        }
        false
    }
}

impl Simulation for Amplification {
    fn step(&mut self, max_events: u64) -> Progress {
        let requests = self.options.requests as usize;
        let mut left = max_events;
        while left > 0 && self.calls_per_request.len() < requests {
            if self.under_way == 0 {
                self.made.fill(1);
                self.calls.iter_mut().for_each(|calls| *calls += 1.0);
            }
            left -= 1;
            self.under_way += 1;
            if self.call() {
                self.calls_per_request.push(self.under_way);
                self.under_way = 0;
            }
        }
        self.events += max_events - left;
        #[allow(clippy::cast_precision_loss)]
        let share = self.calls_per_request.len() as f64 / f64::from(self.options.requests);
        Progress {
            events: self.events,
            share,
            done: self.calls_per_request.len() == requests,
        }
    }
}
