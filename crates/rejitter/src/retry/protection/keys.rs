//! The destinations of one protection, which keeps a limited number of them.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use super::cell::Cell;
use super::recipe::Recipe;

/// Destinations that a protection keeps at most.
const MOST_KEYS: usize = 1_000;
/// So many of them are looked at to forget one, because all callers wait for it.
const LOOKED_AT: usize = 8;

pub(super) struct Keys {
    recipe: Arc<Recipe>,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    /// Numbers of the latest uses.
    by_key: HashMap<Arc<str>, u64>,
    /// From the one that was used least recently.
    by_use: BTreeMap<u64, (Arc<str>, Arc<Cell>)>,
    uses: u64,
}

impl Keys {
    pub(super) fn new(recipe: Arc<Recipe>) -> Self {
        Self {
            recipe,
            kept: Mutex::default(),
        }
    }

    /// The destination of a key: the one that is kept, or a new one.
    pub(super) fn find(&self, key: &str) -> Arc<Cell> {
        self.peek(key)
            .unwrap_or_else(|| Arc::new(Cell::new(Some(key.into()), self.recipe.clone())))
    }

    /// The destination that is kept for a key, to use it. Keeps `cell` if there is none.
    pub(super) fn take(&self, key: &str, cell: &Arc<Cell>, now: f64) -> Arc<Cell> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(key).unwrap_or_else(|| {
            kept.add(key, cell, now);
            cell.clone()
        })
    }

    /// All destinations that are kept.
    pub(super) fn cells(&self) -> Vec<Arc<Cell>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.by_use.values().map(|(_, cell)| cell.clone()).collect()
    }

    /// The destination that has this key now, without a use of it.
    pub(super) fn peek(&self, key: &str) -> Option<Arc<Cell>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, cell) = kept.by_use.get(kept.by_key.get(key)?)?;
        Some(cell.clone())
    }

    /// From the one that was used least recently.
    pub(super) fn names(&self) -> Vec<String> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = kept.by_use.values();
        kept.map(|(name, _)| name.to_string()).collect()
    }
}

impl Kept {
    fn get(&mut self, key: &str) -> Option<Arc<Cell>> {
        let used = self.by_key.get_mut(key)?;
        let (name, cell) = self.by_use.remove(used)?;
        self.uses += 1;
        *used = self.uses;
        self.by_use.insert(self.uses, (name, cell.clone()));
        Some(cell)
    }

    fn add(&mut self, key: &str, cell: &Arc<Cell>, now: f64) {
        if self.by_key.len() >= MOST_KEYS {
            self.forget(now);
        }
        let name: Arc<str> = cell.key.clone().unwrap_or_else(|| Arc::from(key));
        self.uses += 1;
        self.by_key.insert(name.clone(), self.uses);
        self.by_use.insert(self.uses, (name, cell.clone()));
    }

    /// Forgets one of the destinations that were used least recently: one that is as good as a new one. Without any,
    /// one that is not open. Those in whose limiter somebody waits, or has a place, are kept.
    fn forget(&mut self, now: f64) {
        let mut other = None;
        let mut fresh = None;
        let mut oldest = None;
        for (used, (_, cell)) in self.by_use.iter().take(LOOKED_AT) {
            let (is_fresh, is_open, is_busy) =
                cell.locked(|locked| (locked.is_fresh(now), locked.is_open(), locked.is_busy()));
            if is_busy {
                continue;
            }
            oldest = oldest.or(Some(*used));
            if is_fresh {
                fresh = Some(*used);
                break;
            }
            if !is_open && other.is_none() {
                other = Some(*used);
            }
        }
        let forgotten = fresh.or(other).or(oldest);
        if let Some((name, _)) = forgotten.and_then(|used| self.by_use.remove(&used)) {
            self.by_key.remove(&name);
        }
    }
}
