/** The state as a query string and back. A link holds what differs from the defaults. */
import { ALL_BACKOFFS, ALL_JITTERS, CAP_RULES } from './strategy';
import {
  CODES,
  GIVE_UPS,
  INITIAL_STATE,
  LIMITS,
  LIVE_FAILURES,
  PARTS,
  PROTECTIONS,
  RETRIES,
  TIMES,
  problemOf,
  type State,
} from './state';

type Field = readonly [name: string, ...path: string[]];

/** Each setting of a part of the state, by its own name. */
const fieldsOf = (part: keyof State): Field[] => Object.keys(INITIAL_STATE[part]).map((name) => [name, part, name]);

/** The name in the link, and where it is in the state. */
const FIELDS: readonly Field[] = [
  ...fieldsOf('scene'),
  ...fieldsOf('strategy'),
  ...fieldsOf('herd'),
  ['protection', 'protection', 'parts'],
  ['hedgeMs', 'hedging', 'delayMs'],
  ['utilisation', 'hedging', 'utilisation'],
  ...fieldsOf('live'),
  ['import', 'pasted', 'text'],
  ['importFrom', 'pasted', 'from'],
  ['code', 'code'],
  ['seed', 'seed'],
];

const WORDS: Readonly<Record<string, readonly string[]>> = {
  backoff: ALL_BACKOFFS,
  jitter: ALL_JITTERS,
  capRule: CAP_RULES,
  retry: RETRIES,
  times: TIMES,
  giveUp: GIVE_UPS,
  limits: LIMITS,
  protection: PROTECTIONS,
  failure: LIVE_FAILURES,
  code: CODES,
};

type Value = string | number | readonly number[];
type Tree = { [key: string]: Tree | Value };

/** `?jitter=equal&seed=7`, or nothing for the defaults. */
export function toQuery(state: State): string {
  const query = new URLSearchParams();
  for (const [name, ...path] of FIELDS) {
    const value = at(state, path);
    if (String(value) !== String(at(INITIAL_STATE, path))) query.set(name, String(value));
  }
  // A link with a list and without a cap leaves the cap to the list.
  if (state.strategy.backoff === 'list') query.set('capMs', String(state.strategy.capMs));
  // Before the hedge had a toggle, a link with its delay showed it.
  if (query.has('hedgeMs')) query.set('protection', state.protection.parts);
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
export function fromQuery(search: string): State {
  return readQuery(search).state;
}

export function readQuery(search: string): Link {
  const query = new URLSearchParams(search);
  const problems: string[] = [];
  let state = INITIAL_STATE;
  // One by one, so that one wrong value does not spoil the others; base and cap are only right as a pair.
  for (const [name, ...path] of FIELDS) {
    const text = query.get(name);
    if (text === null) continue;
    const value = valueOf(name, text);
    if (value === undefined) {
      problems.push(`${name} must be ${ruleOf(name)}, got ${shown(text)}`);
      continue;
    }
    const next = adapted(replaced(state, path, value), query);
    const problem = problemOf(next);
    if (problem === undefined) state = next;
    else
      problems.push('text' in problem ? problem.text : `${problem.name} must be ${problem.rule}, got ${shown(text)}`);
  }
  // Links of the time before the scene name a policy only: then the scene shows that.
  const isPolicy = FIELDS.some(([name, where]) => (where === 'strategy' || name === 'limits') && query.has(name));
  if (isPolicy && !query.has('retry')) state = { ...state, scene: { ...state.scene, retry: 'policy' } };
  const { delayMs } = state.hedging;
  if (delayMs !== INITIAL_STATE.hedging.delayMs && !query.has('protection'))
    state = { ...state, protection: { parts: 'hedge' } };
  return { state, problems };
}

/**
 * The package's rule: a base or a list above the default cap raises it, a cap below the default base lowers the base.
 */
function adapted(state: State, query: URLSearchParams): State {
  const { strategy } = state;
  const { backoff, baseMs, capMs, list } = strategy;
  // An invalid cap is as good as none.
  if (valueOf('capMs', query.get('capMs') ?? '') === undefined) {
    const longest = backoff === 'list' ? Math.max(...list) : 0;
    return { ...state, strategy: { ...strategy, capMs: Math.max(capMs, baseMs, longest) } };
  }
  return query.has('baseMs')
    ? state
    : { ...state, strategy: { ...strategy, baseMs: Math.min(baseMs, Math.max(0, capMs)) } };
}

function ruleOf(name: string): string {
  const words = WORDS[name];
  if (name === 'protection') return `'none', or any of ${PARTS.map((part) => `'${part}'`).join(', ')}`;
  if (words) return `one of ${words.map((word) => `'${word}'`).join(', ')}`;
  if (name === 'list') return 'numbers of ms, separated by commas';
  return name === 'stepMs' ? "a number or 'base'" : 'a number';
}

function ordered(list: string): string {
  return list.split(',').sort().join();
}

function shown(text: string): string {
  return `'${text.length > 40 ? `${text.slice(0, 40)}…` : text}'`;
}

function valueOf(name: string, text: string): Value | undefined {
  const words = WORDS[name];
  // The parts of the protection may stand in any order.
  if (words) return words.find((word) => ordered(word) === ordered(text));
  // Text that the reader pasted, without control characters but line breaks and tabs.
  if (name === 'import' || name === 'importFrom') return text.replace(/[^\P{Cc}\n\t]/gu, '');
  if (name === 'stepMs' && text === 'base') return text;
  const numbers = (name === 'list' ? text.split(',') : [text]).map((part) => (part.trim() === '' ? NaN : Number(part)));
  if (numbers.some(Number.isNaN)) return undefined;
  return name === 'list' ? numbers : numbers[0];
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
