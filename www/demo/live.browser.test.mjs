/**
 * The live calls of the built page in real browsers, against the service worker that plays the flaky
 * server. What they should come to is reckoned in lib/reckon.mjs, from the rule of the server alone.
 *
 * Expects `www/dist`, and the browsers in CHROME_BIN and FIREFOX_BIN.
 */
import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { FAILURES } from './fate.mjs';
import { DESKTOP, DIST, eachAtTheSameTime } from './lib/built-page.mjs';
import { ENGINES, newContext } from './lib/engines.mjs';
import { INSECURE_HOST } from './lib/launch.mjs';
import { ADVICE, drawn, has } from './lib/page.mjs';
import { LIMITS, bePatient, slower } from './lib/patience.mjs';
import { plural, reckon } from './lib/reckon.mjs';
import { serveFolder } from './lib/static-server.mjs';
import { until } from './lib/until.mjs';
import { startServer } from './misbehaving-server.mjs';
import { pageModule } from './page-module.mjs';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('./fate.mjs').Failure} Failure */

const SUB_PATH = 'some/where';

eachAtTheSameTime((engine) => {
  const launch = ENGINES[engine];
  // Most of a run is waiting, in real time.
  describe(engine, { concurrency: 3 }, () => {
    /** @type {import('./misbehaving-server.mjs').MisbehavingServer} serves the page, also under a path */
    let site;
    /** @type {import('playwright-core').Browser} */
    let browser;
    /** @type {string} */
    let folder;

    before(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'live-test-'));
      for (const place of ['.', SUB_PATH, 'without']) await cp(DIST, path.join(folder, place), { recursive: true });
      await rm(path.join(folder, 'without/flaky.js'));
      for (const place of ['.', SUB_PATH]) {
        const file = path.join(folder, place, 'flaky.js');
        await writeFile(file, slower(await readFile(file, 'utf8')));
      }
      site = await startServer({ seed: 42, staticDir: folder });
      // Without motion: it would draw each frame of runs that last for seconds.
      browser = await launch('light', true);
    });
    after(async () => {
      await browser?.close();
      await site?.close();
      await rm(folder, { recursive: true, force: true });
    });

    /**
     * A page in a profile of its own: each is a first visit.
     * @param {string} address in the site, or a whole one
     * @param {(page: Page) => Promise<void>} use
     * @param {import('playwright-core').Browser} [inBrowser]
     * @param {'reduce' | 'no-preference'} [reducedMotion]
     */
    async function withPage(address, use, inBrowser = browser, reducedMotion = 'reduce') {
      const context = await newContext(inBrowser, { viewport: DESKTOP, reducedMotion });
      try {
        const page = await context.newPage();
        await page.addInitScript(bePatient);
        /** @type {string[]} */
        const errors = [];
        // Firefox reports a failed fetch as an error of the page's; one that was aborted on its way through the worker
        // has no address there.
        const ofFetch = /\/flaky\/|Cross-Origin Request Blocked|Failed to load ‘’\. A ServiceWorker intercepted/;
        page.on('pageerror', (error) => ofFetch.test(String(error)) || errors.push(String(error)));
        await page.goto(new URL(address, site.url).href);
        await arrived(page);
        await use(page);
        assert.deepEqual(errors, []);
      } finally {
        await context.close();
      }
    }

    for (const failure of FAILURES) {
      test(`${failure}: a first visit, the first press of Send; the worker counts what the page records`, () =>
        withPage(`${ADVICE}&failure=${failure}&baseMs=20`, async (page) => {
          const expected = reckon({ failure, rate: 0.6, calls: 8 });
          assert.ok(expected.requests > 8 && expected.ok > 0);
          // The first view says what will come, and the run comes to it.
          assert.equal(await page.textContent('#live-forecast'), `${expected.forecast} Nothing is sent yet.`);
          assert.equal(await page.locator('#live-run[data-forecast] .call .attempt').count(), expected.requests);
          assert.equal(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length), 0);
          const foreseen = await legs(page);
          assert.equal(await send(page), expected.whole);
          assert.equal(await page.locator('#live-forecast').isVisible(), false);
          assert.equal(await page.locator('#live-run[data-forecast]').count(), 0);
          assert.deepEqual(await legs(page), foreseen);
          const { requests, keys } = await counts(page);
          assert.deepEqual({ requests, keys }, { requests: expected.requests, keys: 8 });
          assert.equal(await page.locator('#live-run .call .attempt').count(), expected.requests);
          assert.equal(await page.locator('#live-run .call .attempt.ok').count(), expected.ok);
          assert.equal(await page.locator('#live-run .call[data-outcome=ok]').count(), expected.ok);
          assert.equal((await page.locator('#live-run .call .attempt.late').count()) > 0, failure === 'mixed');
          // When the page has given an attempt up, the worker is notified, and stops as well.
          const late = foreseen.flat().filter((title) => /no answer in time|timeout/.test(title ?? '')).length;
          await untilStopped(page, late);
        }));
    }

    test('sets by controls, link and seed; a second visit finds the worker', () =>
      withPage(ADVICE, async (page) => {
        await page.selectOption('#live-failure', { label: '503 responses' });
        await page.selectOption('#live-rate', { label: '30%' });
        await page.selectOption('#live-calls', '1');
        assert.equal(await page.textContent('#live-start'), `Send ${plural(1, 'call')}`);
        await until('a row for what will come', async () => {
          await drawn(page, 'live-run');
          return (await page.locator('#live-run .call').count()) === 1;
        });
        assert.equal(await send(page), reckon({ failure: '503', rate: 0.3, calls: 1 }).whole);
        await page.waitForURL(/failure=503.*rate=0\.3.*calls=1/);

        const visit = new URL(`${ADVICE}&failure=503&rate=0.45&seed=7&baseMs=20`, site.url).href;
        await page.goto(visit);
        await arrived(page);
        assert.ok(await page.evaluate(() => navigator.serviceWorker.controller !== null));
        const expected = reckon({ failure: '503', rate: 0.45, calls: 8, seed: 7 });
        assert.equal(await send(page), expected.whole);
        // The same again on the same page, with the same end.
        assert.equal(await send(page), expected.whole);
      }));

    test('after a reload that goes past the worker, it takes the page over again', () =>
      withPage(`${ADVICE}&failure=503&baseMs=20`, async (page) => {
        const { whole } = reckon({ failure: '503', rate: 0.6, calls: 8 });
        assert.equal(await send(page), whole);
        await reloadPastWorker(page);
        assert.ok(await page.evaluate(() => navigator.serviceWorker.controller === null));
        assert.equal(await send(page), whole);
      }));

    test('fifty calls run at once, also beyond the six connections that browsers open', () =>
      withPage(`${ADVICE}&calls=50&failure=503&baseMs=20`, async (page) => {
        const expected = reckon({ failure: '503', rate: 0.6, calls: 50 });
        assert.equal(await send(page), expected.whole);
        const { mostAtOnce, keys } = await counts(page);
        assert.ok(mostAtOnce > 6, `${mostAtOnce} at once`);
        assert.equal(keys, 50);
        assert.equal(await page.locator('#live-run .call .attempt').count(), expected.requests);
      }));

    test('abort ends every call in the same task, and nothing is sent afterwards', () =>
      // Waits of up to five seconds: most calls are in one when they are aborted.
      withPage(`${ADVICE}&failure=mixed&rate=0.9&baseMs=5000`, async (page) => {
        await page.clock.install();
        await page.reload();
        await arrived(page);
        // Not by a key: other windows may have the focus.
        await page.click('#live-start');
        await has(page, 'live-run', ':not([data-forecast]) .call .attempt.failed', 3);
        assert.ok(await page.locator('#live-start').isDisabled());
        assert.ok(
          await page.locator('#live-abort').evaluate((button) => button === document.activeElement),
          'the focus is on what can be pressed',
        );
        const { before, after } = await page.evaluate(async () => {
          const running = () => document.querySelectorAll('#live-run .call[data-outcome=running]').length;
          const before = running();
          document.getElementById('live-abort')?.click();
          // No task ends here: only what promises have to do is done.
          for (let i = 0; i < 100; i++) await undefined;
          return { before, after: running() };
        });
        assert.ok(before > 4, `${before} calls were running`);
        assert.equal(after, 0);
        await runEnded(page);
        const sentence = (await page.textContent('#live-sentence')) ?? '';
        const [, ended, succeeded, sent] =
          /^Aborted: (\d+)\u00a0calls ended at once, (\d) had succeeded before\. (\d+)\u00a0requests had been sent\. The server counted /.exec(
            sentence,
          ) ?? [];
        assert.equal(Number(ended), await page.locator('#live-run .call[data-outcome=aborted]').count(), sentence);
        assert.equal(Number(ended) + Number(succeeded), 8);
        assert.equal(Number(sent), await page.locator('#live-run .call .attempt').count());
        assert.ok(await page.locator('#live-start').isEnabled());
        // Longer than the longest running wait.
        await page.evaluate(() => setTimeout(() => Object.assign(globalThis, { isLater: true }), 9000));
        await page.clock.fastForward(10_000);
        assert.ok(await page.evaluate(() => 'isLater' in globalThis));
        assert.equal(await page.locator('#live-run .call .attempt').count(), Number(sent));
        assert.ok((await countsNow(page)).requests <= Number(sent));
      }));

    test('works under a path, and answers for nothing but its own', async () => {
      // Its counts are of this test alone.
      const own = await startServer({ seed: 42, failureRate: 0, staticDir: folder });
      after(() => own.close());
      await withPage(`${own.url}/${SUB_PATH}/${ADVICE}&failure=503&baseMs=20`, async (page) => {
        assert.equal(await send(page), reckon({ failure: '503', rate: 0.6, calls: 8 }).whole);
        const scopes = await page.evaluate(async () =>
          (await navigator.serviceWorker.getRegistrations()).map(({ scope }) => new URL(scope).pathname),
        );
        assert.deepEqual(scopes, [`/${SUB_PATH}/`]);
        const { notFound, requests } = own.stats();
        const met = await page.evaluate(async () => {
          const status = async (/** @type {string} */ url) => (await fetch(url)).status;
          return [
            await status('missing'),
            await status('flaky.js'),
            await status('/flaky/1'),
            await status('flaky/1?run=x&seed=1&rate=0'),
          ];
        });
        assert.deepEqual(met, [404, 200, 200, 200]);
        assert.equal(own.stats().notFound, notFound + 1, 'the server, not the worker, was asked for the first');
        assert.equal(own.stats().requests, requests + 1, 'and for the third; not for the last');
      });
    });

    test('says so where service workers are missing', async () => {
      await withPage('without/', async (page) => {
        await page.click('#live-start');
        await page.getByText('The flaky server is a service worker, and this browser did not start it').waitFor();
        assert.ok(await page.locator('#live-start').isEnabled());
      });
      // The site answers to its own names only.
      const insecure = await serveFolder(DIST);
      after(() => insecure.close());
      await withPage(insecure.url.replace('127.0.0.1', INSECURE_HOST), async (page) => {
        assert.equal(await page.evaluate(() => isSecureContext), false);
        await page.click('#live-start');
        await page.getByText('this browser has none here: it needs https and no private window').waitFor();
      });
    });

    if (engine === 'chromium') {
      // Only this engine has a switch for it.
      test('a worker that the browser restarts in the midst of a run goes on where it was, and the page says so', () =>
        withPage('?failure=503&rate=0.9&baseMs=1100&jitter=none&backoff=fixed', async (page) => {
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
          const { sentence } = reckon({ failure: '503', rate: 0.9, calls: 8 });
          assert.equal(
            await page.textContent('#live-sentence'),
            `${sentence} The browser restarted the server during the run, so its count is lost.`,
          );
        }));
    }

    /** @param {Page} page */
    async function reloadPastWorker(page) {
      if (engine === 'chromium') {
        const client = await page.context().newCDPSession(page);
        await Promise.all([page.waitForEvent('load'), client.send('Page.reload', { ignoreCache: true })]);
      } else {
        // Firefox alone still has this argument.
        await Promise.all([page.waitForEvent('load'), page.evaluate(() => /** @type {any} */ (location).reload(true))]);
      }
      await arrived(page);
    }
  });
});

