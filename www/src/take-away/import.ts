/** Pasted options of another library, or of rejitter itself, as a rejitter policy and as a strategy of this page. */
import { RetryPolicy, type PolicyOptions, type PresetName } from 'rejitter';
import type { Before } from '../compute/before-after';
import { refusalOf, strategyOf, type Strategy } from '../state/strategy';
import { callbackCall, fetchCall, program, source } from './code';
import { FOREIGN_NAMES, foreign } from './foreign';
import { LIBRARIES, type LibraryName } from './libraries';
import { Call, Fields, Fn, Other, parse, textOf, type Found, type Parsed, type Value } from './literal';
import { Pasted, Untranslatable, lastName, remedy, type Library, type Options, type Reading } from './reading';

export type Source = LibraryName | 'rejitter';
export const SOURCES = [...Object.keys(LIBRARIES), 'rejitter'] as readonly Source[];

export interface Translation {
  /** `p-retry 9.0.0`. */
  readonly from: string;
  /** Set if the library was recognised by its names only. */
  readonly looksLike?: string;
  /** The policy in rejitter's own words, exactly, as a program. */
  readonly code: string;
  /** Differences from the library. */
  readonly notes: readonly string[];
  readonly policy: RetryPolicy;
  readonly strategy: Strategy;
  /** Why the figures cannot draw the strategy, if they cannot. */
  readonly undrawable: string | undefined;
  /** The library's own waits. */
  readonly before: Before;
}

export interface Refusal {
  readonly error: string;
  /** Libraries to choose from, if the text does not say which one it is. */
  readonly choices?: readonly Source[];
}

export function exampleOf(source: Source): string {
  return source === 'rejitter'
    ? 'retryWithFullJitter(fetchOrders, {\n  baseMs: 50,\n  capMs: 8000,\n  maxAttempts: 8,\n});'
    : LIBRARIES[source].example;
}

export function translate(text: string, from: Source | 'detect'): Translation | Refusal {
  if (text.trim() === '') return { error: 'Paste the options of your library, or the whole call.' };
  try {
    const parsed = parse(text);
    const content = new Content(parsed, text);
    const detected = from === 'detect' ? content.detected() : { source: from };
    if (detected.source === undefined) {
      const other = foreign(text);
      if (other) return finished(other.name, other.reading, other.name);
      return refusalFor(content, detected.candidates ?? [], parsed.error);
    }
    // Any code may follow the options: what was read before it counts.
    if (parsed.error !== undefined && !content.understands(detected.source)) return { error: parsed.error };
    return detected.source === 'rejitter'
      ? translatedOwn(content)
      : translated(LIBRARIES[detected.source], detected.source, content);
  } catch (failure) {
    // The package's own errors are written for users, too.
    if (failure instanceof Untranslatable || failure instanceof RangeError || failure instanceof TypeError)
      return { error: failure.message };
    throw failure;
  }
}

/** Asks, or says what is supported. */
function refusalFor(content: Content, candidates: readonly Source[], error: string | undefined): Refusal {
  const unknown = content.unknown();
  const shared = candidates.some((source) => unknown !== undefined && genericOf(source).includes(lastName(unknown)));
  if (unknown !== undefined && !shared) {
    return {
      error:
        `\`${unknown}\` is not supported. If its options mean the same as those of a supported library, choose ` +
        'that library.',
      choices: candidates.length > 0 ? candidates : SOURCES,
    };
  }
  if (candidates.length > 1)
    return { error: 'These options fit more than one library. Which one do you use?', choices: candidates };
  if (candidates.length === 1)
    return {
      error: 'One option is not enough to recognise a library. Which one do you use?',
      choices: [...candidates, ...SOURCES.filter((name) => !candidates.includes(name))],
    };
  // A mistake in options of JavaScript has a place. Other languages have none that would help.
  if (error !== undefined && (!error.startsWith('Line') || content.hasOption())) return { error };
  return {
    error:
      `No supported library is recognised here. Supported by their options: ${SOURCES.join(', ')}. Recognised by ` +
      `their names: ${FOREIGN_NAMES.join(', ')}.`,
    choices: SOURCES,
  };
}

/** Names that many packages share: one of them alone says nothing. */
const GENERIC = new Set([
  'retry',
  'retries',
  'maxAttempts',
  'jitter',
  'factor',
  'delay',
  'timeout',
  'limit',
  'backoff',
  'methods',
  'maxDelay',
  'minDelay',
  'initialDelay',
  'generator',
  'exponent',
  'preset',
  'version',
]);

/** Enough to be sure without a name of the library. */
const SURE = 2;

type Answer = 'own' | 'generic' | 'none' | 'unknown';

