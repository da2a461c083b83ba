// The oracle: follows the record of a schedule, keeps the machines' state, and objects where an operation
// did something else than the design makes of that state.

import { Hedging } from './hedges.mjs';
import { Breaker, Budget, Cooldown } from './machines.mjs';
import { Following } from './following.mjs';
import { objectionsToNumbers } from './numbers.mjs';
import { Objection } from './reading.mjs';

/** @returns {{ rule: string, text: string }[]} the first objection, if there is one */
export function objectionsTo(world, pkg) {
  try {
    new Oracle(world, pkg).follow();
  } catch (thrown) {
    // Something that is read here cannot be read: not what a sound package gives.
    return [{ rule: thrown instanceof Objection ? thrown.rule : 'identity', text: thrown.message }];
  }
  return [];
}

class Oracle {
  constructor(world, pkg) {
    this.world = world;
    this.pkg = pkg;
    /** @type {Map<string, { budget?: Budget, breaker?: Breaker, cooldown?: Cooldown, hedge?: Hedging,
     * isFailure?: boolean, stale: boolean }>} */
    this.states = new Map();
    /** @type {Following[]} */
    this.followings = [];
    /** Operations that owe something in this macrotask. @type {Set<Following>} */
    this.owing = new Set();
    /** Operations that wait for their turn to decide, in the order of that. @type {Following[]} */
    this.pausing = [];
    /** The package's timers that are armed, with their operations. @type {Map<number, Following>} */
    this.timers = new Map();
  }

  follow() {
    let turn = 0;
    for (const entry of this.world.log) {
      if (entry.turn !== turn) {
        this.paid();
        turn = entry.turn;
      }
      this.take(entry);
    }
    this.paid();
    this.over();
  }

  take(entry) {
    switch (entry.kind) {
      case 'made':
        this.state(entry.protection, undefined, entry.t);
        return;
      case 'status':
        this.paid();
        objectionsToNumbers(this.state(entry.protection, entry.key, entry.t, false), entry);
        return;
      case 'byHand': {
        const { breaker } = this.state(entry.protection, entry.key, entry.t);
        if (entry.close) {
          breaker.close(entry.t);
          breaker.opens = 0;
        } else breaker.openFor(entry.t, entry.open ?? Infinity);
        return;
      }
      case 'abort':
        for (const each of this.followings)
          if (each.operation.signals.some(({ name }) => name === entry.signal)) this.hand(each, entry);
        return;
      case 'call': {
        const operation = this.world.operations[entry.op];
        // One that was aborted before has used no state.
        const free = entry.aborted || operation.plan.via === 'off' || operation.policy.of === undefined;
        const state = free ? {} : this.state(operation.policy.of, operation.plan.key, entry.t);
        const following = new Following(this, operation, state, entry);
        this.followings[entry.op] = following;
        this.owes(following);
        return;
      }
      case 'clear':
        this.timers.delete(entry.id);
        return;
      case 'fire': {
        const following = this.timers.get(entry.id);
        this.timers.delete(entry.id);
        if (following) this.hand(following, entry);
        return;
      }
      default:
        if (entry.op < 0) return;
        if (entry.kind === 'arm') this.timers.set(entry.id, this.followings[entry.op]);
        this.hand(this.followings[entry.op], entry);
    }
  }

  hand(following, entry) {
    following.take(entry);
    this.owes(following);
  }

  /** An entry shows that an operation has decided: so have those that paused before. */
  goOn(following, entry) {
    for (const each of this.pausing.splice(0, this.pausing.indexOf(following) + 1)) {
      each.goOn(entry);
      this.owes(each);
    }
  }

  owes(following) {
    if (following.owes) this.owing.add(following);
    else this.owing.delete(following);
  }

  /** At the end of a macrotask no operation owes anything. */
  paid() {
    for (const following of this.owing) following.overdue();
  }

  /** The state of a key, made where it is first used. To read the numbers of one that is not made keeps none. */
  state(protection, key, now, keeps = true) {
    const name = `${protection} ${key ?? ''}`;
    let state = this.states.get(name);
    if (state === undefined) {
      const { budget, breaker, cooldown, hedge, isFailure } = this.world.schedule.protections[protection];
      state = {
        name,
        budget: budget && new Budget(budget),
        breaker: breaker && new Breaker(breaker, now),
        cooldown: cooldown && new Cooldown(cooldown),
        hedge: hedge && new Hedging(hedge, now),
        isFailure,
        /** Whether an outcome of an old generation was the last that the breaker heard. */
        stale: false,
      };
      if (keeps) this.states.set(name, state);
    }
    return state;
  }

  /** Everything has ended: nothing waits, and after traffic and time every breaker is closed. */
  over() {
    for (const following of this.followings) following.over();
    if (this.timers.size > 0 && !this.world.leftWaiting)
      throw new Objection('leftovers', `${this.timers.size} timers are left`);
    if (!this.world.schedule.afterwards) return;
    for (const entry of this.world.log.slice(-200)) {
      const { breaker } = entry.kind === 'status' && entry.turn === this.world.turn ? entry.numbers : {};
      if (breaker !== undefined && breaker.state !== 'closed')
        throw new Objection('recovery', `after traffic and time the breaker is ${breaker.state}`);
    }
  }
}