test('a slow answer comes after the limit of an attempt; the tests know both', async () => {
  const { ATTEMPT_TIMEOUT_MS, SLOW_MS } = await pageModule('live/protocol.ts');
  assert.deepEqual({ attemptMs: ATTEMPT_TIMEOUT_MS, slowMs: SLOW_MS }, LIMITS);
  assert.ok(SLOW_MS > ATTEMPT_TIMEOUT_MS);
});

test('control: another seed, rate or failure is another sentence', () => {
  const base = { seed: 42, failure: /** @type {Failure} */ ('mixed'), rate: 0.6, calls: 8 };
  const others = [{ seed: 43 }, { rate: 0.9 }, { failure: /** @type {Failure} */ ('429') }, { calls: 1 }];
  for (const change of others) assert.notEqual(reckon({ ...base, ...change }).whole, reckon(base).whole);
});

/** @param {Page} page */
async function arrived(page) {
  await page.locator('html[data-ready]').waitFor();
  // A reload restores the old place when the page is already there, and what is far away is not drawn.
  await drawn(page, 'live-run');
}

/** Waits for the end of a run, and until it is drawn: a figure that is far away is not. @param {Page} page */
async function runEnded(page) {
  await page.locator('#live-run[data-sent]').waitFor();
  await drawn(page, 'live-run');
}

/** Presses "Send" and returns the sentence at the end. @param {Page} page */
async function send(page) {
  await page.click('#live-start');
  await runEnded(page);
  return (await page.textContent('#live-sentence')) ?? '';
}

/**
 * The fates of each call's requests, with the waits between them: their exact length is the policy's.
 * @param {Page} page
 */
function legs(page) {
  return page
    .locator('#live-run .call')
    .evaluateAll((calls) =>
      calls.map((call) => [...call.querySelectorAll('.attempt title')].map((title) => title.textContent)),
    );
}

/** The worker's counts of the run on the page, when it ended. @param {Page} page */
async function counts(page) {
  return JSON.parse((await page.getAttribute('#live-run', 'data-counted')) ?? '{}');
}

/** The worker's counts of the run on the page, as of now. @param {Page} page */
async function countsNow(page) {
  return page.evaluate(async () => {
    const run = document.getElementById('live-run')?.dataset.run;
    return (await fetch(`flaky/stats?run=${run}`)).json();
  });
}

/** Its message may come after the question. @param {Page} page @param {number} expected */
async function untilStopped(page, expected) {
  await until(`${expected} stopped`, async () => (await countsNow(page)).stopped === expected);
}
