// The budget: retries after failures take tokens, successes give some back. It never rejects a first attempt.

import { isWithin } from '../options/checks.js';
import { problemOf } from '../options/messages.js';
import { read } from '../options/reader.js';
import { SWITCH } from '../options/rules.js';
import * as machine from './machines.js';
import { range, recipe } from './part.js';

const MOST = 1e9;

const BUDGET_DEFAULTS = { capacity: 50, perSuccess: 0.1, cost: 1, refund: true };
/** The rules of `SMITHY_NEW_RETRIES_2026`. There, a retry after throttling costs less. */
const AWS_SDK_2026 = { capacity: 500, perSuccess: 1, cost: 14 };
const THROTTLED_COST = 5;

/** Tokens are counted in thousandths: whole numbers, which add up exactly. @param {number} tokens */
export const thousandths = (tokens) => Math.round(tokens * 1000);

/** @param {unknown} [options] */
export function budget(options) {
  const rules = /** @satisfies {import('../options/reader.js').Rules} */ ({
    capacity: range(0, MOST),
    perSuccess: ['number', (value) => value === 0 || isWithin(value, 0.001, 1000)],
    cost: range(0.001, MOST),
    refund: SWITCH,
    preset: ['string', (value) => value === 'awsSdk2026'],
  });
  const given = read(options, rules, 'budget');
  const all = { ...BUDGET_DEFAULTS, ...(given.preset && AWS_SDK_2026), ...given };
  const amounts = {
    capacity: thousandths(all.capacity),
    perSuccess: thousandths(all.perSuccess),
    cost: thousandths(all.cost),
    throttledCost: thousandths(given.preset && !given.cost ? THROTTLED_COST : all.cost),
    refund: all.refund,
  };
  if (amounts.cost > amounts.capacity && all.capacity > 0)
    throw problemOf('cost', all.cost, ['number', 'mostCost', all.capacity]);
  return recipe('budget', all, (_, teller) => new Budget(amounts, teller));
}

/** @typedef {Record<'capacity' | 'perSuccess' | 'cost' | 'throttledCost', number> & { refund: boolean }} Amounts */

/** The budget of one destination. All those of a recipe share the amounts, in thousandths of tokens. */
export class Budget {
  #options;
  #teller;
  #state;
  /** Whether a retry was rejected since it was full the last time. */
  #empty = false;
  #granted = 0;
  #rejected = 0;

  /** @param {Amounts} options @param {import('./state.js').Teller} [teller] undefined for one without events */
  constructor(options, teller) {
    this.#options = options;
    this.#teller = teller;
    this.#state = machine.newBudget(options.capacity);
  }

  /** Takes the tokens of a retry. Returns how many thousandths; 0 if there are too few. @param {boolean} [throttled] */
  take(throttled) {
    const cost = throttled ? this.#options.throttledCost : this.#options.cost;
    if (machine.take(this.#state, this.#options.capacity, cost)) {
      this.#granted++;
      return cost;
    }
    this.#rejected++;
    // Without a capacity it is empty at all times, which is no event.
    if (!this.#empty && this.#options.capacity > 0) {
      this.#empty = true;
      this.#teller?.tell('budget-empty', this.numbers());
    }
    return 0;
  }

  /** Gives tokens back that nothing was done with. @param {number} taken */
  putBack(taken) {
    this.#state[machine.PENDING] += taken;
    if (!this.#empty || !this.isFresh()) return;
    this.#empty = false;
    this.#teller?.tell('budget-full', this.numbers());
  }

  /** Counts an operation that succeeded. @param {number} [taken] by its last retry; 0 without one */
  succeeded(taken = 0) {
    const { refund, perSuccess } = this.#options;
    this.putBack((refund && taken) || perSuccess);
  }

  /** Follows a retry that has gained something. @param {number} taken by it */
  progressed(taken) {
    if (this.#options.refund) this.putBack(taken);
  }

  numbers() {
    const { capacity } = this.#options;
    return { tokens: machine.tokens(this.#state, capacity) / 1000, capacity: capacity / 1000 };
  }

  isFresh() {
    const { tokens, capacity } = this.numbers();
    return tokens === capacity;
  }

  status() {
    return { ...this.numbers(), granted: this.#granted, rejected: this.#rejected };
  }
}