/** The pasted calls and objects, searched for what can be recognised. */
class Content {
  readonly calls = new Map<string, Call>();
  readonly objects: readonly Found<Fields>[];
  private readonly parsed: Parsed;
  private readonly text: string;

  constructor(parsed: Parsed, text: string) {
    this.parsed = parsed;
    this.text = text;
    this.objects = parsed.objects;
    for (const { value } of parsed.calls) {
      const name = lastName(value.callee);
      if (!this.calls.has(name)) this.calls.set(name, new Call(name, value.args));
    }
  }

  has(name: string): boolean {
    return (
      this.parsed.names.has(name) ||
      this.parsed.calls.some(({ value }) => value.callee === name || lastName(value.callee) === name)
    );
  }

  /** Any option of a supported library, also where the text cannot be read. */
  hasOption(): boolean {
    const options = SOURCES.flatMap(optionsOf).join('|');
    const callees = SOURCES.flatMap(calleesOf)
      .filter((name) => /^\w+$/.test(name))
      .join('|');
    return new RegExp(`\\b(?:${options})['"]?\\s{0,20}:(?!:)|\\b(?:${callees})\\s{0,20}\\(`).test(this.text);
  }

  /** A function or module that decides that no supported library is meant. */
  unknown(): string | undefined {
    const outermost =
      this.objects.map(({ within }) => within.at(-1)).find((callee) => callee !== undefined) ??
      this.parsed.calls[0]?.value.callee;
    if (outermost === undefined) return undefined;
    return (
      this.parsed.modules.get(rootOf(outermost)) ?? outermost.replace(/\(\).*$/, '').replace(/^…\.?/, '') ?? undefined
    );
  }

  /** The library, if the text is clear about it; else those that have these options, the likeliest first. */
  detected(): { source?: Source; candidates?: readonly Source[] } {
    // A name alone, where nothing else could be read, may be any language.
    if (this.parsed.error !== undefined && this.objects.length === 0 && this.calls.size === 0) return {};
    const scores = SOURCES.map((source) => ({ source, ...this.score(source) })).sort((a, b) => b.score - a.score);
    const [best, second] = scores;
    if (!best || best.score === 0) return { candidates: [] };
    if (best.score >= SURE && best.score > (second?.score ?? 0)) return { source: best.source };
    return {
      candidates: scores.filter(({ score }) => score > 0 && score >= best.score - 1).map(({ source }) => source),
    };
  }

  private score(source: Source): { score: number } {
    const called =
      this.parsed.calls.some(({ value }) => this.answer(source, value.callee) === 'own') ||
      calleesOf(source).some((name) => this.parsed.names.has(name));
    const allowed = this.objects.filter(({ within }) => this.allows(source, within));
    const names = optionsOf(source);
    const points = ({ value: { map } }: Found<Fields>): number =>
      names.reduce((sum, name) => sum + (!map.has(name) ? 0 : isDistinctive(name) ? 2 : 1), 0) +
      (source === 'rejitter' ? ['backoff', 'jitter'].filter((name) => isWord(map.get(name))).length : 0);
    return { score: (called ? 10 : 0) + Math.max(0, ...allowed.map(points)) };
  }

  /** A name of the library decides for it, an unknown callee against it. */
  private allows(source: Source, within: readonly string[]): boolean {
    const answers = within.map((callee) => this.answer(source, callee));
    return answers.length === 0 || answers.includes('own') || answers.includes('generic');
  }

  private answer(source: Source, callee: string): Answer {
    const module = this.parsed.modules.get(rootOf(callee));
    const plain = callee.replaceAll('()', '');
    if (module !== undefined)
      return modulesOf(source).some((name) => module === name || (name.endsWith('/') && module.startsWith(name)))
        ? 'own'
        : 'unknown';
    const known = calleesOf(source);
    if (
      known.includes(plain) ||
      known.includes(lastName(plain)) ||
      (known.includes(rootOf(callee)) && callee.includes('()'))
    )
      return 'own';
    return genericOf(source).includes(lastName(plain)) ? 'generic' : 'unknown';
  }

  understands(source: Source): boolean {
    return (
      this.found(source) !== undefined ||
      this.parsed.calls.some(({ value }) => this.answer(source, value.callee) === 'own')
    );
  }

  /** The object that holds most of the options of this library; the outer one of two. */
  private found(source: Source): Found<Fields> | undefined {
    const names = optionsOf(source);
    const count = ({ value }: Found<Fields>): number => names.filter((name) => value.map.has(name)).length;
    const allowed = this.objects.filter(({ within }) => this.allows(source, within));
    const best = [...(allowed.length > 0 ? allowed : this.objects)].reduce<Found<Fields> | undefined>(
      (most, next) => (most === undefined || count(next) > count(most) ? next : most),
      undefined,
    );
    return best && count(best) > 0 ? best : undefined;
  }

