/** The chosen strategy as a program of the crate of the same name. */
import { PRESETS } from '../state/presets';
import {
  OPTIONS,
  capRuleActs,
  curveActs,
  policyOf,
  sameStrategy,
  type Jitter,
  type OptionName,
  type Strategy,
} from '../state/strategy';

const JITTERS: Readonly<Record<Jitter, (strategy: Strategy) => string>> = {
  none: () => 'None',
  full: () => 'Full',
  equal: () => 'Equal',
  decorrelated: () => 'Decorrelated',
  proportional: ({ ratio }) => `Proportional { ratio: ${float(ratio)} }`,
  additiveRatio: ({ ratio }) => `Additive { ratio: ${float(ratio)} }`,
  additiveMax: ({ spreadMs }) => `AdditiveMax { max_ms: ${float(spreadMs)} }`,
  decorrelatedBounded: () => 'DecorrelatedBounded',
  slotted: () => 'Slotted',
  pollyV2: () => 'PollyV2',
};

/** In an order in which every policy between two setters is valid. */
const SETTERS: readonly (readonly [OptionName, name: string, text: (value: number) => string])[] = [
  ['baseMs', 'base', duration],
  ['minMs', 'min', duration],
  ['capMs', 'cap', duration],
  ['factor', 'factor', float],
  ['truncateAt', 'truncate_at', integer],
  ['maxAttempts', 'max_attempts', (n) => (n === Infinity ? 'UNLIMITED' : integer(n))],
];

export function rust(strategy: Strategy): string {
  const policy = policySource(strategy);
  const { totalTimeoutMs } = strategy;
  const [deadline, result] =
    totalTimeoutMs === Infinity
      ? ['', 'io::Result<String>']
      : [`.total_timeout(${duration(totalTimeoutMs)})`, 'Result<String, RetryError<io::Error>>'];
  const call = policy.startsWith('const') ? 'POLICY' : 'policy()';
  const body = `${policy}

// Your function.
async fn load() -> io::Result<String> {
    Ok("loaded".to_owned())
}

pub async fn load_with_retries() -> ${result} {
    retry(${call}, load)${deadline}.await
}
`;
  const names = ['Jitter', 'RetryError', 'RetryPolicy', 'UNLIMITED', 'data::PolicyData', 'presets', 'retry'];
  const used = names.filter((name) => new RegExp(`\\b${name.replace(/^.*::/, '')}\\b(?!\\()|\\b${name}\\(`).test(body));
  const features = policy.includes('PolicyData') ? '"serde", "tokio"' : '"tokio"';
  return `// Cargo.toml: rejitter = { version = "0.1", features = [${features}] }
use rejitter::{${used.join(', ')}};
use std::${/\bDuration\b/.test(body) ? '{io, time::Duration}' : 'io'};

${body}`;
}

function policySource(strategy: Strategy): string {
  const preset = PRESETS.find(({ name, strategy: one }) => name !== undefined && sameStrategy(one, strategy));
  if (preset?.name !== undefined) return `const POLICY: RetryPolicy = presets::${screaming(preset.name)};`;
  if (strategy.capRule !== 'bound' && capRuleActs(strategy))
    return `// Only data have a cap rule; they need serde_json as well.
fn policy() -> RetryPolicy {
    let data = r#"${JSON.stringify(policyOf(strategy))}"#;
    let read: PolicyData = serde_json::from_str(data).expect("the data of a policy");
    read.policy().expect("a valid policy")
}`;
  const { backoff, jitter } = strategy;
  const fixed = backoff === 'fixed' && curveActs(strategy);
  const acting = SETTERS.filter(([name]) => {
    const { off, acts } = OPTIONS[name];
    return strategy[name] !== off && acts?.(strategy) !== false;
  }).filter(([name]) => !(fixed && name === 'baseMs'));
  const made = fixed ? `fixed(${duration(strategy.baseMs)})` : `${curveActs(strategy) ? backoff : 'exponential'}()`;
  return [
    `const POLICY: RetryPolicy = RetryPolicy::${made}`,
    `    .with_jitter(Jitter::${JITTERS[jitter](strategy)})`,
    ...acting.map(([name, setter, text]) => `    .with_${setter}(${text(strategy[name])})`),
  ]
    .join('\n')
    .concat(';');
}

/** `awsSdk2026Throttling` as a constant: `AWS_SDK_2026_THROTTLING`. */
function screaming(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z\d])|(?<=\d)(?=[A-Z])/g, '_').toUpperCase();
}

function integer(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, '_');
}

function float(n: number): string {
  return Number.isInteger(n) ? `${integer(n)}.0` : String(n);
}

/** Whole milliseconds, or their nearest nanosecond. */
function duration(ms: number): string {
  if (ms === Infinity) return 'Duration::MAX';
  if (!Number.isInteger(ms)) return `Duration::from_nanos(${integer(Math.round(1e6 * ms))})`;
  return ms % 1000 === 0 && ms > 0
    ? `Duration::from_secs(${integer(ms / 1000)})`
    : `Duration::from_millis(${integer(ms)})`;
}
