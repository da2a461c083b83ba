// Functions that take options, option by option, in a strict project of a user's: the example in its documentation and
// undefined, but neither null nor a symbol, no other option of a policy's, and none that does not exist.

import { readDeclarations } from '../lib/dts.mjs';
import { literal } from '../../package/lib/readers.mjs';

/** Entry and type of options → what takes them. */
const TAKERS = {
  'index PolicyOptions': 'new RetryPolicy(…)',
  'index RetryOptions': 'retry(() => 1, …)',
  'index RunOptions': 'new RetryPolicy().run(() => 1, …)',
  'index SyncOptions': 'retrySync(() => 1, …)',
  'fetch FetchOptions': 'createFetch(…)',
  'light LightOptions': 'delayMs(1, …)',
  'light-fetch LightFetchOptions': '({} as typeof light).createFetch(…)',
  'reconnect ReconnectOptions': 'keepConnected(() => 1, …)',
  'protection BudgetOptions': 'budget(…)',
  'protection BreakerOptions': 'breaker(…)',
  'protection CooldownOptions': 'cooldown(…)',
  'protection LimiterOptions': 'limiter(…)',
  'protection HedgeOptions': 'hedge(…)',
  'protection ProtectOptions': 'protect(budget(), …)',
  'testing VirtualClockOptions': 'virtualClock(…)',
  'testing RunUntilOptions': 'virtualClock().runUntil(Promise.resolve(), …)',
  'otel TelemetryOptions': 'telemetry({} as never, …)',
};

/** What examples name, a wrong value, and an entry that has names of another one. */
const DECLARED = `
import type * as light from 'rejitter/light/fetch';
declare const [controller, wrong]: [AbortController, symbol];
declare const [askRedis, refreshToken, log]: any[];
declare const NetInfo: { addEventListener(listener: (state: { isConnected: boolean }) => void): () => void };
`;

const examplesOf = ({ doc }) => (doc?.tags ?? []).flatMap(([tag, text]) => (tag === 'example' && literal(text)) || []);

const policy = readDeclarations('index.d.ts').options('PolicyOptions');
let [positive, negative] = [DECLARED, DECLARED];
for (const [taken, call] of Object.entries(TAKERS)) {
  const [entry, type] = taken.split(' ');
  const declared = readDeclarations(`${entry}.d.ts`).options(type);
  const right = [...declared].flatMap(([name, [each]]) => [...examplesOf(each), `{ ${name}: undefined }`]);
  const wrong = [...declared.keys()].flatMap((name) => [`{ ${name}: null }`, `{ ${name}: wrong }`]);
  const others = [...policy.keys(), 'zzz'].filter((name) => !declared.has(name)).map((name) => `{ ${name}: 5 }`);
  positive += right.map((options) => `void ${call.replace('…', options)};\n`).join('');
  negative += [...wrong, ...others].map((options) => `${call.replace('…', options)}; // wrong: ${type}\n`).join('');
}

const entries = new Set(Object.keys(TAKERS).map((taken) => `rejitter/${taken.split(' ')[0].replace('-', '/')}`));
export default { entries: [...entries].map((entry) => entry.replace('/index', '')), positive, negative };
