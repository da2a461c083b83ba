// The one suite that every host runs, as the text of a module.

import { vectors } from '../../package/lib/consumer.mjs';

/** The parts, by the letter of their column. */
export const PARTS = {
  a: 'a first success',
  b: 'two failures, then success, after waits as long as the options say; fifty operations at once; in `rejitter/light`, and of a connection',
  c: '`createFetch` after a 503, a closed connection, no answer in time; `Retry-After`; an abort during a request; `rejitter/light/fetch`',
  d: '`plan`, `sample`, `explain` and simulations of the lab; an abort ends one between two slices',
  e: '`virtualClock` of the testing tools',
  f: "a budget that is empty stops a retry with the callback's own error",
  g: 'an abort ends a wait at once, with its reason; waits of 0 ms let timers run',
  h: 'the waits of a seed, bit for bit; without a seed, others each time',
  i: 'wrong options are named; the last error is the own one, even `undefined`; `wrap`',
  j: '`createFetch` sends a body again, a POST under one key; a refused connection',
};

/** For hosts that do not have it, because it needs WebAssembly. */
export const WITHOUT_LAB = Object.keys(PARTS).join('').replace('d', '');

/** The names that the parts use, by their modules. */
const MODULES = {
  rejitter: ['RetryPolicy', 'retryReport', 'retryWithEqualJitter', 'retryWithFixedDelay', 'retryWithFullJitter'],
  'rejitter/fetch': ['createFetch'],
  'rejitter-lab': ['explain', 'plan', 'sample', 'simulateContention', 'simulateOutage'],
  'rejitter/light': ['retry'],
  'rejitter/light/fetch': ['fetchWithRetry'],
  'rejitter/protection': ['budget', 'protect'],
  'rejitter/reconnect': ['keepConnected'],
  'rejitter/testing': ['virtualClock'],
};

// A CommonJS dependency of the app requires what the app imports. Two instances would be twice the bytes, and errors,
// policies and reports of one would be strangers to the other.

