/**
 * The live calls of the built page in real browsers, against the service worker that plays the flaky
 * server. What they should come to is reckoned in lib/reckon.mjs, from the rule of the server alone.
 */
import assert from 'node:assert/strict';
import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { DIST, SUB_PATH, inEachEngine, patient, served } from './lib/built-page.mjs';
import { INSECURE_HOST } from './lib/launch.mjs';
import { ADVICE, count, drawn, has, runEnded, send, text } from './lib/page.mjs';
import { bePatient } from './lib/patience.mjs';
import { plural, reckon } from './lib/reckon.mjs';
import { until } from './lib/until.mjs';

/** Also without the service worker. */
const folder = await patient();
await cp(DIST, path.join(folder, 'without'), { recursive: true });
await rm(path.join(folder, 'without/flaky.js'));

const options = {
  // Most of a run is waiting, in real time.
  concurrency: 3,
  serve: () => served(folder),
  pages: { init: bePatient, isWhole: false },
  // Firefox reports a failed fetch as an error of the page's; one that was aborted on its way through the worker has
  // no address there. Chromium reports what is meant to be missing.
  ignored: /\/flaky|Cross-Origin Request Blocked|A ServiceWorker intercepted|status of 404|A bad HTTP response code/,
};

inEachEngine(({ engine, pageTest, withPage }) => {
  // Fifty calls run at once, also beyond the six connections that browsers open.
  for (const [failure, calls] of /** @type {const} */ ([
    ['mixed', 8],
    ['429', 8],
    ['503', 50],
  ]))
    pageTest(
      `${failure}: a first visit, the first press of Send; the worker counts what the page records`,
      { query: `${ADVICE}&calls=${calls}&failure=${failure}&baseMs=20` },
      async (page) => {
        await drawn(page, 'live-run');
        const expected = reckon({ failure, rate: 0.6, calls });
        assert.ok(expected.requests > calls && expected.ok > 0);
        const marks = (selector) => count(page, `#live-run${selector}`);
        // The first view says what will come, and the run comes to it.
        assert.equal(await text(page, '#live-forecast'), `${expected.forecast} Nothing is sent yet.`);
        assert.equal(await marks('[data-forecast] .call .attempt'), expected.requests);
        assert.equal(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length), 0);
        const foreseen = await legs(page);
        assert.equal(await send(page), expected.whole);
        assert.equal(await page.locator('#live-forecast').isVisible(), false);
        assert.equal(await marks('[data-forecast]'), 0);
        assert.deepEqual(await legs(page), foreseen);
        const { requests, keys, mostAtOnce } = await counts(page);
        assert.deepEqual({ requests, keys }, { requests: expected.requests, keys: calls });
        assert.ok(calls < 50 || mostAtOnce > 6, `${mostAtOnce} at once`);
        assert.equal(await marks(' .call .attempt'), expected.requests);
        assert.equal(await marks(' .call .attempt.ok'), expected.ok);
        assert.equal(await marks(' .call[data-outcome=ok]'), expected.ok);
        assert.equal((await marks(' .call .attempt.late')) > 0, failure === 'mixed');
        // When the page has given an attempt up, the worker is notified, and stops as well: later than one may ask.
        const late = foreseen.flat().filter((title) => /no answer in time|timeout/.test(title)).length;
        await until(`${late} stopped`, async () => (await countsNow(page)).stopped === late);
      },
    );

  pageTest('is set by controls and link; a second visit finds the worker', { query: ADVICE }, async (page, { url }) => {
    await drawn(page, 'live-run');
    await page.selectOption('#live-failure', { label: '503 responses' });
    await page.selectOption('#live-rate', { label: '30%' });
    await page.selectOption('#live-calls', '1');
    assert.equal(await text(page, '#live-start'), `Send ${plural(1, 'call')}`);
    await until('a row for what will come', async () => {
      await drawn(page, 'live-run');
      return (await count(page, '#live-run .call')) === 1;
    });
    assert.equal(await send(page), reckon({ failure: '503', rate: 0.3, calls: 1 }).whole);
    await page.waitForURL(/failure=503.*rate=0\.3.*calls=1/);
    await page.goto(`${url}${ADVICE}&failure=503&rate=0.45&seed=7&baseMs=20`);
    await drawn(page, 'live-run');
    assert.ok(await page.evaluate(() => navigator.serviceWorker.controller !== null));
    const { whole } = reckon({ failure: '503', rate: 0.45, calls: 8, seed: 7 });
    // Twice on the same page, with the same end.
    assert.deepEqual([await send(page), await send(page)], [whole, whole]);
    // After a reload that goes past the worker, it takes the page over again.
    const loads = page.waitForEvent('load');
    if (engine === 'firefox') await page.evaluate(() => /** @type {any} */ (location).reload(true));
    else await (await page.context().newCDPSession(page)).send('Page.reload', { ignoreCache: true });
    await loads;
    await page.locator('html[data-ready]').waitFor();
    assert.ok(await page.evaluate(() => navigator.serviceWorker.controller === null));
    assert.equal(await send(page), whole);
  });

  // Waits of up to five seconds: most calls are in one when they are aborted.
  pageTest(
    'abort ends every call in the same task, and nothing is sent afterwards',
    { query: `${ADVICE}&failure=mixed&rate=0.9&baseMs=5000` },
    async (page) => {
      await page.clock.install();
      await page.reload();
      await drawn(page, 'live-run');
      // Not by a key: other windows may have the focus.
      await page.click('#live-start');
      await has(page, 'live-run', ':not([data-forecast]) .call .attempt.failed', 3);
      assert.ok(await page.locator('#live-start').isDisabled());
      const isFocused = (button) => button === document.activeElement;
      assert.ok(await page.locator('#live-abort').evaluate(isFocused), 'the focus is on what can be pressed');
      const { before, then } = await page.evaluate(async () => {
        const running = () => document.querySelectorAll('#live-run .call[data-outcome=running]').length;
        const before = running();
        document.getElementById('live-abort')?.click();
        // No task ends here: only what promises have to do is done.
        for (let i = 0; i < 100; i++) await undefined;
        return { before, then: running() };
      });
      assert.ok(before > 4, `${before} calls were running`);
      assert.equal(then, 0);
      await runEnded(page);
      const sent = await count(page, '#live-run .call .attempt');
      const ended = await count(page, '#live-run .call[data-outcome=aborted]');
      const all = `Aborted: ${ended} calls ended at once, ${8 - ended} had succeeded before. ${sent} requests had been sent.`;
      assert.ok(
        (await text(page, '#live-sentence')).replaceAll('\u00a0', ' ').startsWith(`${all} The server counted `),
      );
      assert.ok(await page.locator('#live-start').isEnabled());
      // Longer than the longest running wait.
      await page.evaluate(() => setTimeout(() => Object.assign(globalThis, { isLater: true }), 9000));
      await page.clock.fastForward(10_000);
      assert.ok(await page.evaluate(() => 'isLater' in globalThis));
      assert.equal(await count(page, '#live-run .call .attempt'), sent);
      assert.ok((await countsNow(page)).requests <= sent);
    },
  );

  test('works under a path, and answers for nothing but its own', async () => {
    // Its counts are of this test alone.
    const own = await served(folder, { failureRate: 0 });
    after(() => own.close());
    await withPage(
      async (page) => {
        assert.equal(await send(page), reckon({ failure: '503', rate: 0.6, calls: 8 }).whole);
        const scopes = () => navigator.serviceWorker.getRegistrations().then((all) => all.map(({ scope }) => scope));
        assert.deepEqual(await page.evaluate(scopes), [`${own.url}${SUB_PATH}`]);
        const { notFound, requests } = own.stats();
        const met = await page.evaluate(async () => {
          const all = ['missing', 'flaky.js', '/flaky/1', 'flaky/1?run=x&seed=1&rate=0'].map((url) => fetch(url));
          return (await Promise.all(all)).map(({ status }) => status);
        });
        assert.deepEqual(met, [404, 200, 200, 200]);
        assert.equal(own.stats().notFound, notFound + 1, 'the server, not the worker, was asked for the first');
        assert.equal(own.stats().requests, requests + 1, 'and for the third; not for the last');
      },
      { query: `${own.url}${SUB_PATH}${ADVICE}&failure=503&baseMs=20` },
    );
  });

  test('says so where service workers are missing', async () => {
    // The site answers to its own names only.
    const insecure = await served(DIST, { hosts: [INSECURE_HOST] });
    after(() => insecure.close());
    for (const [query, reason] of [
      ['without/', 'The flaky server is a service worker, and this browser did not start it'],
      [insecure.url.replace('127.0.0.1', INSECURE_HOST), 'browser has none here: it needs https and no private window'],
    ])
      await withPage(
        async (page) => {
          await drawn(page, 'live-run');
          await page.click('#live-start');
          await page.getByText(`${reason}`).waitFor();
          assert.ok(await page.locator('#live-start').isEnabled());
        },
        { query: `${query}` },
      );
  });
}, options);

