/**
 * The strategy that the scene is compared with, in words as its link has them: `p-retry retries 5 minTimeout 200`, or
 * `exponential full baseMs 50`. Pasted options become such words, and are never evaluated.
 */
import { PACKAGES, type Package } from './packages';
import { changed, type Changes } from './presets';
import {
  ALL_BACKOFFS,
  ALL_JITTERS,
  CAP_RULES,
  INITIAL,
  OPTION_NAMES,
  problemIn,
  refusalOf,
  strategyOf,
  title,
  type Strategy,
} from './strategy';

export interface Before {
  /** `p-retry 9.0.0`, `p-retry 9.0.0, retries 5`, or the strategy's own name. */
  readonly name: string;
  readonly strategy: Strategy;
  /** Undefined if it is no package's. */
  readonly of: Package | undefined;
}

type Pair = readonly [name: string, source: string];

export function idOf({ name }: Package): string {
  return name.toLowerCase().replaceAll(' ', '-');
}

/** The last words that were read: all sections ask for the same ones. */
let last: { readonly words: string; readonly before: Before | undefined } = { words: '', before: undefined };

/** Undefined for no words. Throws a TypeError if they name no strategy that the page can show. */
export function beforeOf(words: string): Before | undefined {
  if (words === '') return undefined;
  if (words !== last.words) last = { words, before: read(words.split(' ')) };
  return last.before;
}

/** Why these words name no strategy; undefined if they do. */
export const problemOf = (words: string): string | undefined => problemIn(() => beforeOf(words));

function read([first = '', ...rest]: readonly string[]): Before {
  const of = PACKAGES.find((one) => idOf(one) === first);
  const name = of && [`${of.name} ${of.version}`, ...pairsOf(rest).map((pair) => pair.join(' '))].join(', ');
  const strategy = of ? strategyOfPackage(of, pairsOf(rest)) : ownStrategy(first, rest);
  const refusal = refusalOf(strategy);
  if (refusal !== undefined) throw new TypeError(refusal);
  return { name: name ?? title(strategy), strategy, of };
}

function pairsOf(words: readonly string[]): Pair[] {
  if (words.length % 2 === 1) throw new TypeError(`${words.at(-1)} must have a value`);
  return words.flatMap((word, i) => (i % 2 === 0 ? [[word, words[i + 1] ?? '']] : []));
}

function strategyOfPackage(one: Package, pairs: readonly Pair[]): Strategy {
  let all: Changes = one;
  for (const [name, source] of pairs) {
    const reader = Object.hasOwn(one.reads, name) ? one.reads[name] : undefined;
    if (!reader) throw new TypeError(`${name} must be one of ${Object.keys(one.reads).join(', ')}`);
    try {
      const more = reader(source, Object.fromEntries(pairs));
      all = { ...all, ...more, options: { ...all.options, ...more.options } };
    } catch (error) {
      throw new TypeError(`${name} ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return strategyOf(changed(all));
}

function ownStrategy(backoff: string, [jitter = '', ...rest]: readonly string[]): Strategy {
  const oneOf = <T extends string>(name: string, all: readonly T[], word: string): T => {
    const found = all.find((one) => one === word);
    if (found === undefined) throw new TypeError(`${name} must be one of ${all.join(', ')}, got ${word || 'nothing'}`);
    return found;
  };
  const of = PACKAGES.map(idOf);
  const choice = {
    backoff: oneOf('a package or a backoff', [...ALL_BACKOFFS, ...of], backoff) as Strategy['backoff'],
    jitter: oneOf('jitter', ALL_JITTERS, jitter),
  };
  const options = pairsOf(rest).map(([name, word]) =>
    name === 'capRule' ? [name, oneOf(name, CAP_RULES, word)] : [oneOf('an option', OPTION_NAMES, name), Number(word)],
  );
  return { ...INITIAL, ...choice, ...(Object.fromEntries(options) as Partial<Strategy>) };
}

/** The words of a strategy. */
export function wordsOf(strategy: Strategy): string {
  const names = [...OPTION_NAMES, 'capRule'] as const;
  const own = names.filter((name) => strategy[name] !== INITIAL[name]).map((name) => `${name} ${strategy[name]}`);
  return [strategy.backoff, strategy.jitter, ...own].join(' ');
}

/**
 * The words of options as they stand in a program: of the package that the text names, of the chosen one, or of the one
 * that reads most of them. Undefined if no package reads any. Those that are unread are not about how often and how
 * long is waited, or the package does not have them.
 */
export function pastedWords(text: string, chosen: Package | undefined) {
  const pairs = pairsIn(text);
  const known = (one: Package): Pair[] => pairs.filter(([name]) => Object.hasOwn(one.reads, name));
  const isNamed = ({ name }: Package): boolean => {
    const inCode = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    return new RegExp(`\\b(?:${name}|${inCode})\\b`).test(text);
  };
  const ranked = [...PACKAGES.filter(isNamed), ...(chosen ? [chosen] : [])].filter((one) => known(one).length > 0);
  const most = PACKAGES.toSorted((a, b) => known(b).length - known(a).length)[0];
  const of = ranked[0] ?? (most && known(most).length > 0 ? most : undefined);
  if (!of) return undefined;
  const read = new Map(known(of));
  return {
    words: [idOf(of), ...[...read].flat()].join(' '),
    unread: [...new Set(pairs.map(([name]) => name))].filter((name) => !read.has(name)),
  };
}

/** The options in a text with their values as sources without spaces, those of inner objects too. */
function pairsIn(text: string): Pair[] {
  const code = text.replace(/\/\*[^]*?\*\/|(?<!:)\/\/.*|(['"`])\w+:\/\/.*?\1/g, '');
  return [...code.matchAll(/(?<![\w$.?])(['"]?)([A-Za-z_]\w*)\1\s*:/g)].flatMap(([start, , name = ''], i, all) => {
    const from = (all[i]?.index ?? 0) + start.length;
    const value = valueAt(code, from).replace(/\s/g, '');
    return value === '' || value.startsWith('{') ? [] : [[name, value] as const];
  });
}

/** The source up to the comma, or the end of what is open around it. */
function valueAt(code: string, from: number): string {
  let depth = 0;
  for (let i = from; i < code.length; i++) {
    const character = code.charAt(i);
    if (depth === 0 && /[,)}\]]/.test(character)) return code.slice(from, i);
    if (/[([{]/.test(character)) depth++;
    else if (/[)}\]]/.test(character)) depth--;
  }
  return code.slice(from);
}
