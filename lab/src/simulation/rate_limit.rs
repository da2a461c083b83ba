//! A server that answers "too many requests": does each worker learn it by itself, or one for all?

use rejitter::decide::{Failure, Hint};
use rejitter::internals::protection::{Cooldown, Limiter, Rate};
use rejitter::internals::{Waits, getters};
use rejitter::{OptionErrors, RetryPolicy, Seed};

use super::agenda::Agenda;
use super::check::{ABOVE_0, Check, INTEGER, POSITIVE_MS, is_no_time};
use super::clients::Rules;
use super::options::options;
use super::set::Set;
use super::{Bins, Noise, Progress, Simulation};

/// Whether the workers follow the time that the server asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum RateHints {
    /// Nothing: the policy's waits alone.
    Ignored,
    /// The worker that was rejected waits as long as the server asks it to.
    Followed,
    /// So do all others, by a cooldown of `rejitter/protection` that they share.
    Shared {
        /// Longest hold of an attempt, in ms: a job that would be held longer fails. Non-negative or infinite. The
        /// part's default is the policy's `max_retry_after`, 60,000.
        max_hold_ms: f64,
        /// Whether one first attempt passes each hold, and who was held is not held again. The part's default is true.
        probe: bool,
    },
}

impl Set for RateHints {}

options! { "limiter."
    /// The rate of a limiter of `rejitter/protection`. Attempts queue for it, in the order of their jobs. A rejection
    /// stops all starts of its process for as long as the server asks for.
    RateLimiter:

    /// Number of attempts that start in each `per_ms`, on average. Positive. Defaults to infinite.
    limit: f64 = f64::INFINITY => [ABOVE_0, f64::INFINITY, "a positive number"],
    /// The time that `limit` is for. Positive, at most 10^9. Defaults to 1,000.
    per_ms: f64 = 1_000.0 => [ABOVE_0, 1e9, POSITIVE_MS],
    /// Number of attempts that may start at once after a pause. At most `limit` or 1. Between 1 and 10^9. Defaults
    /// to 1.
    burst: u32 = 1 => check_burst,
}

impl RateLimiter {
    fn check_burst(&self, check: &mut Check) {
        let burst = f64::from(self.burst);
        let rule = "an integer between 1 and 10^9";
        check.range("limiter.burst", Some(burst), (1.0, 1e9, rule));
        let allowed = burst <= self.limit.max(1.0);
        check.require("limiter.burst", Some(burst), "at most limit", allowed);
    }

    fn rate(&self) -> Rate {
        Rate::new(self.limit, self.per_ms, f64::from(self.burst))
    }
}

options! { clients
    /// Options of [`RateLimit`]. Times are in ms.
    RateLimitOptions:

    /// Number of jobs, which all wait at the start. Between 1 and 10^6. Defaults to 1,000.
    jobs: u32 = 1_000 => [1.0, 1e6, INTEGER],
    /// Number of workers, each of which does one job after the other. Between 1 and 10^5. Defaults to 50.
    workers: u32 = 50 => [1.0, 1e5, "an integer between 1 and 10^5"],
    /// Number of processes that the workers are divided among, each with a protection of its own. Between 1 and 1000.
    /// Defaults to 1.
    processes: u32 = 1 => [1.0, 1e3, "an integer between 1 and 1000"],
    /// Requests that the server accepts in each window. Between 1 and 10^9. Defaults to 100.
    limit: u32 = 100 => [1.0, 1e9, "an integer between 1 and 10^9"],
    /// Length of a window. The first starts with the simulation. Positive, at most 10^9. Defaults to 10,000.
    window_ms: f64 = 10_000.0 => [ABOVE_0, 1e9, POSITIVE_MS],
    /// Time from a request to its answer; it reaches the server halfway. Positive, at most 10^6. Defaults to 50.
    latency_ms: f64 = 50.0 => check_latency,
    /// Whether the workers follow the hints of the server. Defaults to [`RateHints::Followed`].
    hints: RateHints = RateHints::Followed => check_hints,
    /// The limiter of each process. Defaults to none. Beside a cooldown, the attempts of its queue are not held: the
    /// cooldown then only rejects those that would wait too long.
    limiter: Option<RateLimiter> = None => check_limiter,
    /// Time at which the simulation ends, even if jobs are left. Positive, at most 10^9 and 10^6 bins. Defaults to
    /// 600,000.
    horizon_ms: f64 = 600_000.0 => [ABOVE_0, 1e9, POSITIVE_MS],
    /// Width of a time bin. Positive. Defaults to 1000.
    bin_ms: f64 = 1_000.0 => [bins 1e9],
}

