//! The herd: independent clients, a server that is down and then has limited capacity.

use rejitter::decide::Failure;
use rejitter::internals::{Wait, Waits, getters};
use rejitter::{OptionErrors, RetryPolicy, Seed, UNLIMITED};

use super::agenda::Agenda;
use super::check::{ABOVE_0, Check, INTEGER, MAX_TIME_MS, UP_TO_1E6_MS, is_no_time};
use super::clients::{Rules, listed};
use super::options::options;
use super::statistics::count_one;
use super::{Bins, Noise, Progress, Simulation, Summary, Traces, summary};

const LONG: &str = "a number of milliseconds between 0 and 10^12";

options! { clients
    /// Options of [`Outage`]. Times are in ms, from the start of the outage.
    OutageOptions:

    /// Number of clients. Between 1 and 10^6. Defaults to 1,000.
    clients: u32 = 1_000 => [1.0, 1e6, INTEGER],
    /// Time over which the clients start, evenly spread; 0 starts all at once. Between 0 and 10^12. Defaults to 0.
    spread_ms: f64 = 0.0 => [0.0, MAX_TIME_MS, LONG],
    /// How long the server is down. Between 0 and 10^12. Defaults to 30,000.
    down_ms: f64 = 30_000.0 => [0.0, MAX_TIME_MS, LONG],
    /// Requests that the server accepts per second once it is up. Above 0; infinite for no limit. Default:
    /// infinite.
    capacity_per_s: f64 = f64::INFINITY => [ABOVE_0, f64::INFINITY, "positive"],
    /// How much unused capacity the server can save up, in requests; it has saved none when the
    /// outage ends. At least 1. Defaults to 1.
    burst: f64 = 1.0 => [1.0, f64::INFINITY, "at least 1 request"],
    /// Capacity that a rejected request uses, as a share of a served one's: the server must read and
    /// answer it as well. A server with no capacity left owes it, and serves nobody until it has made up
    /// for that. Between 0 and 1. Defaults to 0.
    rejection_cost: f64 = 0.0 => [0.0, 1.0, "a number between 0 and 1"],
    /// Time from a request's arrival until the client has the response. Between 0 and 10^6; for a policy that never
    /// waits and never gives up, above 0 and more than a 10^15th of `horizon_ms`. Defaults to 0.
    latency_ms: f64 = 0.0 => [0.0, 1e6, UP_TO_1E6_MS] => check_progress,
    /// Each client's time for its operation. Positive; infinite for no limit. Defaults to infinite.
    deadline_ms: f64 = f64::INFINITY => [ABOVE_0, f64::INFINITY, "positive"],
    /// Time at which the simulation ends, even if clients are waiting. Positive, at most 10^12 and 10^6 bins.
    /// Defaults to 600,000.
    horizon_ms: f64 = 600_000.0 => [ABOVE_0, MAX_TIME_MS, "above 0 and at most 10^12 milliseconds"],
    /// Width of a time bin. Positive. Defaults to 100.
    bin_ms: f64 = 100.0 => [bins MAX_TIME_MS],
    /// Number of clients whose attempts are all kept. Between 0 and 10^6. Defaults to 24.
    traced: u32 = 24 => [0.0, 1e6, "an integer between 0 and 10^6"],
}

impl OutageOptions {
    /// Time must pass while events go on.
    fn check_progress(&self, check: &mut Check) {
        let (_, longest) = self.policy.bounds_ms(&Wait {
            curve_ms: listed(&self.curve, u64::MAX),
            ..Wait::number(u64::MAX)
        });
        let (latency, horizon) = (self.latency_ms, self.horizon_ms);
        let stands_still = (ABOVE_0..=MAX_TIME_MS).contains(&horizon)
            && self.policy.max_attempts() == UNLIMITED
            && is_no_time(latency.max(longest), horizon);
        check.require(
            "latency_ms",
            Some(latency),
            "above 0 if the policy never waits and never gives up, and more than a 10^15th of \
             horizon_ms, because time would stand still",
            !stands_still,
        );
    }
}

/// A herd of clients after an outage. See [`OutageOptions`].
///
/// The server rejects everything while it is down; afterwards it accepts as many requests as its
/// capacity allows (a token bucket, empty when the outage ends, so that n clients are never all
/// served before outage + n/capacity) and rejects the others. A rejection may use capacity as well
/// ([`rejection_cost`](OutageOptions::rejection_cost)), also capacity that the server does not have
/// yet: then a herd that hammers the server keeps it from serving anybody.
#[derive(Debug, Clone)]
pub struct Outage {
    options: OutageOptions,
    rules: Rules,
    agenda: Agenda,
    clients: Vec<Waits>,
    starts_ms: Vec<f64>,
    /// The server's saved capacity, in requests (below 0: owed), and when it was counted.
    tokens: (f64, f64),
    bins: Bins,
    traces: Traces,
    attempts: Vec<u32>,
    latencies_ms: Vec<f64>,
    served_ms: Vec<f64>,
    give_ups: u32,
}

