// What is seen of the package against what is seen of the reference, entry by entry. The first difference breaks the
// invariant that its entry or its field is about.

import { isA } from './values.mjs';

/** Whether two values are the same: numbers short of what rounding makes of them. */
const same = (a, b) =>
  Object.is(a, b) ||
  (Number.isFinite(a) && Number.isFinite(b) && Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(a), Math.abs(b)));

/** Classes of errors that are told apart. */
const OURS = ['TimeoutError', 'RejectedError', 'SupersededError', 'RetryError'];
const USUAL = ['TypeError', 'RangeError', 'AbortError'];

/** Names of values: those that the schedule made have one, others are counted as they are seen. Primitives are their own. */
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

/** The outcome in an event, a record or what `isFailure` gets, by name. */
const outcomeIn = (holder, names) => ({
  ...('error' in holder && { error: names.of(holder.error) }),
  ...('result' in holder && { result: names.of(holder.result) }),
});

function reportOf(report, names) {
  if (report === undefined) return undefined;
  const { reason, attempts, elapsedMs, hintMs, retryAfterMs, dropped, records } = report;
  const of = (record) => {
    const { attempt, startMs, durationMs, delayMs, heldMs, hedge, superseded } = record;
    return { attempt, startMs, durationMs, delayMs, heldMs, hedge, superseded, ...outcomeIn(record, names) };
  };
  return {
    // Whose it is.
    name: names.of(report),
    frozen: Object.isFrozen(report) && Object.isFrozen(records),
    reason,
    attempts,
    elapsedMs,
    hintMs: reason === 'hint' ? hintMs : undefined,
    retryAfterMs,
    dropped,
    records: records.map(of),
  };
}

function eventOf({ event, frozen, name: hook }, names) {
  const { report, attempt, attemptsLeft, elapsedMs, hedge, delayMs, reason, name } = event;
  const facts = { attempt, attemptsLeft, elapsedMs, hedge, delayMs, reason, operation: name };
  return { hook, frozen, ...facts, ...outcomeIn(event, names), report: reportOf(report, names) };
}

const outcomeOf = ({ outcome }, names) => ({ outcome: names.of(outcome) });
const nothing = () => ({});

/** What is seen of an entry, by its kind. */
const VIEWS = {
  call: ({ aborted }) => ({ aborted }),
  arm: ({ ms, unref }) => ({ ms, unref }),
  block: nothing,
  fn: ({ n, number, attemptsLeft, name, aborted, elapsedMs, remainingMs, previousDelayMs, previousError }, names) => {
    const facts = { n, number, attemptsLeft, aborted, elapsedMs, remainingMs, previousDelayMs, operation: name };
    return { ...facts, previousError: names.of(previousError) };
  },
  retryIf: outcomeOf,
  retryOnResult: outcomeOf,
  before: eventOf,
  hook: eventOf,
  random: nothing,
  curve: ({ k }) => ({ k }),
  isFailure: ({ end }, names) => ({ frozen: Object.isFrozen(end), ...end, ...outcomeIn(end, names) }),
  protection: ({ event }) => ({ frozen: Object.isFrozen(event), ...event }),
  settle: ({ ok, value, report }, names) => ({ ok, value: names.of(value), report: reportOf(report, names) }),
  // Apart: what comes in a macrotask in an order of its own, and what is read at the end of one.
  attemptAborted: ({ n, reason }, names) => ({ n, signal: names.of(reason) }),
  reported: ({ error }, names) => ({ reported: names.of(error) }),
  traced: ({ name, error }, names) => ({ name, error: names.of(error) }),
  signals: ({ signals }, names) => ({
    signals: signals.map(({ aborted, reason }) => aborted && String(names.of(reason))),
  }),
  status: ({ numbers }) => numbers,
  metrics: ({ counts }) => counts,
};
const APART = new Set(['attemptAborted', 'reported', 'traced', 'signals', 'status', 'metrics']);

