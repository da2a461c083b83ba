/** The state as a query string and back. A link holds what differs from the defaults. */
import { ALL_BACKOFFS, ALL_JITTERS, CAP_RULES } from './strategy';
import { ARRIVALS, INITIAL_STATE, LIVE_FAILURES, isValid, type State } from './state';

/** The name in the link, and where it is in the state. */
const FIELDS: readonly (readonly [name: string, ...path: string[]])[] = [
  ['backoff', 'strategy', 'backoff'],
  ['jitter', 'strategy', 'jitter'],
  ['baseMs', 'strategy', 'baseMs'],
  ['capMs', 'strategy', 'capMs'],
  ['minMs', 'strategy', 'minMs'],
  ['factor', 'strategy', 'factor'],
  ['stepMs', 'strategy', 'stepMs'],
  ['truncateAt', 'strategy', 'truncateAt'],
  ['ratio', 'strategy', 'ratio'],
  ['spreadMs', 'strategy', 'spreadMs'],
  ['list', 'strategy', 'list'],
  ['capRule', 'strategy', 'capRule'],
  ['maxAttempts', 'strategy', 'maxAttempts'],
  ['totalTimeoutMs', 'strategy', 'totalTimeoutMs'],
  ['maxRetryAfterMs', 'strategy', 'maxRetryAfterMs'],
  ['comparedBackoff', 'compared', 'backoff'],
  ['comparedJitter', 'compared', 'jitter'],
  ['failureRate', 'failureRate'],
  ['clients', 'herd', 'clients'],
  ['downMs', 'herd', 'downMs'],
  ['capacityPerS', 'herd', 'capacityPerS'],
  ['arrivals', 'herd', 'arrivals'],
  ['failure', 'live', 'failure'],
  ['rate', 'live', 'rate'],
  ['calls', 'live', 'calls'],
  ['import', 'pasted', 'text'],
  ['importFrom', 'pasted', 'from'],
  ['seed', 'seed'],
];

const WORDS: Readonly<Record<string, readonly string[]>> = {
  backoff: ALL_BACKOFFS,
  jitter: ALL_JITTERS,
  capRule: CAP_RULES,
  comparedBackoff: ALL_BACKOFFS,
  comparedJitter: ALL_JITTERS,
  arrivals: ARRIVALS,
  failure: LIVE_FAILURES,
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
  const text = query.toString();
  return text && `?${text}`;
}

/** What a link says; what it does not say, or says wrongly, is the default. */
export function fromQuery(search: string): State {
  const query = new URLSearchParams(search);
  let state = INITIAL_STATE;
  let whole = INITIAL_STATE;
  for (const [name, ...path] of FIELDS) {
    const text = query.get(name);
    if (text === null) continue;
    const value = valueOf(name, text);
    if (value === undefined) continue;
    whole = replaced(whole, path, value);
    // One by one, so that one wrong value does not spoil the others …
    const next = replaced(state, path, value);
    if (isValid(next)) state = next;
  }
  // … and all together, because base and cap are only right as a pair.
  return isValid(whole) ? whole : state;
}

function valueOf(name: string, text: string): Value | undefined {
  const words = WORDS[name];
  if (words) return words.includes(text) ? text : undefined;
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
