//! Ethernet's slotted backoff (IEEE 802.3): stations share one channel.
//!
//! All stations have one frame of one slot to send, from slot 0 on. When two or more send in the
//! same slot, all of them collide; after its k-th collision a station skips a number of slots that
//! is drawn from 0 … 2^min(k, N) − 1 and tries again, up to its limit of attempts. The waits are
//! those of [`Jitter::Slotted`] with a slot of 1.

use crate::core::{Jitter, OptionErrors, RetryOptions, RetryPolicy, Seed, Waits};

use super::check::Check;
use super::clients::Rules;
use super::statistics::count_one;
use super::{EventQueue, Progress, Simulation};

/// Options of [`Ethernet`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EthernetOptions {
    /// Number of stations on the channel. Between 1 and 10^5. Defaults to 100.
    pub stations: u32,
    /// The attempts of each station, the first included. Between 1 and 10^9. Defaults to 16, as in the
    /// standard.
    pub max_attempts: u32,
    /// The collision from which on the range does not grow. Between 1 and 30. Defaults to 10, as in the
    /// standard.
    pub truncate_at: u32,
    /// Number of runs, each with other draws. Between 1 and 10^6. Defaults to 100.
    pub runs: u32,
    /// Where all the randomness comes from.
    pub seed: Seed,
}

impl EthernetOptions {
    /// The defaults.
    #[must_use]
    pub fn new(seed: Seed) -> Self {
        Self {
            stations: 100,
            max_attempts: 16,
            truncate_at: 10,
            runs: 100,
            seed,
        }
    }

    fn policy(&self) -> Result<RetryPolicy, OptionErrors> {
        let mut check = Check::default();
        let rule = "an integer between 1 and 100,000";
        check.range("stations", f64::from(self.stations), (1.0, 1e5), rule);
        let attempts = f64::from(self.max_attempts);
        let rule = "an integer between 1 and 10^9";
        check.range("max_attempts", attempts, (1.0, 1e9), rule);
        let rule = "an integer between 1 and 30";
        check.range(
            "truncate_at",
            f64::from(self.truncate_at),
            (1.0, 30.0),
            rule,
        );
        let rule = "an integer between 1 and 10^6";
        check.range("runs", f64::from(self.runs), (1.0, 1e6), rule);
        check.finish()?;
        RetryPolicy::from_options(RetryOptions {
            jitter: Jitter::Slotted,
            base_ms: Some(1.0),
            cap_ms: Some(f64::INFINITY),
            truncate_at: Some(self.truncate_at),
            max_attempts: Some(u64::from(self.max_attempts)),
            ..RetryOptions::default()
        })
    }
}

/// Stations that share a channel. An event is one station's attempt to send.
#[derive(Debug, Clone)]
pub struct Ethernet {
    options: EthernetOptions,
    rules: Rules,
    queue: EventQueue,
    stations: Vec<Waits>,
    /// The slot whose senders are being collected, and they.
    slot: f64,
    senders: Vec<u32>,
    events: u64,
    run: u32,
    current: Run,
    slots: Vec<f64>,
    collisions: Vec<u32>,
    dropped: Vec<u32>,
    attempts: Vec<u32>,
    used_slots: Vec<f64>,
    used_by: Vec<u32>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Run {
    slots: f64,
    collisions: u32,
    dropped: u32,
    attempts: u32,
}

/// How many used slots of the first run are kept at most.
const MAX_TRACED: usize = 1_000_000;

impl Ethernet {
    /// # Errors
    /// Lists every invalid option.
    pub fn new(options: EthernetOptions) -> Result<Self, OptionErrors> {
        let mut simulation = Self {
            rules: Rules {
                policy: options.policy()?,
                curve: Vec::new(),
                seed: options.seed,
            },
            queue: EventQueue::new(),
            stations: Vec::new(),
            slot: 0.0,
            senders: Vec::new(),
            events: 0,
            run: 0,
            current: Run::default(),
            slots: Vec::new(),
            collisions: Vec::new(),
            dropped: Vec::new(),
            attempts: Vec::new(),
            used_slots: Vec::new(),
            used_by: Vec::new(),
            options,
        };
        simulation.start();
        Ok(simulation)
    }

    /// The slots until the last frame was sent, in each finished run; 0 if none was.
    #[must_use]
    pub fn slots(&self) -> &[f64] {
        &self.slots
    }

    /// The slots in which stations collided, in each finished run.
    #[must_use]
    pub fn collisions(&self) -> &[u32] {
        &self.collisions
    }

    /// The stations that gave up, in each finished run.
    #[must_use]
    pub fn dropped(&self) -> &[u32] {
        &self.dropped
    }

    /// The attempts of all stations, in each finished run.
    #[must_use]
    pub fn attempts(&self) -> &[u32] {
        &self.attempts
    }

    /// The slots of the first run in which anyone sent, ascending, and how many did.
    #[must_use]
    pub fn first_run(&self) -> (&[f64], &[u32]) {
        (&self.used_slots, &self.used_by)
    }

    fn start(&mut self) {
        self.queue.clear();
        self.stations.clear();
        self.stations
            .resize(self.options.stations as usize, Waits::default());
        self.slot = 0.0;
        self.current = Run::default();
        for station in 0..self.options.stations {
            self.queue.push(0.0, station);
        }
    }

    fn end(&mut self) {
        self.slots.push(self.current.slots);
        self.collisions.push(self.current.collisions);
        self.dropped.push(self.current.dropped);
        self.attempts.push(self.current.attempts);
        self.run += 1;
    }

    /// All who send in this slot are known: one gets through, several collide.
    fn settle(&mut self) {
        let senders = std::mem::take(&mut self.senders);
        // The number of senders is at most that of the stations.
        let count = u32::try_from(senders.len()).unwrap_or(u32::MAX);
        if self.run == 0 && self.used_slots.len() < MAX_TRACED {
            self.used_slots.push(self.slot);
            self.used_by.push(count);
        }
        self.current.attempts = self.current.attempts.saturating_add(count);
        if count == 1 {
            self.current.slots = self.slot + 1.0;
        } else {
            count_one(&mut self.current.collisions);
            let first = u64::from(self.run) * u64::from(self.options.stations);
            for station in &senders {
                let waits = &mut self.stations[*station as usize];
                let number = first + u64::from(*station);
                match self.rules.wait_ms(waits, number, f64::INFINITY) {
                    Some(skipped) => self.queue.push(self.slot + 1.0 + skipped, *station),
                    None => self.current.dropped += 1,
                }
            }
        }
        self.senders = senders;
        self.senders.clear();
    }
}

impl Simulation for Ethernet {
    fn step(&mut self, max_events: u64) -> Progress {
        let mut left = max_events;
        while left > 0 && self.run < self.options.runs {
            let Some((slot, station)) = self.queue.pop() else {
                self.end();
                if self.run < self.options.runs {
                    self.start();
                }
                continue;
            };
            left -= 1;
            self.slot = slot;
            self.senders.push(station);
            if !self.queue.more_at_once() {
                self.settle();
            }
        }
        self.events += max_events - left;
        Progress {
            events: self.events,
            share: f64::from(self.run) / f64::from(self.options.runs),
            done: self.run == self.options.runs,
        }
    }
}
