/** Pasted options of another library, or of rejitter itself, as a rejitter policy and as what the page draws. */
import { RetryPolicy, type PolicyOptions, type PresetName } from 'rejitter';
import type { Strategy } from '../state/strategy';
import { URL, program, source } from './code';
import { drawable } from './drawable';
import { LIBRARIES, Pasted, Untranslatable, lastName, type Library, type LibraryName, type Options } from './libraries';
import { Call, Fields, Other, parse, textOf, type Value } from './literal';

export type Source = LibraryName | 'rejitter';
export const SOURCES = [...Object.keys(LIBRARIES), 'rejitter'] as readonly Source[];

export interface Translation {
  /** `p-retry 9.0.0`. */
  readonly from: string;
  /** The policy in rejitter's own words, exactly, as a program. */
  readonly code: string;
  /** What is not the same in rejitter. */
  readonly notes: readonly string[];
  /** The nearest that the page draws, and what is drawn otherwise. */
  readonly strategy: Strategy;
  readonly drawn: readonly string[];
  readonly policy: RetryPolicy;
}

export interface Refusal {
  readonly error: string;
}

export function exampleOf(source: Source): string {
  return source === 'rejitter' ? "retryWithFullJitter(fetchOrders, {\n  baseMs: 50,\n  capMs: 8000,\n  maxAttempts: 8,\n});" : LIBRARIES[source].example;
}

export function translate(text: string, from: Source | 'detect'): Translation | Refusal {
  const { values, error } = parse(text);
  const found = new Found(values, text);
  const source = from === 'detect' ? found.detected() : from;
  try {
    // What follows the options may be any code; what was read until then counts.
    if (error !== undefined && (source === undefined || found.fieldsFor(source) === undefined)) throw new Untranslatable(error);
    if (text.trim() === '') throw new Untranslatable('Nothing is pasted yet.');
    if (source === undefined) throw new Untranslatable('These are options of no library known here. Choose one, or paste the call with its function.');
    return source === 'rejitter' ? translatedOwn(found) : translated(LIBRARIES[source], source, found);
  } catch (refused) {
    // The package's own errors are written to be read, too.
    if (refused instanceof Untranslatable || refused instanceof RangeError || refused instanceof TypeError) return { error: refused.message };
    throw refused;
  }
}

/** What was pasted, looked through for what can be recognised. */
class Found {
  readonly calls = new Map<string, Call>();
  private readonly names = new Set<string>();
  private readonly objects: Fields[] = [];
  private readonly text: string;

  constructor(values: readonly Value[], text: string) {
    this.text = text;
    for (const value of values) this.collect(value);
  }

  private collect(value: Value): void {
    if (value instanceof Call) {
      const name = lastName(value.callee);
      if (!this.calls.has(name)) this.calls.set(name, value.callee === name ? value : new Call(name, value.args));
      this.names.add(value.callee).add(name);
      value.args.forEach((arg) => this.collect(arg));
    } else if (value instanceof Fields) {
      this.objects.push(value);
      for (const field of value.map.values()) this.collect(field);
    } else if (value instanceof Other && value.kind === 'name') {
      this.names.add(lastName(value.text));
    }
  }

  has(name: string): boolean {
    return this.names.has(name);
  }

  /** The library with the most of its names here; undefined when there are none. */
  detected(): Source | undefined {
    const scores = SOURCES.map((source) => ({ source, score: this.score(source) }));
    const best = scores.reduce((best, other) => (other.score > best.score ? other : best));
    return best.score > 0 ? best.source : undefined;
  }

  private score(source: Source): number {
    const callees = source === 'rejitter' ? Object.keys(OWN_CALLS) : LIBRARIES[source].callees;
    const imported = [`'${source}'`, `"${source}"`, ...(source === 'rejitter' ? ["'rejitter/fetch'"] : [])].some((name) => this.text.includes(name));
    // A name that several libraries share, like retry, says nothing.
    const called = callees.filter((name) => this.names.has(name)).length;
    const fields = this.fieldsFor(source);
    const known = fields ? optionsOf(source).filter((name) => fields.map.has(name)).length : 0;
    const words = source === 'rejitter' && fields ? ['backoff', 'jitter'].filter((name) => isWord(fields.map.get(name))).length : 0;
    return (imported ? 100 : 0) + 10 * called + known + words;
  }

  /** The object that holds most of the options of this library; the outer one of two. */
  fieldsFor(source: Source): Fields | undefined {
    const names = optionsOf(source);
    const count = (fields: Fields) => names.filter((name) => fields.map.has(name)).length;
    const best = this.objects.reduce<Fields | undefined>((best, fields) => (best === undefined || count(fields) > count(best) ? fields : best), undefined);
    return best && count(best) > 0 ? best : undefined;
  }

  /** Also where a call without options says enough, or the user has said which library it is. */
  optionsFor(source: Source): Fields {
    return this.fieldsFor(source) ?? this.objects[0] ?? (this.calls.size > 0 ? new Fields() : refuse('No options are found in this: paste an object or a call.'));
  }
}

/** As rejitter has them: a name, or `{ type: … }`. */
function isWord(value: Value): boolean {
  return typeof value === 'string' || value instanceof Fields;
}

function refuse(message: string): never {
  throw new Untranslatable(message);
}

function optionsOf(source: Source): readonly string[] {
  if (source === 'rejitter') return OWN_OPTIONS;
  const { read, others } = LIBRARIES[source] as Library;
  return [...read, ...Object.keys(others)];
}

