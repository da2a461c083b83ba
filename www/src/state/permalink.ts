/** The state as a query string and back. A link holds what differs from the defaults. */
import { BACKOFFS, JITTERS } from './strategy';
import { INITIAL_STATE, LIVE_FAILURES, isValid, type State } from './state';

/** The name in the link, and where it is in the state. */
const FIELDS: readonly (readonly [name: string, ...path: string[]])[] = [
  ['backoff', 'strategy', 'backoff'],
  ['jitter', 'strategy', 'jitter'],
  ['baseMs', 'strategy', 'baseMs'],
  ['capMs', 'strategy', 'capMs'],
  ['factor', 'strategy', 'factor'],
  ['truncateAt', 'strategy', 'truncateAt'],
  ['maxAttempts', 'strategy', 'maxAttempts'],
  ['totalTimeoutMs', 'strategy', 'totalTimeoutMs'],
  ['comparedBackoff', 'compared', 'backoff'],
  ['comparedJitter', 'compared', 'jitter'],
  ['failureRate', 'failureRate'],
  ['clients', 'herd', 'clients'],
  ['downMs', 'herd', 'downMs'],
  ['capacityPerS', 'herd', 'capacityPerS'],
  ['demand', 'herd', 'demand'],
  ['failure', 'live', 'failure'],
  ['rate', 'live', 'rate'],
  ['calls', 'live', 'calls'],
  ['seed', 'seed'],
];

const WORDS: Readonly<Record<string, readonly string[]>> = {
  backoff: BACKOFFS,
  jitter: JITTERS,
  comparedBackoff: BACKOFFS,
  comparedJitter: JITTERS,
  failure: LIVE_FAILURES,
};

type Tree = { [key: string]: Tree | string | number };

/** `?jitter=equal&seed=7`, or nothing for the defaults. */
export function toQuery(state: State): string {
  const query = new URLSearchParams();
  for (const [name, ...path] of FIELDS) {
    const value = at(state, path);
    if (value !== at(INITIAL_STATE, path)) query.set(name, String(value));
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
    const words = WORDS[name];
    const value = words ? text : Number(text);
    if (words ? !words.includes(text) : text === '' || Number.isNaN(value)) continue;
    whole = replaced(whole, path, value);
    // One by one, so that one wrong value does not spoil the others …
    const next = replaced(state, path, value);
    if (isValid(next)) state = next;
  }
  // … and all together, because base and cap are only right as a pair.
  return isValid(whole) ? whole : state;
}

function at(state: State, path: readonly string[]): unknown {
  let node: unknown = state;
  for (const key of path) node = (node as Tree)[key];
  return node;
}

function replaced(state: State, [first = '', second]: readonly string[], value: string | number): State {
  const tree = state as unknown as Tree;
  const inner = second === undefined ? value : { ...(tree[first] as Tree), [second]: value };
  return { ...tree, [first]: inner } as unknown as State;
}
