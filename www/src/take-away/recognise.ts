/** Which library pasted options belong to: by the names of its functions, modules and options. */
import { LIBRARIES, type LibraryName } from './libraries';
import { Call, Fields, type Found, type Parsed, type Value } from './literal';
import { lastName, reject, type Library, type Options } from './reading';

export type Source = LibraryName | 'rejitter';
export const SOURCES = [...Object.keys(LIBRARIES), 'rejitter'] as readonly Source[];

/** Options that the named functions imply. */
export const OWN_CALLS: Readonly<Record<string, Options>> = {
  retryWithFullJitter: { jitter: 'full' },
  retryWithEqualJitter: { jitter: 'equal' },
  retryWithDecorrelatedJitter: { jitter: 'decorrelated' },
  retryWithExponentialBackoff: { backoff: 'exponential', jitter: 'none' },
  retryWithLinearBackoff: { backoff: 'linear', jitter: 'none' },
  retryWithFixedDelay: { backoff: 'fixed', jitter: 'none' },
  retryWithTruncatedBackoff: { backoff: 'truncated', jitter: 'full', maxAttempts: Infinity },
  RetryPolicy: {},
  fromData: {},
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
  'version',
  'capRule',
];

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
  'version',
]);

/** Enough to be sure without a name of the library. */
const SURE = 2;

type Answer = 'own' | 'generic' | 'none' | 'unknown';

/** The pasted calls and objects, searched for what can be recognised. */
export class Content {
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

function optionsOf(source: Source): readonly string[] {
  if (source === 'rejitter') return OWN_OPTIONS;
  const { read, others } = LIBRARIES[source] as Library;
  return [...read, ...Object.keys(others)];
}

function calleesOf(source: Source): readonly string[] {
  return source === 'rejitter' ? Object.keys(OWN_CALLS) : (LIBRARIES[source] as Library).callees;
}

export function genericOf(source: Source): readonly string[] {
  return source === 'rejitter' ? ['retry'] : ((LIBRARIES[source] as Library).generic ?? []);
}

function modulesOf(source: Source): readonly string[] {
  return source === 'rejitter' ? ['rejitter', 'rejitter/'] : ((LIBRARIES[source] as Library).modules ?? [source]);
}