// Only this engine has a switch for it.
inEachEngine(
  ({ pageTest }) => {
    pageTest(
      'a worker that the browser restarts in the midst of a run goes on where it was, and the page says so',
      { query: '?failure=503&rate=0.9&baseMs=1100&jitter=none&backoff=fixed' },
      async (page) => {
        await drawn(page, 'live-run');
        const client = await page.context().newCDPSession(page);
        await client.send('ServiceWorker.enable');
        await page.clock.install();
        await page.evaluate(bePatient);
        let open = 0;
        page.on('request', () => open++);
        page.on('requestfinished', () => open--);
        page.on('requestfailed', () => open--);
        await page.click('#live-start');
        await has(page, 'live-run', ':not([data-forecast]) .call .attempt.failed', 4);
        // The waits stand still, so that no request is on its way to the worker when it is stopped.
        await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 50_000);
        await until('every request has its answer', () => open === 0);
        await client.send('ServiceWorker.stopAllWorkers');
        await page.clock.resume();
        await runEnded(page);
        const lost = 'The browser restarted the server during the run, so its count is lost.';
        const { sentence } = reckon({ failure: '503', rate: 0.9, calls: 8 });
        assert.equal(await text(page, '#live-sentence'), `${sentence} ${lost}`);
      },
    );
  },
  { ...options, engines: ['chromium'] },
);

/** The fates of each call's requests, with the waits between them: their length is the policy's. */
function legs(page) {
  return page
    .locator('#live-run .call')
    .evaluateAll((calls) =>
      calls.map((call) => Array.from(call.querySelectorAll('.attempt title'), (title) => title.textContent)),
    );
}

/** The worker's counts of the run on the page, when it ended. */
const counts = async (page) => JSON.parse(`${await page.getAttribute('#live-run', 'data-counted')}`);

/** The worker's counts of the run on the page, as of now. */
async function countsNow(page) {
  const run = await page.getAttribute('#live-run', 'data-run');
  return page.evaluate(async (name) => (await fetch(`flaky/stats?run=${name}`)).json(), run);
}
