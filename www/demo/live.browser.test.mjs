/**
 * The live calls of the built page in real browsers, against the service worker that plays the flaky
 * server. What they should come to is reckoned in lib/reckon.mjs, from the rule of the server alone.
 */
import assert from 'node:assert/strict';
import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { DIST, SUB_PATH, inEachEngine, patient, served } from './lib/built-page.mjs';
import { INSECURE_HOST } from '../../tests/clients/lib/launch.mjs';
import { ADVICE, count, drawn, runEnded, says, send } from './lib/page.mjs';
import { bePatient } from './lib/patience.mjs';
import { reckon } from './lib/reckon.mjs';
import { until } from '../../tests/package/lib/until.mjs';

/** Also without the service worker. */
const folder = await patient();
await cp(DIST, path.join(folder, 'without'), { recursive: true });
await rm(path.join(folder, 'without/flaky.js'));

const QUICK = `${ADVICE}&baseMs=20`;
/** Waits of up to five seconds: most calls are in one when they are aborted. */
const SLOW = `${ADVICE}&baseMs=5000`;
const options = {
  // Most of a run is waiting, in real time.
  concurrency: 3,
  serve: () => served(folder),
  pages: { init: bePatient, isWhole: false },
  // Firefox reports a failed fetch as an error of the page's; one that was aborted on its way through the worker has
  // no address there. Chromium reports what is meant to be missing.
  ignored: /\/flaky|Cross-Origin Request Blocked|A ServiceWorker intercepted|status of 404|A bad HTTP response code/,
};

/** What eight calls come to, with the seed of the page. */
const { requests: REQUESTS, ok: OK, whole: WHOLE } = reckon({ failure: 'mixed', rate: 0.6, calls: 8 });

inEachEngine(({ engine, pageTest, withPage }) => {
  pageTest('a first visit: the worker has counted what the page records', { query: QUICK }, async (page) => {
    await drawn(page, 'live-run');
    assert.ok(REQUESTS > 8 && OK > 0);
    assert.equal(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length), 0);
    assert.equal(await send(page), WHOLE);
    const marks = (selector) => count(page, `#live-run .call${selector}`);
    assert.equal(await marks(' .attempt'), REQUESTS);
    assert.deepEqual([await marks(' .attempt.ok'), await marks('[data-outcome=ok]')], [OK, OK]);
    assert.ok((await marks(' .attempt.late')) > 0 && (await marks(' .wait')) > 0);
  });

  pageTest('a later visit finds the worker, also after a reload past it', { query: QUICK }, async (page, { url }) => {
    await send(page);
    await page.goto(`${url}${QUICK}&seed=7`);
    await drawn(page, 'live-run');
    assert.ok(await page.evaluate(() => navigator.serviceWorker.controller !== null));
    const { whole } = reckon({ failure: 'mixed', rate: 0.6, calls: 8, seed: 7 });
    // Twice on the same page, with the same end.
    assert.deepEqual([await send(page), await send(page)], [whole, whole]);
    const loads = page.waitForEvent('load');
    if (engine === 'firefox') await page.evaluate(() => location.reload(true));
    else await (await page.context().newCDPSession(page)).send('Page.reload', { ignoreCache: true });
    await loads;
    await page.locator('html[data-ready]').waitFor();
    assert.ok(await page.evaluate(() => navigator.serviceWorker.controller === null));
    assert.equal(await send(page), whole);
  });

  pageTest('abort ends every call in the same task, and nothing is sent later', { query: SLOW }, async (page) => {
    await page.clock.install();
    await page.reload();
    await drawn(page, 'live-run');
    // From here on time passes only when it is told to: however slow the machine is, no run ends before its abort.
    await page.clock.pauseAt(Date.now() + 60_000);
    // Not by a key: other windows may have the focus.
    await page.click('#live-start');
    await until('three failures', async () => {
      await page.clock.runFor(50);
      return (await count(page, '#live-run .call .attempt.failed')) >= 3;
    });
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
    assert.ok(before >= 3, `${before} calls were running`);
    assert.equal(then, 0);
    await page.clock.resume();
    await runEnded(page);
    const sent = await count(page, '#live-run .call .attempt');
    const ended = await count(page, '#live-run .call[data-outcome=aborted]');
    const [calls, requests] = [`Aborted: ${ended}.calls ended at once, ${8 - ended}`, `${sent}.requests had been sent`];
    await says(page, '#live-sentence', new RegExp(`^${calls} had succeeded before. ${requests}. The server counted `));
    assert.ok(await page.locator('#live-start').isEnabled());
    // Longer than the longest running wait.
    await page.evaluate(() => setTimeout(() => Object.assign(globalThis, { isLater: true }), 9000));
    await page.clock.fastForward(10_000);
    assert.ok(await page.evaluate(() => 'isLater' in globalThis));
    assert.equal(await count(page, '#live-run .call .attempt'), sent);
  });

  test('works under a path, and answers for nothing but its own', async () => {
    // Its counts are of this test alone.
    const own = await served(folder, { failureRate: 0 });
    after(() => own.close());
    await withPage(
      async (page) => {
        assert.equal(await send(page), WHOLE);
        const scopes = () => navigator.serviceWorker.getRegistrations().then((all) => all.map(({ scope }) => scope));
        assert.deepEqual(await page.evaluate(scopes), [`${own.url}${SUB_PATH}`]);
        const before = own.stats();
        const met = await page.evaluate(async () => {
          const all = ['missing', 'flaky.js', '/flaky/1', 'flaky/8?run=x&seed=42'].map((url) => fetch(url));
          return (await Promise.all(all)).map(({ status }) => status);
        });
        assert.deepEqual(met, [404, 200, 200, 200]);
        // The server, not the worker, was asked for the first and for the third, but not for the last.
        const { notFound, requests } = own.stats();
        assert.deepEqual([notFound - before.notFound, requests - before.requests], [1, 1]);
      },
      { query: `${own.url}${SUB_PATH}${ADVICE}&baseMs=20` },
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
