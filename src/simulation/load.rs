//! Load over time, with open or closed arrivals: does it ever recover from an outage?
//!
//! One server works off requests in their order, each for 1/capacity. During the outage it stands
//! still and requests queue. A client that has waited for its time limit gives the attempt up; the
//! server does not know, and does that work for nothing: that is what lets an overload feed itself
//! ("metastable failures", Bronson et al. 2021).

use crate::core::protection::Change;
use crate::core::{OptionErrors, RetryPolicy, Seed, Waits};

use super::check::{Check, MAX_BINS, bin_of, is_no_time};
use super::clients::Rules;
use super::protection::{Guard, Stop, Ticket};
use super::served::MAX_TRACED;
use super::statistics::count_one;
use super::{EventQueue, LoadProtection, Noise, Progress, Simulation};

/// Where requests come from.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Arrivals {
    /// Open: new requests arrive at this rate, evenly spaced, regardless of the others.
    Regular {
        /// Positive; at most 10^7 requests up to the horizon.
        per_s: f64,
    },
    /// Open: as [`Arrivals::Regular`], at random (a Poisson process).
    Poisson {
        /// Positive; at most 10^7 requests up to the horizon.
        per_s: f64,
    },
    /// Closed: each client starts its next request a pause after the end of its last, so that a
    /// slow server gets fewer requests.
    Closed {
        /// Between 1 and 10^6.
        clients: u32,
        /// The mean of the pause, which is exponentially distributed, in ms. Between 0 and 10^9.
        think_ms: f64,
    },
}

/// Options of [`Load`]. Times are in ms.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadOptions {
    /// Where requests come from. Defaults to 280 per second, regularly.
    pub arrivals: Arrivals,
    /// Requests that the server handles per second. Positive and at most 10^9. Defaults to 300.
    pub capacity_per_s: f64,
    /// Time that a client waits for an attempt. Positive, at most 10^9. Defaults to 1000.
    pub timeout_ms: f64,
    /// Start of the outage. Between 0 and 10^9. Defaults to 10,000.
    pub down_from_ms: f64,
    /// Length of the outage. Between 0 and 10^9. Defaults to 10,000.
    pub down_ms: f64,
    /// Where the simulation ends. Positive, at most 10^9, at most 10^6 bins. Defaults to 300,000.
    pub horizon_ms: f64,
    /// The width of a time bin. Positive. Defaults to 1000.
    pub bin_ms: f64,
    /// Parts that bound the attempts. Defaults to none.
    pub protection: LoadProtection,
    /// Number of processes that the requests come from, each with a protection of its own. Between 1 and 1000.
    /// Defaults to 1: all clients share one.
    pub processes: u32,
    /// Where all the randomness comes from.
    pub seed: Seed,
    /// How the clients retry.
    pub policy: RetryPolicy,
    /// The values of [`Backoff::Custom`](crate::Backoff::Custom), in ms: the ceilings of the waits, of
    /// which the last repeats. Defaults to none, so that every ceiling is the cap.
    pub curve: Vec<f64>,
}

impl LoadOptions {
    /// The defaults, for a policy.
    #[must_use]
    pub fn new(policy: RetryPolicy, seed: Seed) -> Self {
        Self {
            arrivals: Arrivals::Regular { per_s: 280.0 },
            capacity_per_s: 300.0,
            timeout_ms: 1_000.0,
            down_from_ms: 10_000.0,
            down_ms: 10_000.0,
            horizon_ms: 300_000.0,
            bin_ms: 1_000.0,
            protection: LoadProtection::default(),
            processes: 1,
            seed,
            policy,
            curve: Vec::new(),
        }
    }

