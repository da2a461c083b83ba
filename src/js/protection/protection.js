// @ts-check
// protect(): the parts of a protection put together, and the object that callers get.

import { errorOf, failure, problemOf } from '../options/messages.js';
import { FUNCTION, PROTECTION, RULES } from '../options/rules.js';
import { hide } from '../run/report.js';
import { now } from '../run/timer.js';
import { readPart } from './options.js';
import { PART } from './part.js';
import { State, States } from './state.js';

const OPTIONS = { onEvent: FUNCTION };

/** @type {import('./options.js').Rule} */
const A_PART = ['', 'made by budget(), breaker(), cooldown() or hedge()', isPart];

/** @param {any} value */
function isPart(value) {
  try {
    return typeof value?.[PART] === 'function';
  } catch {
    return false;
  }
}

/**
 * Each kind of part at most once, then options.
 * @param {any[]} args
 */
export function protect(...args) {
  const last = args.at(-1);
  const given = args.length > 0 && !isPart(last) ? args.pop() : undefined;
  /** @type {Error[]} */
  const problems = [];
  /** @type {import('./state.js').Makers} */
  const makers = Object.create(null);
  args.forEach((part, i) => {
    if (!isPart(part)) problems.push(problemOf(`part ${i + 1}`, part, A_PART));
    else if (part.part in makers) problems.push(failure(TypeError, `${part.part}() must be there once, got two`));
    else makers[part.part] = part[PART];
  });
  if (args.length === 0)
    problems.push(failure(TypeError, 'protect() must have parts, got none. Use protect(budget(), breaker())'));
  /** @type {Record<string, any>} */
  let options = {};
  try {
    options = readPart(given, OPTIONS);
  } catch (error) {
    problems.push(/** @type {Error} */ (error));
  }
  if (problems.length > 0) throw errorOf(problems);
  return new Protection(new State(new States(makers, options.onEvent), undefined));
}

/** The object that callers share. It has no numbers of its own. */
class Protection {
  #state;

  /** @param {State} state */
  constructor(state) {
    this.#state = state;
    hide(this, PROTECTION, state);
  }

  /** @param {string} key */
  for(key) {
    return new Protection(this.#state.of(key));
  }

  keys() {
    return this.#state.keys();
  }

  status() {
    return this.#state.live().status();
  }

  /** @param {number} [ms] */
  open(ms = Infinity) {
    const state = this.#withBreaker('open');
    const rule = /** @type {import('./options.js').Rule} */ (RULES.totalTimeoutMs);
    if (!rule[2](ms)) throw problemOf('ms', ms, rule);
    state.breaker.open(now(), ms, state);
  }

  close() {
    const state = this.#withBreaker('close');
    state.breaker.close(now(), state);
  }

  /** @param {string} name */
  #withBreaker(name) {
    const state = this.#state.use();
    if (state.breaker === undefined)
      throw failure(TypeError, `${name}() must have a breaker to act on. Use protect(breaker())`);
    return state;
  }
}