impl RateLimitOptions {
    fn check_latency(&self, check: &mut Check) {
        let (latency, horizon) = (self.latency_ms, self.horizon_ms);
        let stands_still = (ABOVE_0..=1e9).contains(&horizon) && is_no_time(latency, horizon);
        check.require(
            "latency_ms",
            Some(latency),
            "above 0, at most 10^6 milliseconds and more than a 10^15th of horizon_ms",
            (ABOVE_0..=1e6).contains(&latency) && !stands_still,
        );
    }

    fn check_hints(&self, check: &mut Check) {
        if let RateHints::Shared { max_hold_ms, .. } = self.hints {
            let rule = "a non-negative number of milliseconds or infinity";
            let range = (0.0, f64::INFINITY, rule);
            check.range("cooldown.max_hold_ms", Some(max_hold_ms), range);
        }
    }

    fn check_limiter(&self, check: &mut Check) {
        if let Some(limiter) = &self.limiter {
            limiter.check_all(check);
        }
    }
}

/// Sums since the start.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct RateLimitTotals {
    /// Requests that reached the server.
    pub requests: u64,
    /// Those of them that it rejected.
    pub rejected: u64,
    /// Jobs that succeeded.
    pub done: u64,
    /// Jobs that failed because their attempts were used up, or the server asked for too long a wait.
    pub failed: u64,
    /// Jobs that failed because the cooldown would have held them too long.
    pub rejected_by_cooldown: u64,
    /// When the last job so far ended, in ms.
    pub end_ms: f64,
}

/// Workers and a server with a limit of requests per window. See [`RateLimitOptions`].
///
/// Rejections state how long the window still lasts, in whole seconds, rounded up, as `Retry-After` does.
#[derive(Debug, Clone)]
pub struct RateLimit {
    options: RateLimitOptions,
    rules: Rules,
    agenda: Agenda,
    noise: Noise,
    /// The job of each worker.
    workers: Vec<Job>,
    begun: u32,
    processes: Vec<Process>,
    /// The rate of their limiters.
    rate: Option<Rate>,
    /// Number of the present window, and what was accepted in it.
    window: f64,
    accepted: u32,
    bins: Bins,
    totals: RateLimitTotals,
}

/// The protection that the workers of one process share.
#[derive(Debug, Clone)]
struct Process {
    cooldown: Cooldown,
    /// Attempts that the cooldown holds.
    held: u32,
    limiter: Limiter,
    /// Jobs of which an attempt waits for the limiter, with their workers. The first job is the last entry.
    queue: Vec<(u32, u32)>,
    /// The limiter's timer is armed.
    is_armed: bool,
}

