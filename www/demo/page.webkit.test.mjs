/**
 * The most important parts of the built page, in WebKitGTK. Each test has a browser of its own, so that each is a first
 * visit.
 *
 * Expects `www/dist`, and the programs that WEBKITDRIVER_BIN and XVFB_BIN name.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { DESKTOP, PHONE, SUB_PATH, patient, served } from './lib/built-page.mjs';
import { ADVICE, SMALL, count, drawAll, drawn, has, neverSideways } from './lib/page.mjs';
import { picture, runEnded, says, send, text } from './lib/page.mjs';
import { bePatient } from './lib/patience.mjs';
import { reckon } from './lib/reckon.mjs';
import { until } from '../../tests/package/lib/until.mjs';
import { RECORDER, withWebKit } from '../../tests/clients/lib/webdriver.mjs';

const site = await served(await patient(`${RECORDER}(${bePatient})();`));
after(() => site.close());

const PROTECTION = `protection/${SMALL}&protection=hedge`;

const withPage = (query, use) =>
  withWebKit(async (page) => {
    const complaints = [];
    page.on('pageerror', (complaint) => complaints.push(complaint));
    await page.setViewportSize(DESKTOP);
    await page.goto(`${site.url}${SUB_PATH}${query}`);
    await until('the page', () => count(page, 'html[data-ready]'));
    await use(page);
    assert.equal(await count(page, '.error:not([hidden])'), 0);
    assert.deepEqual(complaints, []);
    assert.equal(site.stats().notFound, 0, 'a file of the page is missing');
  });
const pageTest = (name, query, use) => test(name, () => withPage(query, use));

// While one waits, another works.
describe('WebKitGTK', { concurrency: 2 }, () => {
  pageTest('loads under a sub-path: every figure is drawn, with its numbers in words', SMALL, async (page) => {
    const figures = await drawAll(page);
    assert.ok(figures.length >= 3, figures.join());
    for (const id of figures) assert.match(await text(page, `#${id} svg desc`), /\d/, id);
    await says(page, '#waits-desc', /Wait 1: median 50.ms, mean 50.ms, 5 to 95% between 5.ms and 95.ms; retry 1 lands/);
  });

  pageTest('the scene and the grid: by mouse, by keys, and by the link', '', async (page) => {
    const headline = '[data-scene=headline]';
    await says(page, headline, /^0 of 1,000 served$/);
    await page.click('[data-scene=next]');
    await says(page, headline, /^446 of 1,000 served$/);
    await page.press('.words input[value="in step"]', 'ArrowRight');
    await says(page, headline, /^1,000 of 1,000 served$/);
    await drawn(page, 'waits');
    await page.click('.cell[data-backoff=fixed][data-jitter=equal]');
    for (let i = 0; i < 3; i++) await page.press('.cell input:checked', 'ArrowRight');
    await says(page, '.scene-sentence', /waits that grow by 1.s/);
    await page.click('#new-seed');
    const link = await page.waitForFunction(() => /backoff=linear.*seed=/.test(location.search) && location.href);
    await page.goto('about:blank');
    await page.goto(link);
    await says(page, '.scene-sentence', /waits that grow by 1.s/);
    await says(page, '#seed', new RegExp(`^\\D*${/seed=(\d+)/.exec(link)?.[1]}`));
  });

  pageTest('steps and switches change figures, which are saved', PROTECTION, async (page) => {
    const ids = await drawAll(page);
    await says(page, '#tail .finding', /^A hedge after 60.ms sends 9\.7% more requests/);
    for (const id of ids) await picture(page, id);
    await page.click('#protection-body .button.primary');
    await says(page, '#protection-body .scene-why', /half idle pauses once/);
  });

  // The others are the same worker and the same page; a Retry-After is among these.
  pageTest('live calls have the end that the rule of the server gives', `${ADVICE}&baseMs=20`, async (page) => {
    const { whole, requests } = reckon({ failure: 'mixed', rate: 0.6, calls: 8 });
    // On a busy machine, an answer comes too late for an attempt of a second: then once more.
    await until(whole, async () => (await send(page)) === whole);
    assert.equal(await count(page, '#live-run .call .attempt'), requests);
  });

  pageTest('live calls are aborted at once', `${ADVICE}&baseMs=5000`, async (page) => {
    await drawn(page, 'live-run');
    await page.press('#live-start', 'Enter');
    await has(page, 'live-run', ' .call .attempt.failed', 3);
    await page.press('#live-abort', 'Enter');
    await runEnded(page);
    const aborted = await count(page, '#live-run .call[data-outcome=aborted]');
    assert.ok(aborted > 0);
    await says(page, '#live-sentence', new RegExp(`^Aborted: ${aborted}.calls? ended at once, `));
  });

  pageTest('nothing scrolls sideways in a frame as wide as a phone, nor with wider fonts', SMALL, async (page) => {
    await page.evaluate(
      (attributes) => {
        const frame = Object.assign(document.createElement('iframe'), attributes);
        document.body.replaceChildren(frame);
        return new Promise((resolve) => frame.addEventListener('load', () => resolve(null)));
      },
      { src: `${site.url}${SUB_PATH}${SMALL}`, ...PHONE, style: 'border: 0' },
    );
    await page.enterFrame('iframe');
    const narrow = async (width) => {
      await page.evaluate((px) => globalThis.frameElement?.setAttribute('width', `${px}`), width);
      await page.waitForFunction((px) => innerWidth === px, width);
    };
    await neverSideways(page, narrow, 'h1 { width: 400px }');
  });

  test('control: what goes wrong on a page is noticed', async () => {
    const wrong = withPage('', (page) =>
      page.evaluate(() => {
        setTimeout(() => {
          throw new Error('thrown');
        });
        Promise.reject(new Error('rejected'));
        console.error('printed');
        return new Promise((resolve) => {
          const broken = { onerror: () => resolve(null), src: 'data:,no picture' };
          document.body.append(Object.assign(new Image(), broken));
        });
      }),
    );
    const noticed = ['Error: thrown', 'not loaded: data:,no picture', 'printed', 'unhandled: Error: rejected'];
    await assert.rejects(wrong, ({ actual }) => isDeepStrictEqual(actual.toSorted(), noticed));
  });
});