/** The sequences of a record, by operation. */
function sequencesOf({ log }) {
  const found = new Map();
  for (const entry of log) {
    const { kind, op } = entry;
    if (VIEWS[kind] === undefined) continue;
    const name = APART.has(kind) ? `${op} ${kind}` : `${op}`;
    const sequence = found.get(name);
    if (sequence === undefined) found.set(name, [entry]);
    else sequence.push(entry);
  }
  return found;
}

/** The same entries in an order that does not depend on that of one macrotask. */
function sorted(entries, names) {
  const key = ({ turn, error }) => `${turn} ${String(names.of(error))}`;
  return entries
    .map((entry) => ({ key: key(entry), entry }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ entry }) => entry);
}

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
      if (first === undefined || difference.at < first.at) first = difference;
      break;
    }
  }
  return first;
}

function compare(is, should, [ours, theirs]) {
  // A report comes in its turn, before or after what a callback of that turn takes.
  const late = is?.kind !== 'reported' && !same(is?.t, should?.t);
  const differs = is?.kind !== should?.kind || is.turn !== should.turn || late;
  const inside = differs ? { path: '' } : difference(VIEWS[is.kind](is, ours), VIEWS[is.kind](should, theirs), '');
  if (inside === undefined) return undefined;
  const told = (entry, value) => {
    if (!differs) return String(value);
    return entry === undefined ? 'nothing' : `${entry.kind} ${entry.name ?? ''} at ${entry.t}, turn ${entry.turn}`;
  };
  const where = differs ? '' : `${is.kind} at ${is.t}:${inside.path} is `;
  return {
    at: Math.min(is?.t ?? Infinity, should?.t ?? Infinity),
    rule: ruleOf(should ?? is, inside.path),
    text: `operation ${(should ?? is).op}: ${where}${told(is, inside.a)} instead of ${told(should, inside.b)}`,
  };
}

/** The first difference inside two views. What a status has beyond that of the reference is not compared. */
function difference(a, b, path) {
  if (same(a, b)) return undefined;
  if (Object(a) !== a || Object(b) !== b) return { path, a, b };
  for (const name in b) {
    const found = difference(a[name], b[name], `${path} ${name}`);
    if (found !== undefined) return found;
  }
  if (path === '') for (const name in a) if (!(name in b) && !PARTS.has(name)) return { path: ` ${name}`, a: a[name] };
  return undefined;
}
const PARTS = new Set(['keys']);

/** The invariants, with the kinds of entries and the fields that they are about. */
const ABOUT = {
  attempts: 'fn attempts',
  numbers: 'n k number attempt attemptsLeft',
  waits: 'delayMs previousDelayMs',
  timers: 'arm block ms',
  hints: 'hintMs',
  draws: 'random curve',
  clock: 'elapsedMs remainingMs startMs durationMs',
  signals: 'attemptAborted aborted signal signals',
  settlement: 'call settle ok reason',
  identity: 'value error result outcome previousError report name retryAfterMs reported',
  leftovers: 'unref',
  unhandled: 'reported',
  hooks: 'hook traced',
  callbacks: 'retryIf retryOnResult before',
  isolation: 'frozen operation',
  memory: 'dropped',
  records: 'heldMs hedge superseded',
  metrics: 'metrics',
};
const RULES = new Map(Object.entries(ABOUT).flatMap(([rule, words]) => words.split(' ').map((word) => [word, rule])));
const PART_OF = { held: 'cooldown', 'budget-empty': 'budget', 'budget-full': 'budget' };

/** The invariant that an entry is about, or its field at a path. */
function ruleOf({ kind, event }, path) {
  if (kind === 'protection') return event.by ?? PART_OF[event.type] ?? 'breaker';
  if (kind === 'status') return path.split(' ')[1] ?? kind;
  if (kind === 'isFailure' || kind === 'metrics') return kind;
  const words = path.match(/[a-zA-Z]+/g) ?? [kind];
  return RULES.get(words.at(-1));
}
