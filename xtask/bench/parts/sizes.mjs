// Bytes in an app: what each import adds to a minified bundle.

import { fileURLToPath } from 'node:url';

import { BUDGETS, PARTS, weigh } from '../../../tests/package/lib/budgets.mjs';
import { retryByHand } from '../contenders.mjs';

/** An app's imports from each peer. */
export const PEERS = {
  'hand-written loop': `const ATTEMPTS = 6, BASE_MS = 100, CAP_MS = 10_000; export ${retryByHand}`,
  'p-retry': `export { default } from 'p-retry';`,
  cockatiel: `export { ExponentialBackoff, fullJitterGenerator, handleAll, retry } from 'cockatiel';`,
  'exponential-backoff': `export { backOff } from 'exponential-backoff';`,
  'async-retry': `export { default } from 'async-retry';`,
  '@lifeomic/attempt': `export { retry } from '@lifeomic/attempt';`,
  '@smithy/util-retry': `export { StandardRetryStrategy } from '@smithy/util-retry';`,
  effect: `
    import { Effect, Schedule } from 'effect';
    const schedule = Schedule.exponential('100 millis').pipe(Schedule.jittered, Schedule.upTo({ times: 5 }));
    export const retry = (attempt) => Effect.runPromise(Effect.retry(Effect.tryPromise(attempt), schedule));`,
  ky: `export { default } from 'ky';`,
  'fetch-retry': `export { default } from 'fetch-retry';`,
  ofetch: `export { createFetch } from 'ofetch';`,
};

/**
 * @param {string[]} [external] packages that the app has anyway
 * @param {'browser' | 'node'} [platform] node: what needs its modules
 */
export async function sizeOf(code, external, platform = 'browser') {
  const { build } = await import('esbuild');
  const resolveDir = fileURLToPath(new URL('..', import.meta.url));
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir },
    bundle: true,
    external,
    minify: true,
    format: 'esm',
    platform,
    target: 'es2022',
    write: false,
    logLevel: 'error',
  });
  return weigh(outputFiles[0].contents);
}

const sizesOf = async (codes) =>
  Object.fromEntries(await Promise.all(codes.map(async ([name, code]) => [name, await sizeOf(code)])));

/** What parts add to an app that has something else of the package. */
async function addedBy({ entry, parts, target, base }) {
  const app = `export { ${base} } from 'rejitter';`;
  const [without, all] = await Promise.all(
    [app, `${app} export { ${parts} } from '${entry}';`].map((code) => sizeOf(code)),
  );
  return { parts, base, target, brotli: all.brotli - without.brotli };
}

export const run = async () => ({
  ours: await sizesOf(BUDGETS.map(({ name, code }) => [name, code])),
  together: await Promise.all(PARTS.map(addedBy)),
  peers: await sizesOf(Object.entries(PEERS)),
});
