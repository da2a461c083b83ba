// protect(): the parts of a protection put together, and the object that callers get.

import { isFunction } from '../options/checks.js';
import { errorOf, mistake, problemOf } from '../options/messages.js';
import { read, requireValid } from '../options/reader.js';
import { FUNCTION, LIMIT, PROTECTION } from '../options/rules.js';
import { hide } from '../run/report.js';
import { now } from '../run/timer.js';
import { PART } from './part.js';
import { State } from './state.js';

/** @param {any} value */
function isPart(value) {
  try {
    return isFunction(value?.[PART]);
  } catch {
    return false;
  }
}

/** Each kind of part at most once, then options. @param {any[]} args */
export function protect(...args) {
  const last = args.at(-1);
  const isOptions = !isFunction(last) && !Array.isArray(last) && !isPart(last);
  const given = isOptions ? args.pop() : undefined;
  /** @type {Error[]} */
  const problems = [];
  /** @type {import('./state.js').Makers} */
  const makers = Object.create(null);
  if (args.length === 0) args.push(undefined);
  args.forEach((part, i) => {
    if (!isPart(part)) problems.push(problemOf(`part ${i + 1}`, part, ['', 'aPart']));
    else if (part.part in makers) problems.push(mistake(`part ${i + 1}`, 'twice', part.part));
    else makers[/** @type {keyof typeof makers} */ (part.part)] = part[PART];
  });
  /** @type {any} */
  let options;
  try {
    options = read(given, { onEvent: FUNCTION, isFailure: FUNCTION });
  } catch (error) {
    problems.push(/** @type {Error} */ (error));
  }
  if (problems.length > 0) throw errorOf(problems);
  const make = (/** @type {string | undefined} */ key) => new State(shared, makers, key);
  /** @type {import('./state.js').Shared} */
  const shared = { __proto__: null, make, ...options, byKey: new Map(), last: undefined };
  return protectionOf(make(undefined));
}

/** A class that names itself within its body gets another name in a bundle. @type {(state: State) => Protection} */
const protectionOf = (state) => new Protection(state);

/** The object that callers share. It has no numbers of its own. */
class Protection {
  /** @param {State} state */
  constructor(state) {
    hide(this, PROTECTION, state);
  }

  /** @param {string} key */
  for(key) {
    return protectionOf(stateOf(this).of(key));
  }

  keys() {
    return stateOf(this).keys();
  }

  status() {
    return stateOf(this).status();
  }

  /** For Node's `console.log`. @type {(_: number, options: object, inspect: Function) => string} */
  [Symbol.for('nodejs.util.inspect.custom')](_, options, inspect) {
    return `Protection ${inspect(this.status(), options)}`;
  }

  /** @param {number} [ms] */
  open(ms = Infinity) {
    const breaker = partOf(this, 'breaker', 'open');
    requireValid('ms', ms, LIMIT);
    breaker.open(now(), ms);
  }

  close() {
    partOf(this, 'breaker', 'close').close(now());
  }

  drain() {
    partOf(this, 'limiter', 'drain').drain();
  }
}

/** Not a private field, because stores of user interfaces put a Proxy around it. @type {(protection: any) => State} */
function stateOf(protection) {
  return protection[PROTECTION];
}

/**
 * Returns the part that a method needs.
 * @type {<Name extends 'breaker' | 'limiter'>(protection: Protection, name: Name, method: string) =>
 *   NonNullable<State[Name]>}
 */
function partOf(protection, name, method) {
  const { [name]: part } = stateOf(protection).use();
  if (part === undefined) throw mistake(`${method}()`, 'noPart', [method, name]);
  return /** @type {any} */ (part);
}