/** An export of each entry that shares state, or by which values are told apart. */
const ENTRIES = Object.entries({
  rejitter: 'RetryPolicy',
  'rejitter/data': 'fromData',
  'rejitter/fetch': 'HttpStatusError',
  'rejitter/light': 'TimeoutError',
  'rejitter/light/fetch': 'createFetch',
  'rejitter/protection': 'RejectedError',
});
const SHARED = `${ENTRIES.map(([entry, name], i) => `import { ${name} as own${i} } from '${entry}';`).join('\n')}
import theirs from './node_modules/dependency/index.js';
const own = [${ENTRIES.map((_, i) => `own${i}`)}];
const instances = own.every((each, i) => each === theirs[i]) ? 'one' : 'several';
`;
export const DEPENDENCY = {
  'node_modules/dependency/index.js': `module.exports = [${ENTRIES.map(([entry, name]) => `require('${entry}').${name}`)}];`,
  'node_modules/dependency/package.json': '{ "name": "dependency" }',
};
/** In ASCII: the pages of some tools do not say their encoding. */
const VECTORS = JSON.stringify(vectors('delays')).replaceAll(
  /[^\0-\x7f]/g,
  (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
);

const PROBE = `  try {
    new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
    results.wasm = 'compiled';
  } catch {
    results.wasm = 'refused';
  }
`;

/** The code of each part. It returns `true`, or what is wrong. */
const CODE = {
  a: 'return (await retryWithFullJitter(() => 1)) === 1;',
  b: `const flaky = (failures) => {
      let calls = 0;
      return () => { calls += 1; if (calls <= failures) throw new Error('flaky'); return calls; };
    };
    const session = ({ attempt, finish }) => { if (attempt < 3) throw new Error('lost'); finish(attempt); };
    const kept = await keepConnected(session, { baseMs: 2 });
    const began = performance.now();
    await retryWithFixedDelay(flaky(2), { baseMs: 40 });
    // Clocks of browsers step by up to 1 ms.
    if (performance.now() - began < 78) return performance.now() - began;
    const fifty = Array.from({ length: 50 }, (_, i) => retryWithEqualJitter(flaky(i % 4), { baseMs: 1 }));
    if ((await Promise.all(fifty)).some((calls, i) => calls !== 1 + (i % 4))) return 'of fifty';
    return (await retryWithFullJitter(flaky(2), { baseMs: 2 })) === 3 && (await retry(flaky(2), { baseMs: 2 })) === 3 &&
      kept.value === 3;`,
  c: `for (const path of ['flaky', 'closed', 'silent']) {
      const limits = path === 'silent' ? { attemptTimeoutMs: 300, maxAttempts: Infinity } : {};
      const response = await createFetch({ baseMs: 2, ...limits })(at(path));
      if (response.status !== 200 || !/^request ([2-9]|\\d\\d)/.test(await response.text())) return path;
    }
    for (const path of ['flaky', 'closed'])
      if ((await fetchWithRetry(at(path), { retry: { baseMs: 2 } })).status !== 200) return 'light, ' + path;
    let end;
    await createFetch({ onGiveUp: ({ report }) => { end = report.reason + ' ' + report.hintMs; } })(at('later'));
    if (end !== 'hint 120000') return end;
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    const error = await createFetch()(at('silent'), { signal: controller.signal }).catch((reason) => reason);
    return error.name === 'AbortError';`,
  d: `const policy = new RetryPolicy({ seed: 1 });
    const simulation = simulateContention({ figure: 'none' }, { clients: 20, hopSdMs: 0, runs: 3 });
    const calls = [...(await simulation.run({ sliceEvents: 100 })).calls].join();
    simulation.free();
    if (calls !== '210,210,210') return calls;
    const outage = simulateOutage({ maxAttempts: Infinity, jitter: 'pollyV2' }, { clients: 50, capacityPerS: 20, seed: 1 });
    const lastMs = (await outage.run({ sliceEvents: 100 })).servedMs.at(-1);
    if (lastMs !== 45680.72233170625) return lastMs;
    const controller = new AbortController();
    const { signal } = controller;
    // The timer has to fire between two slices, also where messages come before timers.
    setTimeout(() => controller.abort(), 5);
    const endless = simulateContention({ figure: 'none' }, { clients: 1000, runs: 1_000_000 });
    const end = await endless.run({ signal, sliceEvents: 1000 }).catch((reason) => reason);
    if (end !== signal.reason) return end;
    if ([...sample(policy)].join() !== [...policy.delays()].join()) return 'sample';
    return explain(policy).length === 5 && plan(new RetryPolicy({ baseMs: 100 }), 1)[0].meanMs === 50;`,
  e: `const clock = virtualClock();
    try {
      let calls = 0;
      const run = () => { calls += 1; if (calls < 2) throw new Error('flaky'); return calls; };
      const result = retryWithFullJitter(run, { baseMs: 1000, random: () => 0.5 });
      return (await clock.runUntil(result)) === 2 && clock.now === 500;
    } finally {
      clock.uninstall();
    }`,
  // One token: the first retry takes it, the second ends the operation.
  f: `const protection = protect(budget({ capacity: 1, perSuccess: 0 }));
    const own = new Error('down');
    let calls = 0;
    const run = () => { calls += 1; throw own; };
    const given = await new RetryPolicy({ maxAttempts: 5, baseMs: 2, protection }).run(run).catch((error) => error);
    const { granted, rejected } = protection.status().budget;
    return given === own && calls === 2 && granted === 1 && rejected === 1;`,
  g: `const controller = new AbortController();
    const { signal } = controller;
    const reason = { why: 'enough' };
    let calls = 0;
    const fail = () => { calls += 1; throw new Error('down'); };
    let ended;
    const waiting = retryWithFixedDelay(fail, { baseMs: 60_000, capMs: 60_000, signal }).catch((error) => {
      ended = error;
    });
    await new Promise((go) => { setTimeout(go, 20); });
    controller.abort(reason);
    for (let i = 0; i < 64; i += 1) await undefined;
    // Not every host's signals have a reason.
    if (signal.reason === reason ? ended !== reason : ended?.name !== 'AbortError') return 'late: ' + ended;
    await waiting;
    const plain = new AbortController();
    setTimeout(() => plain.abort(), 5);
    const endless = { baseMs: 0, maxAttempts: Infinity, signal: plain.signal };
    const error = await retryWithFixedDelay(() => { throw 0; }, endless).catch((thrown) => thrown);
    return calls === 1 && error.name === 'AbortError';`,
  h: `for (const { options, seed, delays } of VECTORS) {
      const revived = { ...options };
      for (const name in revived) if (revived[name] === 'Infinity') revived[name] = Infinity;
      const found = [...new RetryPolicy(revived).delays({ seed })];
      if (found.length !== delays.length || found.some((ms, i) => ms !== delays[i])) return JSON.stringify(options);
    }
    const firsts = Array.from({ length: 100 }, () => new RetryPolicy().delays().next().value);
    return new Set(firsts).size === 100;`,
  i: `const refused = await retryWithFullJitter(() => 1, { baseMs: -1, maxAtempts: 2 }).catch((error) => error);
    results.texts = /must be/.test(refused.message) ? 'long' : 'short';
    if (!(refused instanceof TypeError && /baseMs.*-1.*maxAtempts/s.test(refused.message))) return refused.message;
    for (const own of [new Error('own'), undefined]) {
      const options = { baseMs: 0, maxAttempts: 2 };
      const given = await retryWithFullJitter(() => Promise.reject(own), options).then(() => 'none', (error) => error);
      if (given !== own) return 'another error: ' + given;
    }
    return (await new RetryPolicy({ maxAttempts: 2 }).wrap((a, b) => a + b)(1, 2)) === 3;`,
  j: `const hints = [];
    const options = { baseMs: 1, maxAttempts: 3, attemptTimeoutMs: 20_000, onRetry: ({ hintMs }) => hints.push(hintMs) };
    const send = createFetch(options);
    const put = await send(new Request(at('echo'), { method: 'PUT', body: 'from a Request' }));
    const post = await send(at('echo'), { method: 'POST', body: 'keyed', retry: { idempotencyKey: 'auto' } });
    const texts = [await put.text(), await post.text(), hints.join()].join('; ');
    if (texts !== 'from a Request, 3 requests; keyed, 3 requests, one key; 2,2,2,2') return texts;
    return retryReport(await send(CLOSED).catch((error) => error)).attempts === 3;`,
};

/**
 * Returns the text of a module that exports `suite`, an async function. It resolves with an object that has for each
 * part `ok`, or the error; whether the host compiles WebAssembly, and which `texts` the package has.
 * @param {{ origin: string, closed: string, parts?: string, commonJs?: boolean, probe?: boolean, dependency?: boolean
 *   }} options without the probe, it does not ask whether the host compiles WebAssembly, of which a browser would
 *   complain; with a dependency, it says whether that shares the `instances` of the app
 */
export function suiteText({
  origin,
  closed,
  parts = Object.keys(PARTS).join(''),
  commonJs = false,
  probe = true,
  dependency = false,
}) {
  const cases = [...parts].map((part) => `  await check('${part}', async () => {\n    ${CODE[part]}\n  });`).join('\n');
  const lines = Object.entries(MODULES).flatMap(([module, all]) => {
    const names = all.filter((name) => new RegExp(`\\b${name}\\(`).test(cases)).join(', ');
    if (names === '') return [];
    return commonJs ? `const { ${names} } = require('${module}');` : `import { ${names} } from '${module}';`;
  });
  return `${lines.join('\n')}
${dependency ? SHARED : ''}

const CLOSED = '${closed}';
const VECTORS = ${parts.includes('h') ? VECTORS : '[]'};
const at = (path) => '${origin}/' + path + '/' + Math.random();

${commonJs ? '' : 'export '}async function suite() {
  const results = {};
${probe ? PROBE : ''}${dependency ? '  results.instances = instances;\n' : ''}  const check = async (part, run) => {
    try {
      const good = await run();
      results[part] = good === true ? 'ok' : 'returned ' + good;
    } catch (error) {
      results[part] = String((error && error.message) || error);
    }
  };
${cases}
  return results;
}
${commonJs ? '\nexports.suite = suite;\n' : ''}`;
}

/** Precedes the results in what a host prints. */
export const MARK = 'SUITE ';

/** Calls the suite and prints the results. */
export const PRINT = `suite().then((results) => console.log('${MARK}' + JSON.stringify(results)));\n`;

/** Returns the results in what a host printed, or undefined. */
export function resultsIn(printed) {
  const found = printed.split(MARK)[1];
  return found === undefined ? undefined : JSON.parse(/^\{.*?\}(?=\s|"|'|$)/.exec(found)[0]);
}
