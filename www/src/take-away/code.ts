/** The chosen strategy as programs, ready to run. */
import { RetryPolicy, type PolicyOptions, type PresetName } from 'rejitter';
import { partsIn, type Part, type State } from '../state/state';
import { PRESETS, sameStrategy } from '../state/presets';
import { capRuleActs, policyData, policyOptions, strategyOf, usage, type Strategy } from '../state/strategy';

export const TABS = ['TypeScript', 'fetch wrapper', 'Delays only'] as const;
export type Tab = (typeof TABS)[number];

export const URL = 'https://example.com/orders';

/** The longest that an attempt of the fetch wrapper may take, and the share of a deadline that it may. */
const ATTEMPT_TIMEOUT_MS = 5000;
const ATTEMPT_SHARE = 1 / 2;

/** The parts that the calls share, in the order in which they are printed, with their options. */
type Parts = Readonly<Partial<Record<Part, Options>>>;

/** The parts that the page has chosen. */
export function partsOf({ protection, hedging }: Pick<State, 'protection' | 'hedging'>): Parts {
  const { delayMs } = hedging;
  return Object.fromEntries(partsIn(protection.parts).map((part) => [part, part === 'hedge' ? { delayMs } : {}]));
}

/** `parts`: made once, so that all calls share them. */
export function programs(strategy: Strategy, parts: Parts = {}): Readonly<Record<Tab, string>> {
  return {
    TypeScript: named(strategy, parts),
    'fetch wrapper': wrapper(strategy, parts),
    'Delays only': delays(strategy),
  };
}

/** The option of a program that shares parts. */
const PROTECTION = 'protection';

/** The page draws one delay, which suits no server but the simulated one. */
const LEARNED =
  '// Without delayMs, a hedge starts when an attempt takes longer than 95% of the recent first attempts.\n';

/** The import and the statement that make what the calls share, with a comment on who shares it. */
function sharing(parts: Parts, whose: string): { readonly imports: string; readonly statements: readonly string[] } {
  if (isEmpty(parts)) return { imports: '', statements: [] };
  const names = [...Object.keys(parts), 'protect'].sort().join(', ');
  const calls = Object.entries(parts).map(([part, options]) => `${part}(${isEmpty(options) ? '' : inline(options)})`);
  return {
    imports: `import { ${names} } from 'rejitter/protection';\n`,
    statements: [`// ${whose}\n${parts.hedge ? LEARNED : ''}const ${PROTECTION} = protect(${calls.join(', ')});`],
  };
}

function isEmpty(options: object): boolean {
  return Object.keys(options).length === 0;
}

/** An import and what follows, with an empty line between the parts. */
export function program(from: string, names: readonly string[], ...parts: readonly string[]): string {
  return `${[`import { ${names.join(', ')} } from '${from}';`, ...parts].join('\n\n')}\n`;
}

/** A call whose callback throws on statuses that are worth a retry: fetch resolves on them. */
export function callbackCall(name: string, ...more: readonly string[]): string {
  const body = `async ({ signal }) => {
  const response = await fetch('${URL}', { signal });
  if (response.status === 429 || response.status >= 500) {
    throw new Error(\`HTTP \${response.status}\`);
  }
  return response;
}`;
  if (more.length === 0) return `const response = await ${name}(${body});`;
  return (
    'const response = await ' +
    `${name}(\n${[body, ...more].map((arg) => `  ${arg.replaceAll('\n', '\n  ')},\n`).join('')});`
  );
}

/** A call of a fetch that retries by itself. */
export const fetchCall = `const response = await fetch('${URL}');`;

type Options = Readonly<Record<string, unknown>>;

/** How a program makes a policy: from a preset, from options, or from data, which alone can set any cap rule. */
type Making = { readonly preset?: PresetName; readonly options: Options } | { readonly data: Options };

function making(strategy: Strategy): Making {
  const exact = PRESETS.find((preset) => preset.name !== undefined && sameStrategy(preset.strategy, strategy));
  if (exact?.name !== undefined) return { preset: exact.name, options: {} };
  if (strategy.capRule === 'bound' || !capRuleActs(strategy)) return { options: { ...policyOptions(strategy) } };
  for (const { name, strategy: preset } of PRESETS) {
    if (name === undefined || preset.capRule !== strategy.capRule || preset.jitter !== strategy.jitter) continue;
    const options = changes(preset, strategy);
    if (sameStrategy(strategyOf(RetryPolicy.preset(name, options as PolicyOptions)), strategy))
      return { preset: name, options };
  }
  return { data: policyData(strategy) };
}

/** The options in which a strategy differs from a preset. */
function changes(preset: Strategy, strategy: Strategy): Options {
  const [from, to] = [optionsWithLimits(preset), optionsWithLimits(strategy)];
  return Object.fromEntries(Object.entries(to).filter(([name, value]) => source(value) !== source(from[name])));
}

