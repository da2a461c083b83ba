// Puts rejitter into an installed @octokit/plugin-throttling 11, in place of Bottleneck: limits per second and of
// requests at the same time, and a hold of all requests for as long as GitHub asks, without a probe. Groups of
// Bottleneck that an app passes, with Redis, say, are used as before:
//
//   node octokit-plugin-throttling.mjs node_modules/@octokit/plugin-throttling

import { edit } from './edited.mjs';

const [, , folder] = process.argv;

const OWN = `import { RetryPolicy, permanent, retryAfter as asks } from "rejitter";
import { cooldown, limiter, protect } from "rejitter/protection";
var group = (limits) => {
  const policy = new RetryPolicy({ maxAttempts: 1, protection: protect(limiter({ maxQueue: Infinity, ...limits })) });
  return { key: (key) => ({ schedule: (_, fn, ...args) => policy.run(() => fn(...args), { key }) }) };
};
var own = {
  global: group({ concurrency: 10, limit: 100 }), // as many as ten at a time reach with answers in 100 ms
  auth: group({ concurrency: 1 }),
  search: group({ concurrency: 1, limit: 1, perMs: 2000 }),
  write: group({ concurrency: 1, limit: 1, perMs: 1000 }),
  notifications: group({ concurrency: 1, limit: 1, perMs: 3000 })
};
var retries = new RetryPolicy({
  backoff: "fixed",
  baseMs: 1,
  jitter: "none",
  random: () => 0, // exactly as long as GitHub asks
  maxAttempts: Infinity,
  maxRetryAfterMs: Infinity,
  protection: protect(cooldown({ probe: false, maxHoldMs: Infinity }))
});`;

const more = edit(`${folder}/dist-bundle/index.js`, [
  [/^import .* from "bottleneck\/light\.js";$/m, OWN],
  [
    /^( *)return state\.retryLimiter\.schedule\((\w+), (state, request, options)\);$/m,
    `$1const attempt = () => $2($3).catch(async (error) => {
$1  const ms = await state.waitMs(error, { args: [$3] });
$1  throw ms === undefined ? permanent(error) : asks(ms, error);
$1});
$1return retries.run(attempt, { key: state.id });`,
  ],
  [/^( *)Bottleneck = BottleneckLight,$/m, '$1Bottleneck,'],
  [/createGroups\(Bottleneck, common\);/, 'if (connection && Bottleneck) $&\n      else Object.assign(groups, own);'],
  [/^ *state\.retryLimiter = .*\n/m, ''],
  [
    /^( *)const events = \{\};\n[^]*?(octokit\.log\.warn\(".*", )\w+\)\n *\);$/m,
    `$1const ask = async (handler, ...args) => {
$1  try {
$1    return await handler(...args);
$1  } catch (error) {
$1    $2error);
$1  }
$1};`,
  ],
  [/emitter\.trigger\(\n *"secondary-limit",/, 'ask(\n            state2.onSecondaryRateLimit,'],
  [/emitter\.trigger\(\n *"rate-limit",/, 'ask(\n            state2.onRateLimit,'],
  [/^( *)state\.retryLimiter\.on\("failed", (async function[^]*?)^\1\}\);$/m, '$1state.waitMs = $2$1};'],
]);
console.log(`index.js: ${more} lines`);
