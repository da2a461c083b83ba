//! The figure of "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015): N clients compete
//! for one row.
//!
//! All start at once. One try is four messages: read, its answer (with the row's version as of the
//! read's arrival), write, its answer. Each takes |Normal(mean, sd)| ms; the server takes no time. A
//! write whose version still matches raises it and succeeds, and that client is done. Any other
//! client waits by its policy and reads again.

use rejitter::internals::{Waits, getters};
use rejitter::{Backoff, Jitter, OptionErrors, RetryOptions, RetryPolicy, Seed, UNLIMITED};

use super::check::{Check, INTEGER, UP_TO_1E6_MS};
use super::clients::Rules;
use super::options::options;
use super::statistics::count_one;
use super::{EventQueue, Noise, Normal, Progress, Simulation, Summary, summary};

/// The five lines of the figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Strategy {
    /// No backoff: try again at once.
    None,
    /// Exponential backoff without jitter.
    Exponential,
    /// Exponential backoff, equal jitter.
    Equal,
    /// Exponential backoff, full jitter.
    Full,
    /// Decorrelated jitter.
    Decorrelated,
}

impl Strategy {
    /// All five, in the order of the reference table.
    pub const ALL: [Self; 5] = [
        Self::None,
        Self::Exponential,
        Self::Equal,
        Self::Full,
        Self::Decorrelated,
    ];

    /// The figure's policy (there: base 5 ms, cap 2000 ms), without a limit of attempts.
    ///
    /// Its clients raise the attempt counter before they compute the backoff `base·2^attempt`, so
    /// that the first ceiling is 2·base where this crate's exponential curve starts at base.
    /// Decorrelated jitter starts from base in both.
    ///
    /// # Errors
    /// If the base or the cap is not a valid number of milliseconds, or the cap is below the base.
    pub fn policy(self, base_ms: f64, cap_ms: f64) -> Result<RetryPolicy, OptionErrors> {
        let options = RetryOptions {
            base_ms: Some(base_ms),
            cap_ms: Some(cap_ms),
            max_attempts: Some(UNLIMITED),
            ..RetryOptions::default()
        };
        // Errors name the numbers that the caller passed.
        let _ = RetryPolicy::from_options(options)?;
        let exponential = |jitter| RetryOptions {
            jitter,
            base_ms: Some((2.0 * base_ms).min(cap_ms)),
            ..options
        };
        RetryPolicy::from_options(match self {
            Self::None => RetryOptions {
                backoff: Backoff::Fixed,
                base_ms: Some(0.0),
                ..exponential(Jitter::None)
            },
            Self::Exponential => exponential(Jitter::None),
            Self::Equal => exponential(Jitter::Equal),
            Self::Full => exponential(Jitter::Full),
            Self::Decorrelated => RetryOptions {
                jitter: Jitter::Decorrelated,
                ..options
            },
        })
    }
}

options! { clients
    /// Options of [`Contention`]. The defaults are the figure's settings, for a policy (see [`Strategy::policy`]).
    ContentionOptions:

    /// Number of competing clients. Between 1 and 100,000. Defaults to 100.
    clients: u32 = 100 => [1.0, 1e5, "an integer between 1 and 100,000"],
    /// The mean of a message's time, in ms. Between 0 and 10^6. Defaults to 10.
    hop_mean_ms: f64 = 10.0 => [0.0, 1e6, UP_TO_1E6_MS],
    /// Its standard deviation, in ms, before negative times are turned positive. Between 0 and 10^6.
    /// Defaults to 2.
    hop_sd_ms: f64 = 2.0 => [0.0, 1e6, UP_TO_1E6_MS],
    /// Number of runs, each with other draws. Between 1 and 10^6. Defaults to 100.
    runs: u32 = 100 => [1.0, 1e6, INTEGER],
}

