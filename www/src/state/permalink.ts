/**
 * The state as a query string and back. A link holds what differs from the defaults of its page; a strategy that does is
 * named whole, so that it is the same on every page.
 */
import { CODES, LIVE_FAILURES, PARTS, PROTECTIONS, RULES, type State, INITIAL_STATE } from './state';
import { ALL_BACKOFFS, ALL_JITTERS, CAP_RULES, INITIAL, refusalOf, type Strategy } from './strategy';

type Field = readonly [name: string, ...path: string[]];

/** Each setting of a part of the state, by its own name. */
const fieldsOf = (part: 'herd' | 'live'): Field[] => Object.keys(INITIAL_STATE[part]).map((name) => [name, part, name]);

/** The name in the link, and where it is in the state. */
const FIELDS: readonly Field[] = [
  ...fieldsOf('herd'),
  ['retries', 'protection', 'retries'],
  ['protection', 'protection', 'parts'],
  ['hedgeMs', 'hedging', 'delayMs'],
  ...fieldsOf('live'),
  ['code', 'code'],
  ['seed', 'seed'],
];
const STRATEGY = Object.keys(INITIAL) as (keyof Strategy)[];

const WORDS: Readonly<Record<string, readonly string[]>> = {
  backoff: ALL_BACKOFFS,
  jitter: ALL_JITTERS,
  capRule: CAP_RULES,
  retries: ['on', 'off'],
  protection: PROTECTIONS,
  failure: LIVE_FAILURES,
  code: CODES,
};

type Value = string | number;
type Tree = { [key: string]: Tree | Value };

/** `?seed=7`, or nothing for the defaults. */
export function toQuery(state: State, defaults: State): string {
  const query = new URLSearchParams();
  if (STRATEGY.some((name) => state.strategy[name] !== defaults.strategy[name]))
    for (const name of STRATEGY) {
      const isNamed = name === 'backoff' || name === 'jitter';
      if (isNamed || state.strategy[name] !== INITIAL[name]) query.set(name, String(state.strategy[name]));
    }
  for (const [name, ...path] of FIELDS)
    if (at(state, path) !== at(defaults, path)) query.set(name, String(at(state, path)));
  const text = query.toString();
  return text && `?${text}`;
}

export interface Link {
  readonly state: State;
  /**
   * Settings of the link that the page cannot show, a sentence part each: `capMs must be at least baseMs (500), got
   * 100`.
   */
  readonly problems: readonly string[];
}

/** The state that a link sets. Values that the link omits, and invalid ones, are the defaults. */
export function fromQuery(search: string, defaults: State): State {
  return readQuery(search, defaults).state;
}

export function readQuery(search: string, defaults: State): Link {
  const query = new URLSearchParams(search);
  const problems: string[] = [];
  const read = (name: string): Value | undefined => {
    const text = query.get(name);
    if (text === null) return undefined;
    const value = valueOf(name, text);
    if (value !== undefined && (typeof value === 'string' || (RULES[name]?.holds(value) ?? true))) return value;
    problems.push(`${name} must be ${ruleOf(name)}, got '${text.length > 40 ? `${text.slice(0, 40)}…` : text}'`);
    return undefined;
  };
  // As a whole: its numbers are only right together.
  const named = STRATEGY.map((name) => [name, read(name)] as const).filter(([, value]) => value !== undefined);
  let strategy = defaults.strategy;
  if (named.length > 0) {
    const own = { ...INITIAL, ...(Object.fromEntries(named) as Partial<Strategy>) };
    // The package's rule: a base above the default cap raises it.
    if (!named.some(([name]) => name === 'capMs')) own.capMs = Math.max(own.capMs, own.baseMs);
    const refusal = refusalOf(own);
    if (refusal === undefined) strategy = own;
    else problems.push(refusal);
  }
  let state: State = { ...defaults, strategy };
  for (const [name, ...path] of FIELDS) {
    const value = read(name);
    if (value !== undefined) state = replaced(state, path, value);
  }
  return { state, problems };
}

function ruleOf(name: string): string {
  const words = WORDS[name];
  if (name === 'protection') return `'none', or any of ${PARTS.map((part) => `'${part}'`).join(', ')}`;
  return words ? `one of ${words.map((word) => `'${word}'`).join(', ')}` : (RULES[name]?.rule ?? 'a number');
}

/** The parts of the protection may stand in any order. */
function ordered(list: string): string {
  return list.split(',').sort().join();
}

function valueOf(name: string, text: string): Value | undefined {
  const words = WORDS[name];
  if (words) return words.find((word) => ordered(word) === ordered(text));
  const number = text.trim() === '' ? NaN : Number(text);
  return Number.isNaN(number) ? undefined : number;
}

function at(state: State, path: readonly string[]): unknown {
  let node: unknown = state;
  for (const key of path) node = (node as Tree)[key];
  return node;
}

function replaced(state: State, [first = '', second]: readonly string[], value: Value): State {
  const tree = state as unknown as Tree;
  const inner = second === undefined ? value : { ...(tree[first] as Tree), [second]: value };
  return { ...tree, [first]: inner } as unknown as State;
}