  fieldsFor(source: Source): Fields | undefined {
    return this.found(source)?.value;
  }

  /** Also where a call has no options, or the reader says which library it is. */
  optionsFor(source: Source): Fields {
    return (
      this.fieldsFor(source) ??
      this.objects[0]?.value ??
      (this.calls.size > 0 ? new Fields() : reject('No options are found in this text: paste an object or a call.'))
    );
  }

  /** The object that has this one as an option. */
  around(fields: Fields): Fields | undefined {
    return this.objects.find(({ value }) => [...value.map.values()].includes(fields))?.value;
  }
}

function rootOf(callee: string): string {
  return /^[\w$]*/.exec(callee)?.[0] ?? '';
}

function isDistinctive(name: string): boolean {
  return !GENERIC.has(name) && SOURCES.filter((source) => optionsOf(source).includes(name)).length === 1;
}

/** Whether a value is one of rejitter's backoffs or jitters: a name, or `{ type: … }`. */
function isWord(value: Value): boolean {
  return typeof value === 'string' || value instanceof Fields;
}

function reject(message: string): never {
  throw new Untranslatable(message);
}

function optionsOf(source: Source): readonly string[] {
  if (source === 'rejitter') return OWN_OPTIONS;
  const { read, others } = LIBRARIES[source] as Library;
  return [...read, ...Object.keys(others)];
}

function calleesOf(source: Source): readonly string[] {
  return source === 'rejitter' ? Object.keys(OWN_CALLS) : (LIBRARIES[source] as Library).callees;
}

function genericOf(source: Source): readonly string[] {
  return source === 'rejitter' ? ['retry', 'preset', 'fromJSON'] : ((LIBRARIES[source] as Library).generic ?? []);
}

function modulesOf(source: Source): readonly string[] {
  return source === 'rejitter' ? ['rejitter', 'rejitter/'] : ((LIBRARIES[source] as Library).modules ?? [source]);
}

function translated(library: Library, name: LibraryName, content: Content): Translation {
  let fields = content.optionsFor(name);
  // The outer one of cockatiel's two objects belongs to retry().
  const outer =
    name === 'cockatiel' ? content.calls.get('retry')?.args.find((arg) => arg instanceof Fields) : undefined;
  if (outer instanceof Fields) fields = outer;
  const inner = library.inside ? fields.map.get(library.inside) : undefined;
  const around = inner instanceof Fields ? fields : content.around(fields);
  if (inner instanceof Fields) fields = inner;
  const reading = library.translate(new Pasted(fields, content.calls, around));
  const notes = [...reading.notes, ...leftOver(library, name, fields, around)];
  return finished(`${name} ${library.version}`, { ...reading, notes });
}

/** Options that are functions or signals, and unknown options. */
function leftOver(
  { version, read, others, inside, also = [] }: Library,
  name: string,
  fields: Fields,
  around: Fields | undefined,
): string[] {
  const notes = fields.spreads.map((what) => `\`${what}\` is not read: this page runs no pasted code.`);
  const unknown: string[] = [];
  for (const key of fields.map.keys()) {
    const ours = Object.hasOwn(others, key) ? others[key] : undefined;
    if (ours === 'nothing') notes.push(`\`${key}\` has no counterpart.`);
    else if (ours !== undefined)
      notes.push(key === ours ? `Pass \`${key}\` as it is.` : `\`${key}\` is \`${ours}\` in rejitter.`);
    else if (!read.includes(key)) unknown.push(key);
  }
  // A client has many options that have nothing to do with retrying.
  const ofClient = inside !== undefined && (inside === '' || fields.map.has(inside));
  const aside = ofClient
    ? unknown
    : [...(inside ? (around?.map.keys() ?? []) : [])].filter((key) => key !== inside && !also.includes(key));
  if (aside.length > 0) notes.push(`Not translated, because it is not about retries: ${listed(aside)}.`);
  if (unknown.length > 0 && !ofClient)
    notes.push(`Not translated, because ${name} ${version} has no such option: ${listed(unknown)}.`);
  return notes;
}

function listed(names: readonly string[]): string {
  const first = names.slice(0, 8).map((name) => `\`${name.slice(0, 40)}\``);
  return `${first.join(', ')}${names.length > 8 ? ` and ${names.length - 8} more` : ''}`;
}

/** Options that the named functions imply. */
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