/// Clients that compete for one row. See the [module](super).
#[derive(Debug, Clone)]
pub struct Contention {
    options: ContentionOptions,
    rules: Rules,
    normal: Normal,
    noise: Noise,
    queue: EventQueue,
    clients: Vec<Client>,
    events: u64,
    /// The run that is in progress, or the number of runs at the end.
    run: u32,
    row_version: u32,
    /// Events of the current run.
    current: Run,
    calls: Vec<u32>,
    times_ms: Vec<f64>,
    give_ups: Vec<u32>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Client {
    waits: Waits,
    version: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct Run {
    calls: u32,
    time_ms: f64,
    give_ups: u32,
}

/// An event is a message's arrival at the server: the client's number, and this bit for a write.
/// (Answers change nothing at the server, so the client's next message is known with them.)
const WRITE: u32 = 1 << 31;

impl Contention {
    /// # Errors
    /// Lists every invalid option.
    pub fn new(options: ContentionOptions) -> Result<Self, OptionErrors> {
        options.check()?;
        let mut simulation = Self {
            rules: options.rules(),
            normal: Normal::new(),
            noise: Noise::new(options.seed, 0),
            queue: EventQueue::new(),
            clients: Vec::new(),
            events: 0,
            run: 0,
            row_version: 0,
            current: Run::default(),
            calls: Vec::new(),
            times_ms: Vec::new(),
            give_ups: Vec::new(),
            options,
        };
        simulation.start();
        Ok(simulation)
    }

    getters! {
        /// The writes that reached the server, in each finished run.
        calls: &[u32],
        /// When the last successful write's answer arrived, in each finished run, in ms; 0 if none.
        times_ms: &[f64],
        /// The clients that gave up, in each finished run.
        give_ups: &[u32],
    }

    /// The calls of the finished runs.
    #[must_use]
    pub fn calls_summary(&self) -> Summary {
        summary(self.calls.iter().map(|calls| f64::from(*calls)))
    }

    /// The times of the finished runs.
    #[must_use]
    pub fn time_summary(&self) -> Summary {
        summary(self.times_ms.iter().copied())
    }

    fn start(&mut self) {
        self.noise = Noise::new(self.options.seed, u64::from(self.run));
        self.queue.clear();
        self.clients.clear();
        self.clients
            .resize(self.options.clients as usize, Client::default());
        self.row_version = 0;
        self.current = Run::default();
        for client in 0..self.options.clients {
            let read = self.hop_ms();
            self.queue.push(read, client);
        }
    }

    fn end(&mut self) {
        self.calls.push(self.current.calls);
        self.times_ms.push(self.current.time_ms);
        self.give_ups.push(self.current.give_ups);
        self.run += 1;
    }

    #[inline]
    fn hop_ms(&mut self) -> f64 {
        let z = self.normal.draw(&mut self.noise);
        (self.options.hop_mean_ms + self.options.hop_sd_ms * z).abs()
    }

    fn handle(&mut self, now: f64, event: u32) {
        let number = event & !WRITE;
        let Some(client) = self.clients.get_mut(number as usize) else {
            return;
        };
        if event & WRITE == 0 {
            client.version = self.row_version;
            let write = now + self.hop_ms() + self.hop_ms();
            self.queue.push(write, number | WRITE);
            return;
        }
        count_one(&mut self.current.calls);
        let matches = client.version == self.row_version;
        let answered = now + self.hop_ms();
        if matches {
            self.row_version += 1;
            self.current.time_ms = self.current.time_ms.max(answered);
            return;
        }
        // Runs are as many operations of one seeded policy.
        let operation = u64::from(self.run) * u64::from(self.options.clients) + u64::from(number);
        let client = &mut self.clients[number as usize];
        let failure = client.waits.failure();
        let wait = self.rules.wait_ms(&mut client.waits, operation, failure);
        match wait {
            Some(wait) => {
                let read = answered + wait + self.hop_ms();
                self.queue.push(read, number);
            }
            None => self.current.give_ups += 1,
        }
    }
}

impl Simulation for Contention {
    fn step(&mut self, max_events: u64) -> Progress {
        let mut left = max_events;
        while left > 0 && self.run < self.options.runs {
            let Some((now, event)) = self.queue.pop() else {
                self.end();
                if self.run < self.options.runs {
                    self.start();
                }
                continue;
            };
            left -= 1;
            self.handle(now, event);
        }
        self.events += max_events - left;
        Progress {
            events: self.events,
            share: f64::from(self.run) / f64::from(self.options.runs),
            done: self.run == self.options.runs,
        }
    }
}
