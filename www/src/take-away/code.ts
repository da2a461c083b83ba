/** The chosen strategy as programs, ready to run. */
import { WINDOW_MS, shareOf } from '../rate-limit/quota';
import { rust } from './rust';
import { PARTS, type PROGRAMS, partsIn, type Part, type State } from '../state/state';
import { PRESETS, PRESET_NAMES, type Changes } from '../state/presets';
import { capRuleActs, policyData, policyOptions, sameStrategy, type Strategy } from '../state/strategy';

export const URL = 'https://example.com/orders';

/** The longest that an attempt of the fetch wrapper may take, and the share of a deadline that it may. */
const ATTEMPT_TIMEOUT_MS = 5000;
const ATTEMPT_SHARE = 1 / 2;

/** The parts that the calls share, in the order in which they are printed, with their options. */
type Parts = Readonly<Partial<Record<Part, Options>>>;

/** The parts that the page has chosen. */
export function partsOf({ protection, processes, hedgeMs }: State): Parts {
  // With the options of the figures beside it.
  const options = {
    ...{ budget: {}, breaker: {}, cooldown: {} },
    limiter: { limit: shareOf(processes), perMs: WINDOW_MS },
    hedge: { delayMs: hedgeMs },
  };
  return Object.fromEntries(partsIn(protection).map((part) => [part, options[part]]));
}

/** `parts`: made once, so that all calls share them. */
export function programs(strategy: Strategy, parts: Parts = {}): Readonly<Record<(typeof PROGRAMS)[number], string>> {
  return {
    fetch: wrapper(strategy, parts),
    call: named(strategy, parts),
    delays: delays(strategy),
    rust: rust(strategy),
  };
}

/** The option of a program that shares parts. */
const PROTECTION = 'protection';

/** Comments on numbers that suit no server but the simulated one. */
const NOTES: Readonly<Partial<Record<Part, string>>> = {
  limiter: '// The quota of the simulated server. Take the one of yours, divided by the number of processes.\n',
  hedge: '// Without delayMs, a hedge starts when an attempt takes longer than 95% of the recent first attempts.\n',
};

/** The statement that makes what the calls share, with a comment on who shares it. */
function sharing(parts: Parts, whose: string): readonly string[] {
  if (isEmpty(parts)) return [];
  const calls = Object.entries(parts).map(([part, options]) => `${part}(${isEmpty(options) ? '' : inline(options)})`);
  const notes = PARTS.map((part) => (parts[part] && NOTES[part]) ?? '').join('');
  return [`// ${whose}\n${notes}const ${PROTECTION} = protect(${calls.join(', ')});`];
}

function isEmpty(options: object): boolean {
  return Object.keys(options).length === 0;
}