impl Process {
    fn new() -> Self {
        Self {
            cooldown: Cooldown::new(),
            held: 0,
            limiter: Limiter::new(),
            queue: Vec::new(),
            is_armed: false,
        }
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Job {
    number: u32,
    waits: Waits,
    step: Step,
    /// Wait that the server asked for, in ms; 0 if it accepted.
    hint_ms: f64,
    /// End of the hold during which the request was sent, 0 without one.
    hold: f64,
    /// Its first request was rejected.
    retries: bool,
}

/// The worker's next event.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum Step {
    /// The attempt may start.
    #[default]
    Begin,
    /// The same, after a hold.
    Resume,
    Arrive,
    Answer,
}

/// Attempts that a cooldown holds at a time.
const MOST_HELD: u32 = 1_000;

impl RateLimit {
    /// # Errors
    /// Lists every invalid option.
    pub fn new(options: RateLimitOptions) -> Result<Self, OptionErrors> {
        options.check()?;
        let mut made = Self {
            rules: options.rules(),
            agenda: Agenda::new(options.horizon_ms),
            noise: Noise::new(options.seed, 0),
            workers: vec![Job::default(); options.workers as usize],
            begun: 0,
            processes: vec![Process::new(); options.processes as usize],
            rate: options.limiter.as_ref().map(RateLimiter::rate),
            window: 0.0,
            accepted: 0,
            bins: Bins::new(options.bin_ms),
            totals: RateLimitTotals::default(),
            options,
        };
        for worker in 0..made.options.workers {
            made.take_job(0.0, worker);
        }
        Ok(made)
    }

    getters! {
        /// Requests at the server, by time.
        bins: &Bins,
        /// Returns the sums so far.
        totals: RateLimitTotals,
    }

    fn take_job(&mut self, now: f64, worker: u32) {
        if self.begun < self.options.jobs {
            self.workers[worker as usize] = Job {
                number: self.begun,
                ..Job::default()
            };
            self.begun += 1;
            self.agenda.push(now, worker);
        }
    }

    /// Number of the process of a worker.
    fn process_of(&self, worker: u32) -> u32 {
        worker % self.options.processes
    }

    /// An attempt may start, unless the cooldown holds it, or it has to wait for the limiter.
    fn begin(&mut self, now: f64, worker: u32) {
        let number = self.process_of(worker);
        let process = &mut self.processes[number as usize];
        let job = &mut self.workers[worker as usize];
        let was_held = job.step == Step::Resume;
        process.held -= u32::from(was_held);
        job.hold = 0.0;
        if let RateHints::Shared { max_hold_ms, probe } = self.options.hints {
            let left_ms = process.cooldown.left_ms(now);
            if left_ms > 0.0 {
                job.hold = process.cooldown.until();
                let is_queued = self.rate.is_some();
                if probe && was_held {
                    // Held once.
                } else if probe && !is_queued && !job.retries && !process.cooldown.is_probed() {
                    process.cooldown.probe();
                } else if left_ms > max_hold_ms || process.held >= MOST_HELD {
                    self.totals.rejected_by_cooldown += 1;
                    self.end_job(now, worker);
                    return;
                } else if !is_queued {
                    job.step = Step::Resume;
                    process.held += 1;
                    let hold_ms = self.hold_ms(now, number);
                    self.agenda.push(now + hold_ms, worker);
                    return;
                }
            }
        }
        if self.rate.is_some() {
            let entry = (job.number, worker);
            let place = process.queue.partition_point(|later| *later > entry);
            process.queue.insert(place, entry);
            self.let_start(now, number, false);
        } else {
            self.send(now, worker);
        }
    }

    /// Starts what the limiter of a process lets start. `waited`: by its timer.
    fn let_start(&mut self, now: f64, number: u32, mut waited: bool) {
        let Some(rate) = self.rate else { return };
        loop {
            let process = &mut self.processes[number as usize];
            let Some(&(_, worker)) = process.queue.last() else {
                return;
            };
            let wait_ms = process.limiter.wait_ms(&rate, now, 1.0, 0.0);
            if wait_ms > 0.0 {
                if !process.is_armed {
                    process.is_armed = true;
                    self.agenda
                        .push(now + wait_ms, self.options.workers + number);
                }
                return;
            }
            let _ = process.queue.pop();
            process.limiter.start(&rate, now, 1.0, waited);
            waited = false;
            self.send(now, worker);
        }
    }