    fn check(&self) -> Result<(), OptionErrors> {
        let mut check = Check::default();
        let above = |value: f64, most: f64| value > 0.0 && value <= most;
        let (bin, horizon) = (self.bin_ms, self.horizon_ms);
        let ends = above(horizon, 1e9);
        // An invalid horizon is rejected itself.
        let span = if ends { horizon.max(1e-3) } else { 1e-3 };
        match self.arrivals {
            Arrivals::Regular { per_s } | Arrivals::Poisson { per_s } => check.holds(
                "arrivals",
                per_s,
                above(per_s, 1e10 / span),
                "above 0 per second and at most 10^7 requests up to horizon_ms",
            ),
            Arrivals::Closed { clients, think_ms } => {
                let rule = "a number of clients, an integer between 1 and 10^6";
                check.range("arrivals", f64::from(clients), (1.0, 1e6), rule);
                let rule = "a pause of between 0 and 10^9 milliseconds";
                check.range("arrivals", think_ms, (0.0, 1e9), rule);
                // A client that is rejected at once would ask again at once, for ever.
                let stands_still =
                    ends && self.protection.breaker.is_some() && is_no_time(think_ms, span);
                let rule = "a pause of more than a 10^15th of horizon_ms when there is a breaker";
                check.holds("arrivals", think_ms, !stands_still, rule);
            }
        }
        check.holds(
            "capacity_per_s",
            self.capacity_per_s,
            above(self.capacity_per_s, 1e9),
            "above 0 and at most 10^9",
        );
        let rule = "above 0 and at most 10^9 milliseconds";
        let timeout = self.timeout_ms;
        check.holds("timeout_ms", timeout, above(timeout, 1e9), rule);
        check.holds(
            "timeout_ms",
            timeout,
            !(ends && timeout > 0.0 && is_no_time(timeout, horizon)),
            "more than a 10^15th of horizon_ms, because time would stand still",
        );
        for (option, value) in [
            ("down_from_ms", self.down_from_ms),
            ("down_ms", self.down_ms),
        ] {
            check.range(
                option,
                value,
                (0.0, 1e9),
                "a number of milliseconds between 0 and 10^9",
            );
        }
        check.holds("horizon_ms", horizon, ends, rule);
        check.holds(
            "bin_ms",
            bin,
            above(bin, f64::MAX) && (horizon / bin <= MAX_BINS || !ends),
            "above 0 and at least a 10^6th of horizon_ms",
        );
        self.protection.check(&mut check);
        let rule = "an integer between 1 and 1000";
        check.range("processes", f64::from(self.processes), (1.0, 1e3), rule);
        check.curve(&self.curve);
        check.finish()
    }
}

/// Counts of each time bin: columns of equal length.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LoadBins {
    /// First attempts that arrived at the server.
    pub requests: Vec<u32>,
    /// Retries that arrived at the server.
    pub retries: Vec<u32>,
    /// Attempts that were answered in time, when they were.
    pub successes: Vec<u32>,
    /// Attempts whose time limit passed, when it did.
    pub timeouts: Vec<u32>,
    /// Attempts that a breaker rejected: first ones, and retries before or after their wait.
    pub refused_by_breaker: Vec<u32>,
    /// Retries that a budget rejected.
    pub refused_by_budget: Vec<u32>,
    /// How long the last attempt that arrived in the bin has to wait for its answer, in ms (its
    /// client may not); NaN if none arrived.
    pub response_ms: Vec<f64>,
}

/// Sums since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct LoadTotals {
    /// Requests that were started.
    pub requests: u64,
    /// Retries that were granted: some of them still wait, or a breaker rejected them after their wait.
    pub retries: u64,
    /// Requests that were answered in time.
    pub successes: u64,
    /// Requests that ended without an answer.
    pub give_ups: u64,
    /// See [`LoadBins::refused_by_breaker`].
    pub refused_by_breaker: u64,
    /// See [`LoadBins::refused_by_budget`].
    pub refused_by_budget: u64,
    /// How often a breaker opened.
    pub openings: u64,
}