function translated(library: Library, name: LibraryName, found: Found): Translation {
  let fields = found.optionsFor(name);
  // Of cockatiel's two objects the outer one belongs to retry().
  const outer = name === 'cockatiel' ? found.calls.get('retry')?.args.find((arg) => arg instanceof Fields) : undefined;
  if (outer instanceof Fields) fields = outer;
  const { options, preset, notes } = library.translate(new Pasted(fields, found.calls));
  return finished(`${name} ${library.version}`, options, preset, [...notes, ...leftOver(library, name, fields)]);
}

/** Options that are functions or signals, and what nobody knows. */
function leftOver({ version, read, others }: Library, name: string, fields: Fields): string[] {
  const notes = fields.spreads.map((what) => `\`…${what}\` is not read: nothing that is pasted here is run.`);
  const unknown: string[] = [];
  for (const key of fields.map.keys()) {
    const here = Object.hasOwn(others, key) ? others[key] : undefined;
    if (here === 'nothing') notes.push(`\`${key}\` has no counterpart.`);
    else if (here !== undefined) notes.push(key === here ? `\`${key}\` is to be passed along.` : `\`${key}\` is \`${here}\` here.`);
    else if (!read.includes(key)) unknown.push(key);
  }
  if (unknown.length > 0) notes.push(`${name} ${version} has no ${unknown.length === 1 ? 'option' : 'options'} ${unknown.join(', ')}: left out.`);
  return notes;
}

/** What the named functions stand for. */
const OWN_CALLS: Readonly<Record<string, Options>> = {
  retryWithFullJitter: { jitter: 'full' },
  retryWithEqualJitter: { jitter: 'equal' },
  retryWithDecorrelatedJitter: { jitter: 'decorrelated' },
  retryWithExponentialBackoff: { backoff: 'exponential', jitter: 'none' },
  retryWithLinearBackoff: { backoff: 'linear', jitter: 'none' },
  retryWithFixedDelay: { backoff: 'fixed', jitter: 'none' },
  retryWithTruncatedBackoff: { backoff: 'truncated', jitter: 'full', maxAttempts: Infinity },
  RetryPolicy: {},
  'RetryPolicy.preset': {},
  'RetryPolicy.fromJSON': {},
  createFetch: {},
  fetchWithRetry: {},
  retrySync: {},
};

/** By which rejitter's own options are recognised. */
const OWN_OPTIONS = ['baseMs', 'capMs', 'minMs', 'stepMs', 'truncateAt', 'maxAttempts', 'attemptTimeoutMs', 'totalTimeoutMs', 'maxRetryAfterMs', 'longRetryAfter', 'backoff', 'jitter', 'factor', 'preset', 'version', 'capRule'];

/** Options that are functions, signals, words for reports, or of fetch alone: they change no wait of a policy. */
const WITHOUT_WAITS = /^(?:on[A-Z]\w*|beforeRetry|retry(?:If|OnResult|On)|signal|name|random|seed|unref|final(?:Error|Result)|metrics|methods|idempotency(?:Key|Header)|hint|respectRetryAfter|throwOnStatus|prepare)$/;

function translatedOwn(found: Found): Translation {
  const call = Object.keys(OWN_CALLS).findLast((name) => found.has(name));
  const fields = call === undefined ? found.optionsFor('rejitter') : (found.fieldsFor('rejitter') ?? new Fields());
  let preset: unknown = found.calls.get('preset')?.args[0];
  const notes = fields.spreads.map((what) => `\`…${what}\` is not read: nothing that is pasted here is run.`);
  const options: Record<string, unknown> = { ...(call === undefined ? {} : OWN_CALLS[call]) };
  for (const [name, value] of fields.map) {
    if (WITHOUT_WAITS.test(name)) notes.push(`\`${name}\` is left out: it changes no wait.`);
    // createFetch has it among its options.
    else if (name === 'preset') preset ??= plain(name, value);
    else Object.defineProperty(options, name, { value: plain(name, value), enumerable: true });
  }
  if ('version' in options) {
    const policy = RetryPolicy.fromJSON(options);
    const code = program('rejitter', ['RetryPolicy'], `const policy = RetryPolicy.fromJSON(${source(options)});`, POLICY_CALL);
    return { from: 'a policy as JSON', code, notes, ...drawnOf(policy) };
  }
  return finished('rejitter', options, typeof preset === 'string' ? (preset as PresetName) : undefined, notes);
}

/** As data, which RetryPolicy checks. */
function plain(name: string, value: Value): unknown {
  if (value instanceof Fields) return Object.fromEntries([...value.map].map(([key, part]) => [key, plain(`${name}.${key}`, part)]));
  if (Array.isArray(value)) return value.map((part: Value) => plain(name, part));
  if (value instanceof Other || value instanceof Call) return refuse(`${name} is ${textOf(value)}, which has no value here: nothing that is pasted is run.`);
  return value;
}

const POLICY_CALL = `const response = await policy.run(({ signal }) => {
  return fetch('${URL}', { signal });
});`;

function finished(from: string, options: Options, preset: PresetName | undefined, notes: readonly string[]): Translation {
  const policy = preset === undefined ? new RetryPolicy(options as PolicyOptions) : RetryPolicy.preset(preset, options as PolicyOptions);
  const made = preset === undefined ? `new RetryPolicy(${source(options)})` : `RetryPolicy.preset('${preset}', ${source(options)})`;
  const code = program('rejitter', ['RetryPolicy'], `const policy = ${made};`, POLICY_CALL);
  return { from, code, notes, ...drawnOf(policy) };
}

function drawnOf(policy: RetryPolicy): Pick<Translation, 'policy' | 'strategy' | 'drawn'> {
  const { strategy, notes } = drawable(policy.toJSON());
  return { policy, strategy, drawn: notes };
}
