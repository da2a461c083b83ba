//! Which step runs next: one whose needs have succeeded, within the machine's cores and shared rooms.

use crate::plan::Plan;

/// A resource that a limited number of steps may use at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    pub name: &'static str,
    pub places: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Waiting,
    Running,
    Succeeded,
    Failed,
}

/// The order in which steps start if they can: before others those that begin the longest chain of steps.
pub fn order(steps: &[&Plan]) -> Vec<usize> {
    let chains: Vec<u32> = steps.iter().map(|step| chain(steps, step)).collect();
    let mut order: Vec<usize> = (0..steps.len()).collect();
    order.sort_by_key(|&step| std::cmp::Reverse(chains[step]));
    order
}

/// The seconds of a step and of those that wait for it.
fn chain(steps: &[&Plan], first: &Plan) -> u32 {
    let waits = |step: &&&Plan| step.after.contains(&first.name.as_str());
    let next = steps.iter().filter(waits).map(|step| chain(steps, step));
    // A second for each that has none: of two short ones, that which others wait for starts first.
    first.seconds.max(1) + next.max().unwrap_or(0)
}

/// The step to start now, if at most `jobs` may run at once.
pub fn next(steps: &[&Plan], order: &[usize], states: &[State], jobs: usize) -> Option<usize> {
    let running = |room: Option<Room>| {
        let runs = |(step, state): &(&&Plan, &State)| {
            **state == State::Running && (room.is_none() || step.room == room)
        };
        steps.iter().zip(states).filter(runs).count()
    };
    if running(None) >= jobs.max(1) {
        return None;
    }
    order.iter().copied().find(|&step| {
        let room = steps[step].room;
        let ready = |needed: usize| states[needed] == State::Succeeded;
        states[step] == State::Waiting
            && needs(steps, step).all(ready)
            && room.is_none_or(|room| running(Some(room)) < room.places)
    })
}

/// A step that waits for one that failed, and which one.
pub fn blocked(steps: &[&Plan], states: &[State]) -> Option<(usize, usize)> {
    let waiting = (0..steps.len()).filter(|&step| states[step] == State::Waiting);
    waiting
        .flat_map(|step| needs(steps, step).map(move |needed| (step, needed)))
        .find(|&(_, needed)| states[needed] == State::Failed)
}

/// Those of `steps` that a step names in `after`.
fn needs(steps: &[&Plan], step: usize) -> impl Iterator<Item = usize> {
    let after = &steps[step].after;
    (0..steps.len()).filter(move |&other| after.contains(&steps[other].name.as_str()))
}

#[cfg(test)]
mod tests {
    use super::State::{Failed, Running, Succeeded, Waiting};
    use super::*;

    const KITCHEN: Room = Room {
        name: "kitchen",
        places: 1,
    };

    fn step(name: &str, after: &[&'static str], seconds: u32) -> Plan {
        let mut plan = Plan::check(name, after, |_| Vec::new());
        plan.seconds = seconds;
        plan
    }

    #[test]
    fn the_longest_chain_starts_first() {
        let plans = [
            step("short", &[], 0),
            step("a", &[], 0),
            step("long", &[], 9),
            step("z", &["a"], 9),
        ];
        assert_eq!(order(&plans.each_ref()), [1, 2, 3, 0]);
    }

    #[test]
    fn needs_rooms_and_jobs_are_kept() {
        let [first, second] = ["first", "second"].map(|name| step(name, &[], 0).room(KITCHEN));
        let plans = [
            first,
            second,
            step("third", &["first"], 0),
            step("fourth", &[], 0),
        ];
        let next = |states: [State; 4], jobs| next(&plans.each_ref(), &[0, 1, 2, 3], &states, jobs);
        assert_eq!(next([Waiting; 4], 2), Some(0));
        assert_eq!(next([Running, Waiting, Waiting, Waiting], 2), Some(3));
        assert_eq!(next([Running, Waiting, Waiting, Waiting], 1), None);
        assert_eq!(next([Running, Waiting, Waiting, Running], 2), None);
        assert_eq!(next([Succeeded, Running, Waiting, Running], 3), Some(2));
        let blocked = |states: [State; 4]| blocked(&plans.each_ref(), &states);
        assert_eq!(blocked([Failed, Running, Waiting, Waiting]), Some((2, 0)));
        assert_eq!(blocked([Running, Failed, Waiting, Waiting]), None);
    }
}
