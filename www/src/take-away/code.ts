/** The chosen strategy as programs, ready to run. */
import { capRuleActs, policyData, policyOptions, usage, type Strategy } from '../state/strategy';

export const TABS = ['TypeScript', 'fetch wrapper', 'Delays only'] as const;
export type Tab = (typeof TABS)[number];

export const URL = 'https://example.com/orders';

/** The longest that an attempt of the fetch wrapper may take, and the share of a deadline that it may. */
const ATTEMPT_TIMEOUT_MS = 5000;
const ATTEMPT_SHARE = 1 / 2;

export function programs(strategy: Strategy): Readonly<Record<Tab, string>> {
  return { TypeScript: named(strategy), 'fetch wrapper': wrapper(strategy), 'Delays only': delays(strategy) };
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
  return `const response = await ${name}(\n${[body, ...more].map((arg) => `  ${arg.replaceAll('\n', '\n  ')},\n`).join('')});`;
}

/** A call of a fetch that retries by itself. */
export const fetchCall = `const response = await fetch('${URL}');`;

function named(strategy: Strategy): string {
  if (isData(strategy)) return program('rejitter', ['RetryPolicy'], `const policy = ${policyCode(strategy)};`, callbackCall('policy.run'));
  const { name, options } = usage(strategy);
  return program('rejitter', [name], callbackCall(name, source(options)));
}

/** The cap rules of other systems are no options: a policy has them as data. */
function isData(strategy: Strategy): boolean {
  return strategy.capRule !== 'bound' && capRuleActs(strategy);
}

function policyCode(strategy: Strategy): string {
  return isData(strategy) ? `RetryPolicy.fromJSON(${source(policyData(strategy))})` : `new RetryPolicy(${source(policyOptions(strategy))})`;
}

function wrapper(strategy: Strategy): string {
  const attemptTimeoutMs = Math.min(ATTEMPT_TIMEOUT_MS, Math.ceil(ATTEMPT_SHARE * strategy.totalTimeoutMs));
  const comment = '// GET, PUT and DELETE are sent again, POST only with an Idempotency-Key; Retry-After is followed.';
  if (isData(strategy)) {
    const imports = "import { RetryPolicy } from 'rejitter';\nimport { createFetch } from 'rejitter/fetch';";
    const policy = `const policy = ${policyCode(strategy)}.with({ attemptTimeoutMs: ${source(attemptTimeoutMs)} });`;
    return `${[imports, policy, `${comment}\nconst fetch = createFetch(policy);`, fetchCall].join('\n\n')}\n`;
  }
  const options = { ...policyOptions(strategy), attemptTimeoutMs };
  return program('rejitter/fetch', ['createFetch'], `${comment}\nconst fetch = createFetch(${source(options)});`, fetchCall);
}

function delays(strategy: Strategy): string {
  return program(
    'rejitter',
    ['RetryPolicy'],
    `const policy = ${policyCode(strategy)};`,
    `// The waits of one operation in which every attempt fails.
for (const delayMs of policy.delays()) {
  console.log(delayMs);
}`,
  );
}

/** A value as a person would write it; objects at the outermost with a line for each property. */
export function source(value: unknown, indent = ''): string {
  if (typeof value === 'number') return String(value).replace(/^\d{5,}/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, '_'));
  if (Array.isArray(value)) return `[${value.map((part) => source(part)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? quoted(value) : String(value);
  const lines = Object.entries(value).map(([key, part]) => `${indent}  ${/^[a-z]\w*$/i.test(key) ? key : quoted(key)}: ${inline(part)},\n`);
  return lines.length === 0 ? '{}' : `{\n${lines.join('')}${indent}}`;
}

function inline(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return source(value);
  return `{ ${Object.entries(value).map(([key, part]) => `${/^[a-z]\w*$/i.test(key) ? key : quoted(key)}: ${inline(part)}`).join(', ')} }`;
}

function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