    fn send(&mut self, now: f64, worker: u32) {
        self.workers[worker as usize].step = Step::Arrive;
        self.agenda
            .push(now + self.options.latency_ms / 2.0, worker);
    }

    fn hold_ms(&mut self, now: f64, process: u32) -> f64 {
        let (base_ms, draw) = (self.options.policy.base_ms(), self.noise.uniform());
        let cooldown = &mut self.processes[process as usize].cooldown;
        cooldown.hold_ms(now, base_ms, draw)
    }

    /// A request reaches the server.
    fn arrive(&mut self, now: f64, worker: u32) {
        let window = (now / self.options.window_ms).floor();
        if window > self.window {
            (self.window, self.accepted) = (window, 0);
        }
        let is_accepted = self.accepted < self.options.limit;
        self.totals.requests += 1;
        self.bins.count(now, is_accepted);
        let job = &mut self.workers[worker as usize];
        if is_accepted {
            self.accepted += 1;
            job.hint_ms = 0.0;
        } else {
            self.totals.rejected += 1;
            let left_ms = (window + 1.0) * self.options.window_ms - now;
            job.hint_ms = (left_ms / 1_000.0).ceil().max(1.0) * 1_000.0;
        }
        job.step = Step::Answer;
        self.agenda
            .push(now + self.options.latency_ms / 2.0, worker);
    }

    /// A worker has its answer.
    fn answer(&mut self, now: f64, worker: u32) {
        let number = self.process_of(worker);
        let process = &mut self.processes[number as usize];
        let job = &mut self.workers[worker as usize];
        if job.hint_ms == 0.0 {
            if job.hold > 0.0 {
                process.cooldown.end(job.hold);
            }
            self.totals.done += 1;
            self.end_job(now, worker);
            return;
        }
        job.retries = true;
        let is_ignored = self.options.hints == RateHints::Ignored;
        let hint_ms = job.hint_ms.min(self.options.policy.max_retry_after_ms());
        let mut is_own = true;
        if matches!(self.options.hints, RateHints::Shared { .. }) {
            is_own = process.cooldown.start(now, hint_ms);
        }
        if self.rate.is_some() && !is_ignored {
            let (base_ms, draw) = (self.options.policy.base_ms(), self.noise.uniform());
            let _ = process.limiter.pause(now, hint_ms, base_ms, draw);
            // In its queue, nobody is held once more.
            is_own = true;
        }
        let failure = Failure {
            hint: if is_ignored {
                Hint::None
            } else {
                Hint::Server(job.hint_ms)
            },
            ..job.waits.failure()
        };
        let operation = u64::from(job.number);
        if let Some(mut wait_ms) = self.rules.wait_ms(&mut job.waits, operation, failure) {
            job.step = Step::Begin;
            if !is_own {
                wait_ms = wait_ms.max(self.hold_ms(now, number));
            }
            self.agenda.push(now + wait_ms, worker);
        } else {
            self.totals.failed += 1;
            self.end_job(now, worker);
        }
    }

    fn end_job(&mut self, now: f64, worker: u32) {
        self.totals.end_ms = now;
        self.take_job(now, worker);
    }
}

impl Simulation for RateLimit {
    fn step(&mut self, max_events: u64) -> Progress {
        let mut left = max_events;
        while let Some((now, worker)) = self.agenda.next(&mut left) {
            if let Some(process) = worker.checked_sub(self.options.workers) {
                self.processes[process as usize].is_armed = false;
                self.let_start(now, process, true);
                continue;
            }
            match self.workers[worker as usize].step {
                Step::Begin | Step::Resume => self.begin(now, worker),
                Step::Arrive => self.arrive(now, worker),
                Step::Answer => self.answer(now, worker),
            }
        }
        let totals = &self.totals;
        let ended = totals.done + totals.failed + totals.rejected_by_cooldown;
        self.agenda.progress_of(ended, self.options.jobs)
    }
}
