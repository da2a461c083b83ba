/** Pasted options of another library, or of rejitter itself, as a rejitter policy and as a strategy of this page. */
import type { RetryPolicy } from 'rejitter';
import { fromData } from 'rejitter/data';
import type { Before } from '../compute/before-after';
import { PRESET_NAMES, changed, presets, type PresetName } from '../state/presets';
import { refusalOf, strategyOf, type Strategy } from '../state/strategy';
import { callbackCall, fetchCall, optionsSource, program, source } from './code';
import { FOREIGN_NAMES, foreign } from './foreign';
import { LIBRARIES, type LibraryName } from './libraries';
import { Call, Fields, Fn, Other, parse, textOf, type Value } from './literal';
import { Pasted, Untranslatable, lastName, reject, remedy, type Library, type Reading } from './reading';
import { Content, OWN_CALLS, SOURCES, genericOf, type Source } from './recognise';

export { SOURCES, type Source };

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
    const parsed = parse(text, presetFields);
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

/** Functions, signals, names for reports, and options of fetch alone: they change no wait of a policy. */
const WITHOUT_WAITS =
  /^(?:on[A-Z]\w*|beforeRetry|retry(?:If|OnResult|On)|signal|name|random|seed|unref|final(?:Error|Result)|metrics|methods|idempotency(?:Key|Header)|protectionKey|hint|respectRetryAfter|throwOnStatus|prepare)$/;

function translatedOwn(content: Content): Translation {
  const call = Object.keys(OWN_CALLS).findLast((name) => content.has(name));
  const fields = call === undefined ? content.optionsFor('rejitter') : (content.fieldsFor('rejitter') ?? new Fields());
  const preset = fields.preset as PresetName | undefined;
  const notes = fields.spreads.map((what) => `\`${what}\` is not read: this page runs no pasted code.`);
  const options: Record<string, unknown> = { ...(call === undefined ? {} : OWN_CALLS[call]) };
  for (const [name, value] of fields.map) {
    // The same as in the preset, or unset.
    if (value === PRESET_FIELDS.get(preset)?.map.get(name)) continue;
    if (name === 'protection') notes.push('`protection` is left out: the waits are those without it.');
    else if (WITHOUT_WAITS.test(name)) notes.push(`\`${name}\` is left out: it changes no wait.`);
    else Object.defineProperty(options, name, { value: plain(name, value), enumerable: true });
  }
  if ('version' in options) {
    const code = program(`const policy = fromData(${source(options)});`, callbackCall('policy.run'));
    return { from: 'a policy as JSON', code, notes, ...drawn(fromData(options)) };
  }
  const sends = call === 'createFetch' || call === 'fetchWithRetry';
  return finished('rejitter', { options, notes, ...(preset && { preset }), ...(sends && { fetch: {} }) });
}

/** The presets that names in a pasted text stand for. */
const PRESET_FIELDS = new Map<string | undefined, Fields>(
  PRESET_NAMES.map((name) => {
    const fields = fieldsOf(presets[name]);
    fields.preset = name;
    return [name, fields];
  }),
);

function presetFields(name: string, module = 'rejitter/presets'): Fields | undefined {
  return module === 'rejitter/presets' ? PRESET_FIELDS.get(name) : undefined;
}

/** A predicate changes no wait. */
function fieldsOf(options: object): Fields {
  const fields = new Fields();
  for (const [name, value] of Object.entries(options))
    if (typeof value !== 'function') fields.map.set(name, typeof value === 'object' ? fieldsOf(value) : value);
  return fields;
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
  const policy = changed(reading);
  const code = fetch
    ? program(
        `const fetch = createFetch(${optionsSource({ ...reading, options: { ...options, ...fetch } })});`,
        fetchCall,
      )
    : program(`const policy = new RetryPolicy(${optionsSource(reading)});`, callbackCall('policy.run'));
  const changes = Object.keys(options).length === 0 ? '' : ', with the numbers from the text';
  const shown = preset === undefined ? 'its waits are drawn' : `the preset \`${preset}\` is drawn${changes}`;
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