impl Outage {
    /// # Errors
    /// Lists every rejected option.
    pub fn new(options: OutageOptions) -> Result<Self, OptionErrors> {
        options.check()?;
        let mut noise = Noise::new(options.seed, 0);
        let mut agenda = Agenda::new(options.horizon_ms);
        let mut starts_ms = Vec::with_capacity(options.clients as usize);
        for client in 0..options.clients {
            let start = options.spread_ms * noise.uniform();
            starts_ms.push(start);
            agenda.push(start, client);
        }
        let clients = options.clients as usize;
        Ok(Self {
            rules: options.rules(),
            agenda,
            clients: vec![Waits::default(); clients],
            starts_ms,
            tokens: (0.0, options.down_ms),
            bins: Bins::new(options.bin_ms),
            traces: Traces::default(),
            attempts: vec![0; clients],
            latencies_ms: vec![f64::NAN; clients],
            served_ms: Vec::new(),
            give_ups: 0,
            options,
        })
    }

    getters! {
        /// The requests by time.
        bins: &Bins,
        /// The attempts of the first clients.
        traces: &Traces,
        /// The attempts that each client made: its share of the server's work.
        attempts: &[u32],
        /// Time from each client's start to its success, in ms; NaN for those not served.
        latencies_ms: &[f64],
        /// When clients were served, in ms, ascending: one value for each that was.
        served_ms: &[f64],
        /// The clients that gave up.
        give_ups: u32,
    }

    /// When this share (0 to 1) of *all* clients had been served, in ms; `None` if it never was.
    #[must_use]
    pub fn time_to_serve_ms(&self, share: f64) -> Option<f64> {
        let wanted = (share * f64::from(self.options.clients)).ceil().max(1.0);
        // Saturating: an invalid index has no answer.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let rank = wanted as usize;
        self.served_ms.get(rank - 1).copied()
    }

    /// The two costs of retrying: how long the served clients waited in all, in ms, and how many
    /// requests each client, served or not, sent to the server.
    #[must_use]
    pub fn costs(&self) -> (Summary, Summary) {
        let latencies = self.latencies_ms.iter().copied();
        (
            summary(latencies.filter(|latency| !latency.is_nan())),
            summary(self.attempts.iter().map(|n| f64::from(*n))),
        )
    }

    fn handle(&mut self, now: f64, client: u32) {
        let Some(waits) = self.clients.get_mut(client as usize) else {
            return;
        };
        let start = self.starts_ms[client as usize];
        let answered = now + self.options.latency_ms;
        let accepted = accepts(&self.options, &mut self.tokens, now);
        self.bins.count(now, accepted);
        count_one(&mut self.attempts[client as usize]);
        let outcome = if accepted {
            self.latencies_ms[client as usize] = answered - start;
            self.served_ms.push(answered);
            Traces::ACCEPTED
        } else {
            let failure = Failure {
                remaining_ms: start + self.options.deadline_ms - answered,
                ..waits.failure()
            };
            let wait = self.rules.wait_ms(waits, u64::from(client), failure);
            if let Some(wait) = wait {
                self.agenda.push(answered + wait, client);
                Traces::REJECTED
            } else {
                self.give_ups += 1;
                Traces::GAVE_UP
            }
        };
        if client < self.options.traced {
            self.traces.add(client, now, outcome);
        }
    }
}

/// Whether the server takes a request at `now`.
fn accepts(options: &OutageOptions, (tokens, counted): &mut (f64, f64), now: f64) -> bool {
    if now < options.down_ms {
        return false;
    }
    if options.capacity_per_s == f64::INFINITY {
        return true;
    }
    let gained = (now - *counted) * (options.capacity_per_s / 1_000.0);
    (*tokens, *counted) = ((*tokens + gained).min(options.burst), now);
    // Requests that come exactly as fast as the capacity must not fail by a rounding error.
    if *tokens < 1.0 - 1e-9 {
        *tokens -= options.rejection_cost;
        return false;
    }
    *tokens = (*tokens - 1.0).max(0.0);
    true
}

impl Simulation for Outage {
    fn step(&mut self, max_events: u64) -> Progress {
        let mut left = max_events;
        while let Some((now, client)) = self.agenda.next(&mut left) {
            self.handle(now, client);
        }
        let time = self.agenda.now_ms / self.options.horizon_ms;
        // Clients that were served or gave up do not wait for the horizon.
        #[allow(clippy::cast_precision_loss)]
        let waiting = self.agenda.queue.len() as f64 / f64::from(self.options.clients);
        self.agenda.progress(time.max(1.0 - waiting))
    }
}
