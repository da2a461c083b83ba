/**
 * The state as a query string and back. A link holds what differs from the defaults of its page; a strategy that does
 * is named whole, so that it is the same on every page.
 */
import { SETTINGS, SETTING_NAMES, type State } from './state';
import { ALL_BACKOFFS, ALL_JITTERS, CAP_RULES, INITIAL, refusalOf, type Strategy } from './strategy';

const STRATEGY = Object.keys(INITIAL) as (keyof Strategy)[];
const WORDS: Readonly<Record<string, readonly string[]>> = {
  backoff: ALL_BACKOFFS,
  jitter: ALL_JITTERS,
  capRule: CAP_RULES,
};

/** `?seed=7`, or nothing for the defaults. */
export function toQuery(state: State, defaults: State): string {
  const query = new URLSearchParams();
  const { strategy } = state;
  if (STRATEGY.some((name) => strategy[name] !== defaults.strategy[name]))
    for (const name of STRATEGY)
      if (name === 'backoff' || name === 'jitter' || strategy[name] !== INITIAL[name])
        query.set(name, String(strategy[name]));
  for (const name of SETTING_NAMES) if (state[name] !== defaults[name]) query.set(name, String(state[name]));
  const text = query.toString();
  return text && `?${text}`;
}

/**
 * The state that a link sets. Values that the link omits, and invalid ones, are the defaults. `problems` are what the
 * page cannot show, a sentence part each: `capMs must be at least baseMs (500), got 100`.
 */
export function readQuery(search: string, defaults: State) {
  const query = new URLSearchParams(search);
  const problems: string[] = [];
  /** The values of these names that the link has, and that are valid by themselves. */
  const read = (names: readonly string[]): Record<string, string | number> =>
    Object.fromEntries(
      names.flatMap((name) => {
        const text = query.get(name);
        if (text === null) return [];
        const setting = SETTINGS[name as keyof typeof SETTINGS] as (typeof SETTINGS)['seed'] | undefined;
        if (setting?.problem) {
          const value = text.trim().replace(/\s+/g, ' ');
          const problem = setting.problem(value);
          if (problem === undefined) return [[name, value]];
          problems.push(`${name} has a strategy that is invalid: ${problem}`);
          return [];
        }
        const words = WORDS[name] ?? setting?.words;
        const number = text.trim() === '' ? NaN : Number(text);
        const isValid = !Number.isNaN(number) && (setting?.holds(number) ?? true);
        const value = words ? words.find((word) => ordered(word) === ordered(text)) : isValid ? number : undefined;
        if (value !== undefined) return [[name, value]];
        const rule = setting?.rule ?? (words ? `one of ${words.map((word) => `'${word}'`).join(', ')}` : 'a number');
        const got = text.length > 40 ? `${text.slice(0, 40)}…` : text;
        problems.push(`${name} must be ${rule}, got '${got}'`);
        return [];
      }),
    );
  // As a whole: its numbers are only right together.
  const named = read(STRATEGY);
  let { strategy } = defaults;
  if (Object.keys(named).length > 0) {
    const own = { ...INITIAL, ...named };
    // The package's rule: a base above the default cap raises it.
    if (named.capMs === undefined) own.capMs = Math.max(own.capMs, own.baseMs);
    const refusal = refusalOf(own);
    if (refusal === undefined) strategy = own;
    else problems.push(refusal);
  }
  const state: State = { ...defaults, strategy, ...read(SETTING_NAMES) };
  return { state, problems };
}

/** The parts of the protection may stand in any order. */
function ordered(list: string): string {
  return list.split(',').sort().join();
}