/** A preset's deadline stays unless an option lifts it. */
function optionsWithLimits(strategy: Strategy): Options {
  return { ...policyOptions(strategy), totalTimeoutMs: strategy.totalTimeoutMs, minMs: strategy.minMs };
}

/** An expression that makes the policy. */
function policySource(made: Making, parts: Parts = {}): string {
  const shared = shorthand(parts);
  if ('data' in made) {
    const policy = `RetryPolicy.fromJSON(${source(made.data)})`;
    return isEmpty(parts) ? policy : `${policy}.with({ ${PROTECTION} })`;
  }
  const { preset } = made;
  const options = { ...made.options, ...shared };
  if (preset === undefined) return `new RetryPolicy(${source(options)})`;
  return `RetryPolicy.preset('${preset}'${isEmpty(options) ? '' : `, ${source(options)}`})`;
}

/** A variable of the program, as an option of its own name. */
class Variable {}

function shorthand(parts: Parts): Options {
  return isEmpty(parts) ? {} : { [PROTECTION]: new Variable() };
}

function named(strategy: Strategy, parts: Parts): string {
  const made = making(strategy);
  const { imports, statements } = sharing(parts, 'One for all calls of a server.');
  if ('data' in made || made.preset !== undefined)
    return joined(
      imports,
      program(
        'rejitter',
        ['RetryPolicy'],
        ...statements,
        `const policy = ${policySource(made, parts)};`,
        callbackCall('policy.run'),
      ),
    );
  const { name, options } = usage(strategy);
  return joined(
    imports,
    program('rejitter', [name], ...statements, callbackCall(name, source({ ...options, ...shorthand(parts) }))),
  );
}

/** A program with one more import, after its first. */
function joined(imports: string, text: string): string {
  const end = text.indexOf('\n') + 1;
  return text.slice(0, end) + imports + text.slice(end);
}

function wrapper(strategy: Strategy, parts: Parts): string {
  const attemptTimeoutMs = Math.min(ATTEMPT_TIMEOUT_MS, Math.ceil(ATTEMPT_SHARE * strategy.totalTimeoutMs));
  const comment = '// GET, PUT and DELETE are sent again, POST only with an Idempotency-Key. Retry-After is obeyed.\n';
  const made = making(strategy);
  const { imports, statements } = sharing(parts, 'Each origin has a state of its own.');
  if (!('data' in made)) {
    const options = {
      ...(made.preset !== undefined && { preset: made.preset }),
      ...made.options,
      attemptTimeoutMs,
      ...shorthand(parts),
    };
    return joined(
      imports,
      program(
        'rejitter/fetch',
        ['createFetch'],
        ...statements,
        `${comment}const fetch = createFetch(${source(options)});`,
        fetchCall,
      ),
    );
  }
  const policy = policySource({ data: { ...made.data, attemptTimeoutMs } }, parts);
  return (
    "import { RetryPolicy } from 'rejitter';\n" +
    joined(
      imports,
      program(
        'rejitter/fetch',
        ['createFetch'],
        ...statements,
        `const policy = ${policy};`,
        `${comment}const fetch = createFetch(policy);`,
        fetchCall,
      ),
    )
  );
}

function delays(strategy: Strategy): string {
  const print =
    strategy.maxAttempts === Infinity
      ? `// The first waits of one operation in which every attempt fails.
const delays = policy.delays();
for (let i = 0; i < 10; i++) {
  console.log(delays.next().value);
}`
      : `// The waits of one operation in which every attempt fails.
for (const delayMs of policy.delays()) {
  console.log(delayMs);
}`;
  return program('rejitter', ['RetryPolicy'], `const policy = ${policySource(making(strategy))};`, print);
}

/** A value as a person would write it; objects at the outermost with a line for each property. */
export function source(value: unknown, indent = ''): string {
  if (typeof value === 'number')
    return String(value).replace(/^\d{5,}/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, '_'));
  if (Array.isArray(value)) return `[${value.map((part) => source(part)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? quoted(value) : String(value);
  const lines = Object.entries(value).map(([key, part]) =>
    part instanceof Variable
      ? `${indent}  ${key},\n`
      : `${indent}  ${/^[a-z]\w*$/i.test(key) ? key : quoted(key)}: ${inline(part)},\n`,
  );
  return lines.length === 0 ? '{}' : `{\n${lines.join('')}${indent}}`;
}

function inline(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return source(value);
  return `{ ${Object.entries(value)
    .map(([key, part]) => `${/^[a-z]\w*$/i.test(key) ? key : quoted(key)}: ${inline(part)}`)
    .join(', ')} }`;
}

function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