/// The changes of breakers in the order of time: three columns of equal length, at most 10^6 of them.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct LoadPhases {
    /// When it changed, in ms.
    pub times_ms: Vec<f64>,
    /// The process, starting at 0.
    pub processes: Vec<u32>,
    /// The phase that follows: [`LoadPhases::CLOSED`], [`LoadPhases::OPEN`] or [`LoadPhases::HALF_OPEN`].
    pub phases: Vec<u32>,
}

impl LoadPhases {
    /// All attempts are admitted, as at the start.
    pub const CLOSED: u32 = 0;
    /// No attempts are admitted.
    pub const OPEN: u32 = 1;
    /// One attempt at a time is admitted.
    pub const HALF_OPEN: u32 = 2;

    fn add(&mut self, time_ms: f64, process: u32, phase: u32) {
        if self.times_ms.len() < MAX_TRACED {
            self.times_ms.push(time_ms);
            self.processes.push(process);
            self.phases.push(phase);
        }
    }
}

/// Load over time. See [`LoadOptions`].
#[derive(Debug, Clone)]
pub struct Load {
    options: LoadOptions,
    rules: Rules,
    noise: Noise,
    queue: EventQueue,
    /// One for each process.
    guards: Vec<Guard>,
    /// Lengths of openings.
    openings: Noise,
    /// Processes of requests.
    origins: Noise,
    requests: Vec<Request>,
    /// Entries of `requests` that are free again.
    free: Vec<u32>,
    /// When the server will have worked off what it has.
    busy_until_ms: f64,
    events: u64,
    now_ms: f64,
    over: bool,
    bins: LoadBins,
    phases: LoadPhases,
    totals: LoadTotals,
    last_timeout_ms: f64,
    last_refusal_ms: f64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Request {
    waits: Waits,
    number: u64,
    process: u32,
    in_time: bool,
    ticket: Ticket,
}

/// An event is an attempt's arrival at the server, or with this bit its end for the client;
/// the other bits are the request's entry.
const END: u32 = 1 << 31;
/// The next request of an open world.
const NEXT: u32 = u32::MAX;

impl Load {
    /// # Errors
    /// Lists every invalid option.
    pub fn new(options: LoadOptions) -> Result<Self, OptionErrors> {
        options.check()?;
        let bins = bin_of(options.horizon_ms, options.bin_ms) + 1;
        let zeros = || vec![0; bins];
        let mut load = Self {
            rules: Rules {
                policy: options.policy,
                curve: options.curve.clone(),
                seed: options.seed,
            },
            noise: Noise::new(options.seed, 0),
            queue: EventQueue::new(),
            guards: vec![Guard::new(&options.protection); options.processes as usize],
            openings: Noise::new(options.seed, 1),
            origins: Noise::new(options.seed, 2),
            requests: Vec::new(),
            free: Vec::new(),
            busy_until_ms: 0.0,
            events: 0,
            now_ms: 0.0,
            over: false,
            bins: LoadBins {
                requests: zeros(),
                retries: zeros(),
                successes: zeros(),
                timeouts: zeros(),
                refused_by_breaker: zeros(),
                refused_by_budget: zeros(),
                response_ms: vec![f64::NAN; bins],
            },
            phases: LoadPhases::default(),
            totals: LoadTotals::default(),
            last_timeout_ms: 0.0,
            last_refusal_ms: 0.0,
            options,
        };
        match load.options.arrivals {
            Arrivals::Regular { .. } => load.queue.push(0.0, NEXT),
            Arrivals::Poisson { per_s } => {
                let first = load.noise.exponential() * 1_000.0 / per_s;
                load.queue.push(first, NEXT);
            }
            Arrivals::Closed { clients, think_ms } => {
                for _ in 0..clients {
                    let first = load.noise.exponential() * think_ms;
                    load.start(first);
                }
            }
        }
        Ok(load)
    }

