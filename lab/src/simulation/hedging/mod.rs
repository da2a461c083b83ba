//! Hedges: second attempts that start while slow ones are running. How much of the tail do they cut, for how much more
//! load, and when does that load make everything slow?
//!
//! A request is one attempt, and a hedge if the attempt has not answered after the delay; the faster of both answers
//! it. Servers know nothing of it: they do the work of the slower one all the same.

use rejitter::OptionErrors;
use rejitter::internals::protection::{Budget, Latency};
use rejitter::internals::{getters, thousandths};

use super::agenda::Agenda;
use super::{Noise, Progress, Simulation};
use tail::Tail;

mod exact;
mod options;
mod service;
mod tail;

pub use exact::HedgingExact;
pub use options::{HedgeDelay, HedgeRule, HedgingOptions, ServerLoad};
pub use service::ServiceTimes;

/// Sums since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct HedgingTotals {
    /// Requests that have ended.
    pub requests: u64,
    /// Hedges that have started.
    pub hedges: u64,
    /// Hedges that answered their requests.
    pub won: u64,
    /// Hedges that did not start because there was no token for them.
    pub rejected: u64,
}

/// Requests with hedges. See [`HedgingOptions`].
#[derive(Debug, Clone)]
pub struct Hedging {
    options: HedgingOptions,
    exact: Option<HedgingExact>,
    arrivals: Noise,
    attempts: Noise,
    hedges: Noise,
    routes: Noise,
    agenda: Agenda,
    /// When each server will have done the work that it has.
    busy_until_ms: Vec<f64>,
    latency: Latency,
    budget: Budget,
    requests: Vec<Request>,
    /// Entries of `requests` that are free again.
    free: Vec<u32>,
    started: u32,
    tail: Tail,
    totals: HedgingTotals,
}

#[derive(Debug, Clone, Copy)]
struct Request {
    started_ms: f64,
    /// When the attempt answers.
    answered_ms: f64,
    /// That of the attempt.
    server: u32,
    is_hedge_faster: bool,
}

/// An event is the end of a request, or with this bit the start of its hedge; the other bits are the request's entry.
const HEDGE: u32 = 1 << 31;
/// The next request starts.
const NEXT: u32 = u32::MAX;

/// Hedges that can be saved up, and one, in thousandths.
const CAPACITY: f64 = 10.0 * TOKEN;
const TOKEN: f64 = 1_000.0;

impl Hedging {
    /// # Errors
    /// Lists every invalid option.
    pub fn new(options: HedgingOptions) -> Result<Self, OptionErrors> {
        options.check()?;
        let servers = options.load.map_or(0, |load| load.servers);
        let noise = |stream| Noise::new(options.seed, stream);
        let mut made = Self {
            exact: HedgingExact::of(&options),
            arrivals: noise(0),
            // Streams of their own: the attempts stay the same whichever of them are hedged.
            attempts: noise(1),
            hedges: noise(2),
            routes: noise(3),
            agenda: Agenda::new(f64::INFINITY),
            busy_until_ms: vec![0.0; servers as usize],
            latency: Latency::new(0.0),
            budget: Budget::new(CAPACITY),
            requests: Vec::new(),
            free: Vec::new(),
            started: 0,
            tail: Tail::new(),
            totals: HedgingTotals::default(),
            options,
        };
        made.plan_next(0.0);
        Ok(made)
    }

    /// The times of the survival curves, in ms, ascending: 16 an octave, from 2^−10 to 2^30.
    #[must_use]
    pub fn times_ms() -> Vec<f64> {
        Tail::grid()
    }

    /// Returns the share of the requests so far that took longer than each of [`times_ms`](Self::times_ms); NaN before
    /// the first has ended. A request that took longer than all of them counts as the last.
    #[must_use]
    pub fn survival(&self) -> Vec<f64> {
        self.tail.longer()
    }

    /// Returns the time that this share of the requests so far exceeds, in ms, to within 0.4%; NaN before the first has
    /// ended.
    #[must_use]
    pub fn exceeded_by(&self, share: f64) -> f64 {
        self.tail.exceeded_by(share)
    }

    /// Returns the mean of the requests so far, in ms; NaN before the first has ended.
    #[must_use]
    pub fn mean_ms(&self) -> f64 {
        self.tail.mean_ms()
    }

    getters! {
        /// Returns the sums so far.
        totals: HedgingTotals,
    }