/** Options that identify rejitter. */
const OWN_OPTIONS = [
  'baseMs',
  'capMs',
  'minMs',
  'stepMs',
  'truncateAt',
  'maxAttempts',
  'attemptTimeoutMs',
  'totalTimeoutMs',
  'maxRetryAfterMs',
  'longRetryAfter',
  'backoff',
  'jitter',
  'factor',
  'preset',
  'version',
  'capRule',
];

/** Functions, signals, names for reports, and options of fetch alone: they change no wait of a policy. */
const WITHOUT_WAITS =
  /^(?:on[A-Z]\w*|beforeRetry|retry(?:If|OnResult|On)|signal|name|random|seed|unref|final(?:Error|Result)|metrics|methods|idempotency(?:Key|Header)|protectionKey|hint|respectRetryAfter|throwOnStatus|prepare)$/;

function translatedOwn(content: Content): Translation {
  const call = Object.keys(OWN_CALLS).findLast((name) => content.has(name));
  const fields = call === undefined ? content.optionsFor('rejitter') : (content.fieldsFor('rejitter') ?? new Fields());
  let preset: unknown = content.calls.get('preset')?.args[0];
  const notes = fields.spreads.map((what) => `\`${what}\` is not read: this page runs no pasted code.`);
  const options: Record<string, unknown> = { ...(call === undefined ? {} : OWN_CALLS[call]) };
  for (const [name, value] of fields.map) {
    if (name === 'protection') notes.push('`protection` is left out: the waits are those without it.');
    else if (WITHOUT_WAITS.test(name)) notes.push(`\`${name}\` is left out: it changes no wait.`);
    // createFetch has it among its options.
    else if (name === 'preset') preset ??= plain(name, value);
    else Object.defineProperty(options, name, { value: plain(name, value), enumerable: true });
  }
  if ('version' in options) {
    const policy = RetryPolicy.fromJSON(options);
    const code = program(
      'rejitter',
      ['RetryPolicy'],
      `const policy = RetryPolicy.fromJSON(${source(options)});`,
      callbackCall('policy.run'),
    );
    return { from: 'a policy as JSON', code, notes, ...drawn(policy) };
  }
  const sends = call === 'createFetch' || call === 'fetchWithRetry';
  return finished('rejitter', {
    options,
    notes,
    ...(typeof preset === 'string' && { preset: preset as PresetName }),
    ...(sends && { fetch: {} }),
  });
}

/** A value as data, which RetryPolicy checks. */
function plain(name: string, value: Value, budget = { left: 2000 }): unknown {
  if (--budget.left < 0) return reject(`${name} has too many parts.`);
  if (value instanceof Fields)
    return Object.fromEntries([...value.map].map(([key, part]) => [key, plain(`${name}.${key}`, part, budget)]));
  if (Array.isArray(value)) return value.map((part: Value) => plain(name, part, budget));
  if (value instanceof Other || value instanceof Call || value instanceof Fn)
    return reject(`${name} must be a value, got ${textOf(value)}.${remedy(value)}`);
  return value;
}

/** The program, and what it draws. */
function finished(from: string, reading: Reading, looksLike?: string): Translation {
  const { options, preset, notes, before, fetch } = reading;
  const policy =
    preset === undefined
      ? new RetryPolicy(options as PolicyOptions)
      : RetryPolicy.preset(preset, options as PolicyOptions);
  const none = Object.keys(options).length === 0;
  const made =
    preset === undefined
      ? `new RetryPolicy(${source(options)})`
      : `RetryPolicy.preset('${preset}'${none ? '' : `, ${source(options)}`})`;
  const code = fetch
    ? program(
        'rejitter/fetch',
        ['createFetch'],
        `const fetch = createFetch(${source({ ...(preset !== undefined && { preset }), ...options, ...fetch })});`,
        fetchCall,
      )
    : program('rejitter', ['RetryPolicy'], `const policy = ${made};`, callbackCall('policy.run'));
  const shown =
    preset === undefined
      ? 'its waits are drawn'
      : `the preset \`${preset}\` is drawn${none ? '' : ', with the numbers from the text'}`;
  const opening = looksLike === undefined ? undefined : `This looks like ${looksLike}: ${shown}.`;
  return { from, code, notes, ...drawn(policy, before), ...(opening !== undefined && { looksLike: opening }) };
}

function drawn(
  policy: RetryPolicy,
  before?: Before,
): Pick<Translation, 'policy' | 'strategy' | 'undrawable' | 'before'> {
  const strategy = strategyOf(policy);
  const undrawable =
    strategy.maxAttempts < 2 ? 'One attempt makes no wait, so there is nothing to draw.' : refusalOf(strategy);
  return { policy, strategy, undrawable, before: before ?? { kind: 'policy', data: policy.toJSON() } };
}