    /// The width of a time bin, in ms.
    #[must_use]
    pub fn bin_ms(&self) -> f64 {
        self.options.bin_ms
    }

    /// Returns the counts by time.
    #[must_use]
    pub fn bins(&self) -> &LoadBins {
        &self.bins
    }

    /// Returns the changes of breakers.
    #[must_use]
    pub fn phases(&self) -> &LoadPhases {
        &self.phases
    }

    /// Returns the sums so far.
    #[must_use]
    pub fn totals(&self) -> LoadTotals {
        self.totals
    }

    /// How long after the outage's end the last attempt ran into its time limit, in ms. `None` if
    /// attempts still did in the last tenth of the simulated time, or if that ends before the
    /// outage: no recovery is in sight.
    #[must_use]
    pub fn recovered_after_ms(&self) -> Option<f64> {
        self.over_since(self.last_timeout_ms)
    }

    /// How long after the outage's end a breaker rejected the last attempt, in ms; 0 if none did. `None` as with
    /// [`recovered_after_ms`](Self::recovered_after_ms).
    #[must_use]
    pub fn admitted_after_ms(&self) -> Option<f64> {
        self.over_since(self.last_refusal_ms)
    }

    fn over_since(&self, last_ms: f64) -> Option<f64> {
        let end = self.options.down_from_ms + self.options.down_ms;
        let horizon = self.options.horizon_ms;
        let is_over = self.over && end < horizon && last_ms < 0.9 * horizon;
        is_over.then(|| (last_ms - end).max(0.0))
    }

    /// A request whose first attempt arrives at `time`.
    fn start(&mut self, time: f64) {
        let request = Request {
            number: self.totals.requests,
            process: self.origin(),
            ..Request::default()
        };
        self.totals.requests += 1;
        if let Some(entry) = self.free.pop() {
            self.requests[entry as usize] = request;
            self.queue.push(time, entry);
        } else if let Ok(entry) = u32::try_from(self.requests.len()) {
            // At most 10^7 requests are started, so that no entry looks like another event.
            self.requests.push(request);
            self.queue.push(time, entry);
        }
    }

    /// The process of the next request.
    fn origin(&mut self) -> u32 {
        if self.options.processes == 1 {
            return 0;
        }
        // Below the number of processes.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let process = (self.origins.uniform() * f64::from(self.options.processes)) as u32;
        process
    }

    fn next_request(&mut self, now: f64) {
        let pause = match self.options.arrivals {
            // From the count, not from the last one: many roundings would add up.
            #[allow(clippy::cast_precision_loss)]
            Arrivals::Regular { per_s } => {
                (self.totals.requests + 1) as f64 * 1_000.0 / per_s - now
            }
            Arrivals::Poisson { per_s } => self.noise.exponential() * 1_000.0 / per_s,
            Arrivals::Closed { .. } => return,
        };
        self.start(now);
        self.queue.push(now + pause, NEXT);
    }

    /// An attempt starts: it reaches the server, or is rejected. The order of service is that of arrival, so
    /// its end is known.
    fn begin(&mut self, now: f64, entry: u32) {
        let bin = bin_of(now, self.options.bin_ms);
        let request = &mut self.requests[entry as usize];
        let guard = &mut self.guards[request.process as usize];
        let before = guard.phase();
        let admitted = guard.admits(now, &mut request.ticket);
        if guard.phase() != before {
            let process = request.process;
            self.phases.add(now, process, LoadPhases::HALF_OPEN);
        }
        if !admitted {
            self.refuse(now, bin);
            self.give_up(now, entry);
            return;
        }
        if request.waits.attempt() == 1 {
            count_one(&mut self.bins.requests[bin]);
            guard.requested();
        } else {
            count_one(&mut self.bins.retries[bin]);
        }
        let answered = self.answered(now);
        let timeout = self.options.timeout_ms;
        let request = &mut self.requests[entry as usize];
        request.in_time = answered - now <= timeout;
        let known = if request.in_time {
            answered
        } else {
            now + timeout
        };
        self.bins.response_ms[bin] = answered - now;
        self.queue.push(known, entry | END);
    }