    /// Returns the distribution in closed form. `None` with load, and if the delay is learned.
    #[must_use]
    pub fn exact(&self) -> Option<&HedgingExact> {
        self.exact.as_ref()
    }

    /// The next request starts: at random with load, otherwise at once.
    fn plan_next(&mut self, now: f64) {
        if self.started < self.options.requests {
            self.started += 1;
            let pause = self.options.load.map_or(0.0, |load| {
                let busy = f64::from(load.servers) * load.utilisation;
                self.arrivals.exponential() * self.options.service.overall_mean_ms() / busy
            });
            self.agenda.push(now + pause, NEXT);
        }
    }

    /// When an attempt that starts now at this server answers.
    fn answered(&mut self, now: f64, server: u32, service_ms: f64) -> f64 {
        let Some(busy_until_ms) = self.busy_until_ms.get_mut(server as usize) else {
            return now + service_ms;
        };
        *busy_until_ms = busy_until_ms.max(now) + service_ms;
        *busy_until_ms
    }

    fn start(&mut self, now: f64) {
        let load = self.options.load;
        let server = load.map_or(0, |load| self.routes.below(load.servers));
        let service_ms = self.options.service.draw(&mut self.attempts);
        let answered_ms = self.answered(now, server, service_ms);
        let request = Request {
            started_ms: now,
            answered_ms,
            server,
            is_hedge_faster: false,
        };
        let entry = if let Some(entry) = self.free.pop() {
            self.requests[entry as usize] = request;
            entry
        } else {
            self.requests.push(request);
            // At most 10^7 requests are started, so that no entry looks like another event.
            #[allow(clippy::cast_possible_truncation)]
            let entry = (self.requests.len() - 1) as u32;
            entry
        };
        match self.delay_ms(now) {
            Some(delay_ms) if now + delay_ms < answered_ms => {
                self.agenda.push(now + delay_ms, entry | HEDGE);
            }
            _ => self.agenda.push(answered_ms, entry),
        }
        if load.is_some() {
            self.plan_next(now);
        }
    }

    /// How long after an attempt its hedge starts.
    fn delay_ms(&mut self, now: f64) -> Option<f64> {
        match self.options.hedge?.delay {
            HedgeDelay::Fixed(ms) => Some(ms),
            HedgeDelay::Learned(quantile) => self.latency.delay_ms(now, quantile),
        }
    }

    /// A hedge starts if there is a token for it.
    fn hedge(&mut self, now: f64, entry: u32) {
        let request = self.requests[entry as usize];
        let mut ends_ms = request.answered_ms;
        if self.takes_token() {
            self.totals.hedges += 1;
            let server = self.options.load.map_or(0, |ServerLoad { servers, .. }| {
                (request.server + 1 + self.routes.below(servers - 1)) % servers
            });
            let service_ms = self.options.service.draw(&mut self.hedges);
            let answered_ms = self.answered(now, server, service_ms);
            if answered_ms < ends_ms {
                self.requests[entry as usize].is_hedge_faster = true;
                ends_ms = answered_ms;
            }
        } else {
            self.totals.rejected += 1;
        }
        self.agenda.push(ends_ms, entry);
    }

    fn takes_token(&mut self) -> bool {
        let is_bounded = |hedge: HedgeRule| hedge.max_ratio < f64::INFINITY;
        !self.options.hedge.is_some_and(is_bounded) || self.budget.take(CAPACITY, TOKEN)
    }

    /// A request has its answer.
    fn end(&mut self, now: f64, entry: u32) {
        let request = self.requests[entry as usize];
        self.free.push(entry);
        self.totals.requests += 1;
        self.totals.won += u64::from(request.is_hedge_faster);
        let ms = now - request.started_ms;
        self.tail.record(ms);
        if let Some(hedge) = self.options.hedge {
            // An attempt that was superseded is recorded, too, with the time that it had run: without those, most slow
            // attempts would be missing, and the delay would become ever shorter.
            self.latency.record(now, ms);
            self.budget.credit(thousandths(hedge.max_ratio));
        }
        if self.options.load.is_none() {
            self.plan_next(now);
        }
    }
}

impl Simulation for Hedging {
    fn step(&mut self, max_events: u64) -> Progress {
        let mut left = max_events;
        while let Some((now, event)) = self.agenda.next(&mut left) {
            if event == NEXT {
                self.start(now);
            } else if event & HEDGE == 0 {
                self.end(now, event);
            } else {
                self.hedge(now, event & !HEDGE);
            }
        }
        self.agenda
            .progress_of(self.totals.requests, self.options.requests)
    }
}