/** How a program uses what it imports from each module. */
const USES: Readonly<Record<string, RegExp>> = {
  '@aws-sdk/client-sqs': /\b(?:ChangeMessageVisibilityCommand|SQSClient)(?=\()/g,
  bullmq: /\b(?:Queue|Worker)(?=\()/g,
  rejitter: /\b(?:RetryPolicy|retry|retryAfter)(?=\()/g,
  'rejitter/fetch': /\b(?:createFetch|retryAfterMs)(?=\()/g,
  'rejitter/engines': /\b(?:bullmq|sqs)(?=[.(])/g,
  'rejitter/data': /\bfromData(?=\()/g,
  'rejitter/presets': new RegExp(`(?<=[(.]|: )(?:${PRESET_NAMES.join('|')}|goRetryableHttpRetryOn)\\b`, 'g'),
  'rejitter/protection': /\b(?:breaker|budget|cooldown|hedge|limiter|protect)(?=\()/g,
};

/** The statements with an empty line between them, after the imports of what they use. */
export function program(...statements: readonly string[]): string {
  const text = statements.join('\n\n');
  const imports = Object.entries(USES).map(([module, uses]) => {
    const names = [...new Set(text.match(uses))].sort();
    return names.length === 0 ? '' : `import { ${names.join(', ')} } from '${module}';\n`;
  });
  return `${imports.join('')}\n${text}\n`;
}

/**
 * A call whose callback throws on statuses that are worth a retry, because fetch resolves on them. The error has the
 * status, by which a breaker counts it, and the server's wait, which the retry and a cooldown follow.
 */
export function callbackCall(name: string, ...more: readonly string[]): string {
  const body = `async ({ signal }) => {
  const response = await fetch('${URL}', { signal });
  if (response.status === 429 || response.status >= 500) {
    await response.body?.cancel();
    const error = Object.assign(new Error(\`HTTP \${response.status}\`), { status: response.status });
    const delayMs = retryAfterMs(response);
    throw delayMs === undefined ? error : retryAfter(delayMs, error);
  }
  return response;
}`;
  const comment = '// For requests that may be sent twice, such as a GET. The wait of a Retry-After is followed.\n';
  if (more.length === 0) return `${comment}const response = await ${name}(${body});`;
  const lines = [body, ...more].map((arg) => `  ${arg.replaceAll('\n', '\n  ')},\n`);
  return `${comment}const response = await ${name}(\n${lines.join('')});`;
}

/** A call of a fetch that retries by itself. */
export const fetchCall = `const response = await fetch('${URL}');`;

type Options = Readonly<Record<string, unknown>>;

/** How a program makes a policy: from options, or from data, which alone can set any cap rule. */
type Making = Changes | { readonly data: Options };

function making(strategy: Strategy): Making {
  const exact = PRESETS.find((preset) => preset.name !== undefined && sameStrategy(preset.strategy, strategy));
  if (exact?.name !== undefined) return { preset: exact.name, options: {} };
  if (strategy.capRule === 'bound' || !capRuleActs(strategy)) return { options: { ...policyOptions(strategy) } };
  return { data: policyData(strategy) };
}

/** The statement that makes the policy of a program. */
export function policyStatement(strategy: Strategy): string {
  return `const policy = ${policySource(making(strategy))};`;
}

/** An expression that makes the policy. */
function policySource(made: Making, parts: Parts = {}): string {
  if (!('data' in made)) return `new RetryPolicy(${optionsSource(made, parts)})`;
  return `fromData(${source(made.data)})${isEmpty(parts) ? '' : `.with({ ${PROTECTION} })`}`;
}

/** The argument of what takes options. */
export function optionsSource({ preset, options }: Changes, parts: Parts = {}): string {
  const all = { ...options, ...(!isEmpty(parts) && { [PROTECTION]: new Verbatim(PROTECTION) }) };
  if (preset === undefined) return source(all);
  return isEmpty(all) ? preset : source({ preset: new Verbatim(`...${preset}`), ...all });
}

/** A property as it is printed. */
class Verbatim {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

function named(strategy: Strategy, parts: Parts): string {
  const made = making(strategy);
  const shared = sharing(parts, 'One for all calls of a server.');
  if ('data' in made || made.preset !== undefined)
    return program(...shared, `const policy = ${policySource(made, parts)};`, callbackCall('policy.run'));
  return program(...shared, callbackCall('retry', optionsSource(made, parts)));
}

function wrapper(strategy: Strategy, parts: Parts): string {
  const attemptTimeoutMs = Math.min(ATTEMPT_TIMEOUT_MS, Math.ceil(ATTEMPT_SHARE * strategy.totalTimeoutMs));
  const comment =
    '// GET, PUT and DELETE are sent again, POST only with an Idempotency-Key. A Retry-After is followed.\n';
  const made = making(strategy);
  const shared = sharing(parts, 'Each origin has a state of its own.');
  if ('data' in made) {
    const policy = policySource({ data: { ...made.data, attemptTimeoutMs } }, parts);
    return program(...shared, `const policy = ${policy};`, `${comment}const fetch = createFetch(policy);`, fetchCall);
  }
  const options = {
    ...made.options,
    ...(made.preset === 'goRetryableHttp' && { retryOn: new Verbatim('retryOn: goRetryableHttpRetryOn') }),
    attemptTimeoutMs,
  };
  const argument = optionsSource({ ...made, options }, parts);
  return program(...shared, `${comment}const fetch = createFetch(${argument});`, fetchCall);
}

function delays(strategy: Strategy): string {
  const { totalTimeoutMs } = strategy;
  const early =
    totalTimeoutMs === Infinity
      ? ''
      : `\n// A deadline of ${totalTimeoutMs} ms ends it before the wait that would pass it.`;
  const print =
    strategy.maxAttempts === Infinity
      ? `// The first waits of one operation in which every attempt fails.${early}
const delays = policy.delays();
for (let i = 0; i < 10; i++) {
  console.log(delays.next().value);
}`
      : `// The waits of one operation in which every attempt fails.${early}
for (const delayMs of policy.delays()) {
  console.log(delayMs);
}`;
  return program(`const policy = ${policySource(making(strategy))};`, print);
}

/** A value as a person would write it; objects at the outermost with a line for each property. */
export function source(value: unknown): string {
  const properties = propertiesOf(value);
  if (properties) return properties.length === 0 ? '{}' : `{\n${properties.map((text) => `  ${text},\n`).join('')}}`;
  if (typeof value === 'number')
    return String(value).replace(/^\d{5,}/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, '_'));
  if (Array.isArray(value)) return `[${value.map(source).join(', ')}]`;
  return typeof value === 'string' ? quoted(value) : String(value);
}

function inline(value: unknown): string {
  const properties = propertiesOf(value);
  return properties ? `{ ${properties.join(', ')} }` : source(value);
}

/** Undefined for what is no object with properties. */
function propertiesOf(value: unknown): string[] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.entries(value).map(([key, part]) =>
    part instanceof Verbatim ? part.text : `${/^[a-z]\w*$/i.test(key) ? key : quoted(key)}: ${inline(part)}`,
  );
}

function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