    /// When the server has worked off an attempt that arrives now.
    fn answered(&mut self, now: f64) -> f64 {
        let (down, up) = (
            self.options.down_from_ms,
            self.options.down_from_ms + self.options.down_ms,
        );
        let mut start = self.busy_until_ms.max(now);
        if (down..up).contains(&start) {
            start = up;
        }
        let mut end = start + 1_000.0 / self.options.capacity_per_s;
        if start < down && end > down {
            end += self.options.down_ms;
        }
        self.busy_until_ms = end;
        end
    }

    /// An attempt ends for its client: answered, or out of time.
    fn end(&mut self, now: f64, entry: u32) {
        let bin = bin_of(now, self.options.bin_ms);
        let request = &mut self.requests[entry as usize];
        let guard = &mut self.guards[request.process as usize];
        if request.in_time {
            count_one(&mut self.bins.successes[bin]);
            self.totals.successes += 1;
            if guard.succeeded(now, &request.ticket) == Change::Closed {
                self.phases.add(now, request.process, LoadPhases::CLOSED);
            }
            self.leave(now, entry);
            return;
        }
        count_one(&mut self.bins.timeouts[bin]);
        self.last_timeout_ms = now;
        // The next draw is used up by an opening.
        let mut openings = self.openings.clone();
        let draw = self.options.protection.draw();
        let draw = draw.unwrap_or_else(|| openings.uniform());
        if guard.failed(now, draw, &request.ticket) == Change::Opened {
            self.openings = openings;
            self.totals.openings += 1;
            self.phases.add(now, request.process, LoadPhases::OPEN);
        }
        let number = request.number;
        let wait = self
            .rules
            .wait_ms(&mut request.waits, number, f64::INFINITY);
        match wait.map(|wait| (wait, guard.retries(now, wait, &mut request.ticket))) {
            Some((wait, Ok(()))) => {
                self.totals.retries += 1;
                self.queue.push(now + wait, entry);
                return;
            }
            Some((_, Err(Stop::Breaker))) => self.refuse(now, bin),
            Some((_, Err(Stop::Budget))) => {
                count_one(&mut self.bins.refused_by_budget[bin]);
                self.totals.refused_by_budget += 1;
            }
            None => {}
        }
        self.give_up(now, entry);
    }

    /// A breaker rejects an attempt.
    fn refuse(&mut self, now: f64, bin: usize) {
        count_one(&mut self.bins.refused_by_breaker[bin]);
        self.totals.refused_by_breaker += 1;
        self.last_refusal_ms = now;
    }

    fn give_up(&mut self, now: f64, entry: u32) {
        self.totals.give_ups += 1;
        self.leave(now, entry);
    }

    /// A request has ended.
    fn leave(&mut self, now: f64, entry: u32) {
        self.free.push(entry);
        if let Arrivals::Closed { think_ms, .. } = self.options.arrivals {
            let pause = self.noise.exponential() * think_ms;
            self.start(now + pause);
        }
    }
}

impl Simulation for Load {
    fn step(&mut self, max_events: u64) -> Progress {
        let mut left = max_events;
        while left > 0 && !self.over {
            match self.queue.pop() {
                Some((now, event)) if now < self.options.horizon_ms => {
                    left -= 1;
                    self.now_ms = now;
                    if event == NEXT {
                        self.next_request(now);
                    } else if event & END == 0 {
                        self.begin(now, event);
                    } else {
                        self.end(now, event & !END);
                    }
                }
                _ => self.over = true,
            }
        }
        self.events += max_events - left;
        Progress {
            events: self.events,
            share: if self.over {
                1.0
            } else {
                self.now_ms / self.options.horizon_ms
            },
            done: self.over,
        }
    }
}
