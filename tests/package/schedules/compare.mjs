// What is seen of the package against what is seen of the reference, entry by entry. The first difference breaks the
// invariant that its entry or its field is about.

import { inspect } from 'node:util';

import { isA } from './values.mjs';

/** Whether two values are the same: numbers short of what rounding makes of them. */
const same = (a, b) =>
  Object.is(a, b) ||
  (Number.isFinite(a) && Number.isFinite(b) && Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(a), Math.abs(b)));

/** Classes of errors that are told apart. */
const OURS = ['TimeoutError', 'RejectedError', 'SupersededError', 'RetryError'];
const USUAL = ['TypeError', 'RangeError', 'AbortError'];

/**
 * Names of values: those that the schedule made have one, others are counted as they are seen. Primitives are their
 * own.
 */
class Names {
  #whole = new Map();
  /** How many have a number: it must not tell when the named ones were seen. */
  #numbered = 0;

  constructor({ names, pkg }) {
    this.given = names;
    this.pkg = pkg;
  }

  of(value) {
    if (Object(value) !== value && typeof value !== 'symbol') return value;
    if (this.#whole.has(value)) return this.#whole.get(value);
    const given = this.given.get(value);
    const name = given?.name ?? `${this.#kind(value)} ${(this.#numbered += 1)}`;
    // It may be its own cause.
    this.#whole.set(value, name);
    const whole = name + this.#causeOf(value, given) + this.#insideOf(value);
    this.#whole.set(value, whole);
    return whole;
  }

  #kind(value) {
    if (!isA(value, Error)) return 'object';
    return OURS.find((name) => isA(value, this.pkg[name])) ?? USUAL.find((name) => name === value.name) ?? 'error';
  }

  /** A value of the schedule has the cause that it was made with, unless it was given one. */
  #causeOf(value, given) {
    const cause = Object.getOwnPropertyDescriptor(Object(value), 'cause')?.value;
    return cause === undefined || Object.is(cause, given?.cause) ? '' : ` because of ${String(this.of(cause))}`;
  }

  #insideOf(value) {
    if (!isA(value, this.pkg.RetryError)) return '';
    const { reason, errors } = value;
    const result = 'result' in value ? ` with ${String(this.of(value.result))}` : '';
    return ` (${reason}) of ${errors.map((each) => String(this.of(each)))}${result}`;
  }
}

/** Compared apart: what comes in a macrotask in an order of its own, and what is read at the end of one. */
const APART = new Set(['attemptAborted', 'reported', 'traced', 'signals', 'status', 'metrics']);

/** The sequences of a record, by operation: of entries with something to see. */
function sequencesOf({ log }) {
  const found = new Map();
  for (const entry of log.filter(({ seen }) => seen !== undefined)) {
    const name = APART.has(entry.kind) ? `${entry.op} ${entry.kind}` : `${entry.op}`;
    if (!found.has(name)) found.set(name, []);
    found.get(name).push(entry);
  }
  return found;
}

/** Reports of one macrotask in an order that does not depend on theirs. */
const sorted = (entries, names) =>
  entries
    .map((entry) => ({ entry, key: `${entry.turn} ${inspect(names.of(entry.seen.error))}` }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ entry }) => entry);

/** @returns {{ rule: string, text: string } | undefined} the first difference, by time */
export function differenceOf(world, reference) {
  const [seen, expected] = [sequencesOf(world), sequencesOf(reference)];
  const named = new Map();
  let first;
  for (const name of new Set([...expected.keys(), ...seen.keys()])) {
    let [is, should] = [seen.get(name) ?? [], expected.get(name) ?? []];
    const { op, kind } = is[0] ?? should[0];
    if (!named.has(op)) named.set(op, [new Names(world), new Names(reference)]);
    const names = named.get(op);
    if (kind === 'reported') [is, should] = [sorted(is, names[0]), sorted(should, names[1])];
    for (let i = 0; i < is.length || i < should.length; i += 1) {
      const difference = compare(is[i], should[i], names);
      if (difference === undefined) continue;
      // At the same time, what is reported comes of something else.
      const earlier = first === undefined || difference.at < first.at;
      if (earlier || (difference.at === first.at && first.kind === 'reported')) first = { ...difference, kind };
      break;
    }
  }
  return first;
}

