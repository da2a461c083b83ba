//! Load over time, with open or closed arrivals: does it ever recover from an outage?
//!
//! One server works off requests in their order, each for 1/capacity. During the outage it stands
//! still and requests queue. A client that has waited for its time limit gives the attempt up; the
//! server does not know, and does that work for nothing: that is what lets an overload feed itself
//! ("metastable failures", Bronson et al. 2021).

use rejitter::OptionErrors;
use rejitter::internals::protection::{Change, Phase};
use rejitter::internals::{Waits, getters};

use super::agenda::Agenda;
use super::check::bin_of;
use super::clients::Rules;
use super::protection::{Guard, Stop, Ticket};
use super::statistics::count_one;
use super::{Noise, Progress, Simulation};

mod options;
mod result;

pub use options::{Arrivals, LoadOptions};
pub use result::{LoadBins, LoadPhases, LoadTotals};

/// Load over time. See [`LoadOptions`].
#[derive(Debug, Clone)]
pub struct Load {
    options: LoadOptions,
    rules: Rules,
    noise: Noise,
    agenda: Agenda,
    /// One for each process.
    guards: Vec<Guard>,
    /// Lengths of openings.
    openings: Noise,
    /// Processes of requests.
    origins: Noise,
    /// Answers that are failures.
    faults: Noise,
    requests: Vec<Request>,
    /// Entries of `requests` that are free again.
    free: Vec<u32>,
    /// When the server will have worked off what it has.
    busy_until_ms: f64,
    bins: LoadBins,
    phases: LoadPhases,
    totals: LoadTotals,
    last_timeout_ms: f64,
    last_rejection_ms: f64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Request {
    waits: Waits,
    number: u64,
    process: u32,
    in_time: bool,
    /// Whether the answer is a failure.
    faulty: bool,
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
            rules: options.rules(),
            noise: Noise::new(options.seed, 0),
            agenda: Agenda::new(options.horizon_ms),
            guards: vec![Guard::new(&options.protection); options.processes as usize],
            openings: Noise::new(options.seed, 1),
            origins: Noise::new(options.seed, 2),
            faults: Noise::new(options.seed, 3),
            requests: Vec::new(),
            free: Vec::new(),
            busy_until_ms: 0.0,
            bins: LoadBins {
                requests: zeros(),
                retries: zeros(),
                successes: zeros(),
                timeouts: zeros(),
                failures: zeros(),
                rejected_by_breaker: zeros(),
                rejected_by_budget: zeros(),
                response_ms: vec![f64::NAN; bins],
            },
            phases: LoadPhases::default(),
            totals: LoadTotals::default(),
            last_timeout_ms: 0.0,
            last_rejection_ms: 0.0,
            options,
        };
        match load.options.arrivals {
            Arrivals::Regular { .. } => load.agenda.push(0.0, NEXT),
            Arrivals::Poisson { per_s } => {
                let first = load.noise.exponential() * 1_000.0 / per_s;
                load.agenda.push(first, NEXT);
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

    getters! {
        /// Returns the counts by time.
        bins: &LoadBins,
        /// Returns the changes of breakers.
        phases: &LoadPhases,
        /// Returns the sums so far.
        totals: LoadTotals,
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
        self.over_since(self.last_rejection_ms)
    }

    fn over_since(&self, last_ms: f64) -> Option<f64> {
        let end = self.options.down_from_ms + self.options.down_ms;
        let horizon = self.options.horizon_ms;
        let is_over = self.agenda.over && end < horizon && last_ms < 0.9 * horizon;
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
            self.agenda.push(time, entry);
        } else if let Ok(entry) = u32::try_from(self.requests.len()) {
            // At most 10^7 requests are started, so that no entry looks like another event.
            self.requests.push(request);
            self.agenda.push(time, entry);
        }
    }

    /// The process of the next request.
    fn origin(&mut self) -> u32 {
        if self.options.processes == 1 {
            return 0;
        }
        self.origins.below(self.options.processes)
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
        self.agenda.push(now + pause, NEXT);
    }

    /// An attempt starts: it reaches the server, or is rejected. The order of service is that of arrival, so
    /// its end is known.
    fn begin(&mut self, now: f64, entry: u32) {
        let bin = bin_of(now, self.options.bin_ms);
        let request = &mut self.requests[entry as usize];
        let guard = &mut self.guards[request.process as usize];
        let before = guard.phase();
        let first = request.waits.attempt() == 1;
        let admitted = guard.admits(now, first, &mut request.ticket);
        if guard.phase() != before {
            let closed = guard.phase() == Phase::Closed;
            let phase = if closed {
                LoadPhases::CLOSED
            } else {
                LoadPhases::HALF_OPEN
            };
            self.phases.add(now, request.process, phase);
        }
        if !admitted {
            self.refuse(now, bin);
            self.give_up(now, entry);
            return;
        }
        if first {
            count_one(&mut self.bins.requests[bin]);
            guard.requested();
        } else {
            count_one(&mut self.bins.retries[bin]);
        }
        let answered = self.answered(now);
        let timeout = self.options.timeout_ms;
        let request = &mut self.requests[entry as usize];
        request.in_time = answered - now <= timeout;
        request.faulty = self.faults.uniform() < self.options.failure_share;
        let known = if request.in_time {
            answered
        } else {
            now + timeout
        };
        self.bins.response_ms[bin] = answered - now;
        self.agenda.push(known, entry | END);
    }

    /// When the server has worked off an attempt that arrives now.
    fn answered(&mut self, now: f64) -> f64 {
        let down = self.options.down_from_ms;
        let up = down + self.options.down_ms;
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

    /// An attempt ends for its client: answered, perhaps with a failure, or out of time.
    fn end(&mut self, now: f64, entry: u32) {
        let bin = bin_of(now, self.options.bin_ms);
        let request = &mut self.requests[entry as usize];
        let guard = &mut self.guards[request.process as usize];
        if request.in_time && !request.faulty {
            count_one(&mut self.bins.successes[bin]);
            self.totals.successes += 1;
            if guard.succeeded(now, &request.ticket) == Change::Closed {
                self.phases.add(now, request.process, LoadPhases::CLOSED);
            }
            self.leave(now, entry);
            return;
        }
        if request.in_time {
            count_one(&mut self.bins.failures[bin]);
        } else {
            count_one(&mut self.bins.timeouts[bin]);
            self.last_timeout_ms = now;
        }
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
        let failure = request.waits.failure();
        let wait = self.rules.wait_ms(&mut request.waits, number, failure);
        match wait.map(|wait| (wait, guard.retries(now, wait, &mut request.ticket))) {
            Some((wait, Ok(()))) => {
                self.totals.retries += 1;
                self.agenda.push(now + wait, entry);
                return;
            }
            Some((_, Err(Stop::Breaker))) => self.refuse(now, bin),
            Some((_, Err(Stop::Budget))) => {
                count_one(&mut self.bins.rejected_by_budget[bin]);
                self.totals.rejected_by_budget += 1;
            }
            None => {}
        }
        self.give_up(now, entry);
    }

    /// A breaker rejects an attempt.
    fn refuse(&mut self, now: f64, bin: usize) {
        count_one(&mut self.bins.rejected_by_breaker[bin]);
        self.totals.rejected_by_breaker += 1;
        self.last_rejection_ms = now;
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
        while let Some((now, event)) = self.agenda.next(&mut left) {
            if event == NEXT {
                self.next_request(now);
            } else if event & END == 0 {
                self.begin(now, event);
            } else {
                self.end(now, event & !END);
            }
        }
        let share = self.agenda.now_ms / self.options.horizon_ms;
        self.agenda.progress(share)
    }
}
