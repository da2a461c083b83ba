// The one suite that every host runs, as the text of a module.

/** The parts, by the letter of their column. */
export const PARTS = {
  a: 'a first success',
  b: 'two failures, then success; also in `rejitter/light`, and of a connection',
  c: '`createFetch` after a 503, a closed connection, no answer in time; `Retry-After`; an abort during a request; `rejitter/light/fetch`',
  d: '`plan` of the lab',
  e: '`virtualClock` of the testing tools',
  f: "a budget that is empty stops a retry with the callback's own error",
  g: 'an abort ends a wait with an `AbortError`',
};

/** The names that the parts use, by their modules. */
const MODULES = {
  rejitter: ['RetryPolicy', 'retryWithFullJitter'],
  'rejitter/fetch': ['createFetch'],
  'rejitter/lab': ['plan'],
  'rejitter/light': ['retry'],
  'rejitter/light/fetch': ['fetchWithRetry'],
  'rejitter/protection': ['budget', 'protect'],
  'rejitter/reconnect': ['keepConnected'],
  'rejitter/testing': ['constantRandom', 'virtualClock'],
};

/** The code of each part. It returns whether the host did what it should. */
const CODE = {
  a: 'return (await retryWithFullJitter(() => 1)) === 1;',
  b: `let calls = 0;
    const flaky = () => {
      calls += 1;
      if (calls % 3 > 0) throw new Error('flaky');
      return calls;
    };
    const session = ({ attempt, finish }) => { if (attempt < 3) throw new Error('lost'); finish(attempt); };
    const kept = await keepConnected(session, { baseMs: 2 });
    return (await retryWithFullJitter(flaky, { baseMs: 2 })) === 3 && (await retry(flaky, { baseMs: 2 })) === 6 &&
      kept.value === 3;`,
  c: `const at = (path) => ORIGIN + '/' + path + '/' + Math.random();
    for (const path of ['flaky', 'closed', 'silent']) {
      const response = await createFetch({ baseMs: 2, attemptTimeoutMs: path === 'silent' ? 300 : 10_000 })(at(path));
      if (response.status !== 200 || !/^request [2-9]/.test(await response.text())) return path;
    }
    const light = await fetchWithRetry(at('flaky'), { retry: { baseMs: 2 } });
    if (light.status !== 200) return 'light';
    let end;
    await createFetch({ onGiveUp: ({ report }) => { end = report.reason + ' ' + report.hintMs; } })(at('later'));
    if (end !== 'hint 120000') return end;
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    const error = await createFetch()(at('silent'), { signal: controller.signal }).catch((reason) => reason);
    return error.name === 'AbortError';`,
  d: 'return plan(new RetryPolicy({ baseMs: 100 }), 1)[0].meanMs === 50;',
  e: `const clock = virtualClock();
    try {
      let calls = 0;
      const run = () => { calls += 1; if (calls < 2) throw new Error('flaky'); return calls; };
      const result = retryWithFullJitter(run, { baseMs: 1000, random: constantRandom(0.5) });
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
    const fail = () => { setTimeout(() => controller.abort(), 5); throw new Error('down'); };
    const { signal } = controller;
    const error = await retryWithFullJitter(fail, { baseMs: 9000, minMs: 9000, signal }).catch((reason) => reason);
    return error.name === 'AbortError';`,
};

/**
 * Returns the text of a module that exports `suite`, an async function. It resolves with an object that has for each
 * part `ok`, or the error.
 * @param {{ origin: string, parts?: string, commonJs?: boolean }} options
 */
export function suiteText({ origin, parts = Object.keys(PARTS).join(''), commonJs = false }) {
  const cases = [...parts].map((part) => `  await check('${part}', async () => {\n    ${CODE[part]}\n  });`).join('\n');
  const lines = Object.entries(MODULES).flatMap(([module, all]) => {
    const names = all.filter((name) => new RegExp(`\\b${name}\\(`).test(cases)).join(', ');
    if (names === '') return [];
    return commonJs ? `const { ${names} } = require('${module}');` : `import { ${names} } from '${module}';`;
  });
  return `${lines.join('\n')}

const ORIGIN = '${origin}';

${commonJs ? '' : 'export '}async function suite() {
  const results = {};
  const check = async (part, run) => {
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

/** The result of parts that a tool put into a file which is not run here. */
export const BUILT = 'built';

/** Precedes the results in what a host prints. */
export const MARK = 'SUITE ';

/** Calls the suite and prints the results. */
export const PRINT = `suite().then((results) => console.log('${MARK}' + JSON.stringify(results)));\n`;

/**
 * Returns the results in what a host printed, or undefined.
 * @param {string} printed
 */
export function resultsIn(printed) {
  const found = printed.split(MARK)[1];
  return found === undefined ? undefined : JSON.parse(/^\{.*?\}(?=\s|"|'|$)/.exec(found)[0]);
}