/** The difference between two entries of a sequence, of which one may be missing. */
function compare(is, should, names) {
  // A report comes in its turn, before or after what a callback of that turn takes.
  const late = is?.kind !== 'reported' && !same(is?.t, should?.t);
  if (is?.kind === should?.kind && is.turn === should.turn && !late) {
    const found = difference(is.seen, should.seen, [], names);
    if (found === undefined) return undefined;
    const { path, a, b } = found;
    const text = `${is.kind} at ${is.t}: ${path.join(' ')} is ${inspect(a)} instead of ${inspect(b)}`;
    return { at: should.t, rule: ruleOf(should, path), text: `operation ${is.op}: ${text}` };
  }
  // There is one too many, or one too few: whichever comes first.
  const first = is === undefined || should?.t <= is.t ? should : is;
  const told = (entry) =>
    entry === undefined ? 'nothing' : `${entry.kind} ${entry.seen.hook ?? ''} at ${entry.t}, turn ${entry.turn}`;
  // What is read after each macrotask says only that there was another one.
  const at = first.kind === 'status' ? Infinity : first.t;
  return { at, rule: ruleOf(first, []), text: `operation ${first.op}: ${told(is)} instead of ${told(should)}` };
}

/** Objects that are made to be read, such as events: their fields are compared. */
const isRecord = (value, { given }) =>
  !given.has(value) && (Array.isArray(value) || Object.getPrototypeOf(Object(value)) === Object.prototype);

/** The first difference inside what is seen. */
function difference(is, should, path, names) {
  if (same(is, should)) return undefined;
  const differ = (a, b, name = []) => (same(a, b) ? undefined : { path: path.concat(name), a, b });
  const named = (name) => differ(names[0].of(is), names[1].of(should), name);
  if (!isRecord(is, names[0]) || !isRecord(should, names[1])) return named();
  const frozen = Object.isFrozen(is);
  // A frozen one is seen again, such as the report of an operation.
  const whole = differ(frozen, Object.isFrozen(should), 'frozen') ?? (frozen ? named('itself') : undefined);
  if (whole !== undefined) return whole;
  for (const name of new Set([...Object.keys(should), ...Object.keys(is)])) {
    // The status of each key is read by itself.
    if (name === 'keys') continue;
    const found = difference(is[name], should[name], [...path, name], names);
    if (found !== undefined) return found;
    // An error that is undefined is another outcome than no error.
    if (OUTCOMES.has(name) && name in is !== name in should) return differ(name in is, name in should, name);
  }
  return undefined;
}
const OUTCOMES = new Set(['error', 'result']);

/** The invariants, with the kinds of entries and the fields that they are about. */
const ABOUT = {
  attempts: 'fn attempts',
  numbers: 'n k number attempt attemptsLeft',
  waits: 'delayMs previousDelayMs',
  timers: 'arm block ms',
  hints: 'hintMs',
  draws: 'random curve',
  clock: 'elapsedMs remainingMs startMs durationMs',
  signals: 'attemptAborted aborted signal signals reasons',
  settlement: 'call settle ok reason',
  identity: 'value error result outcome previousError itself retryAfterMs',
  leftovers: 'unref',
  unhandled: 'reported',
  hooks: 'hook traced stage',
  callbacks: 'hint retryIf retryOnResult before',
  isolation: 'frozen name',
  memory: 'dropped records',
  records: 'heldMs queuedMs hedge superseded progressed committed',
  metrics: 'metrics',
};
const RULES = new Map(Object.entries(ABOUT).flatMap(([rule, words]) => words.split(' ').map((word) => [word, rule])));
const PART_OF = { held: 'cooldown', queued: 'limiter', 'budget-empty': 'budget', 'budget-full': 'budget' };
const MACHINES = new Set(['budget', 'breaker', 'cooldown', 'limiter', 'hedge']);

/** The invariant that an entry is about, or its field at a path. */
function ruleOf({ kind, seen }, path) {
  if (kind === 'protection') return seen.by ?? PART_OF[seen.type] ?? 'breaker';
  if (kind === 'status') return MACHINES.has(path[0]) ? path[0] : kind;
  if (kind === 'isFailure' || kind === 'metrics') return kind;
  return RULES.get(path.findLast((name) => RULES.has(name)) ?? kind);
}
