/**
 * The first screen and the herd of the built page, as visitors see them: their numbers are those of the installed
 * package, their pixels say what their words say, and no text covers another at any width.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulateOutage } from 'rejitter/lab';
import { inEachEngine } from './lib/built-page.mjs';
import { drawAll, drawn, pictureOf } from './lib/page.mjs';
import { shareOf } from './lib/picture.mjs';
import { textClashes } from './lib/texts.mjs';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('rejitter').RetryOptions} RetryOptions */
/** @typedef {{ clients: number, downMs: number, capacityPerS: number, rejectionCost: number }} Outage */

/** The page's defaults, written out: what the permalinks below do not say. */
const POLICY = { baseMs: 100, capMs: 10_000, maxAttempts: 10 };
const OUTAGE = { clients: 1000, downMs: 2000, capacityPerS: 120, rejectionCost: 0.05 };

/**
 * A permalink, the options of its two rows, what is unlike the defaults in its outage, and its seed.
 * @type {readonly { query: string, rows: [RetryOptions, RetryOptions], herd?: Partial<Outage>, seed?: number, isEndless?: boolean }[]}
 */
const LINKS = [
  { query: '', rows: [{ jitter: 'none' }, { jitter: 'full' }] },
  {
    query: '?maxAttempts=6&downMs=8000',
    rows: [
      { jitter: 'none', maxAttempts: 6 },
      { jitter: 'full', maxAttempts: 6 },
    ],
    herd: { downMs: 8000 },
  },
  {
    query: '?maxAttempts=2',
    rows: [
      { jitter: 'none', maxAttempts: 2 },
      { jitter: 'full', maxAttempts: 2 },
    ],
  },
  {
    query: '?totalTimeoutMs=3000&baseMs=50&capMs=1000',
    rows: [
      { jitter: 'none', baseMs: 50, capMs: 1000, totalTimeoutMs: 3000 },
      { jitter: 'full', baseMs: 50, capMs: 1000, totalTimeoutMs: 3000 },
    ],
  },
  {
    query: '?jitter=equal&rejectionCost=0&seed=7',
    rows: [{ jitter: 'none' }, { jitter: 'equal' }],
    herd: { rejectionCost: 0 },
    seed: 7,
  },
  {
    query: '?jitter=decorrelated&clients=200',
    rows: [{ jitter: 'none' }, { jitter: 'decorrelated' }],
    herd: { clients: 200 },
  },
  {
    query: '?backoff=linear&jitter=none&baseMs=500&capacityPerS=300',
    rows: [
      { backoff: 'linear', jitter: 'none', baseMs: 500 },
      { backoff: 'linear', jitter: 'full', baseMs: 500 },
    ],
    herd: { capacityPerS: 300 },
  },
  {
    query: '?backoff=fixed&baseMs=1000&rejectionCost=0.1',
    rows: [
      { backoff: 'fixed', jitter: 'none', baseMs: 1000 },
      { backoff: 'fixed', jitter: 'full', baseMs: 1000 },
    ],
    herd: { rejectionCost: 0.1 },
  },
  {
    query: '?backoff=truncated&truncateAt=6&baseMs=200&clients=500&downMs=5000',
    rows: [
      { backoff: 'truncated', truncateAt: 6, jitter: 'none', baseMs: 200 },
      { backoff: 'truncated', truncateAt: 6, jitter: 'full', baseMs: 200 },
    ],
    herd: { clients: 500, downMs: 5000 },
  },
  {
    query: '?limits=served&baseMs=1000&capMs=60000&downMs=8000',
    rows: [
      { jitter: 'none', baseMs: 1000, capMs: 60_000 },
      { jitter: 'full', baseMs: 1000, capMs: 60_000 },
    ],
    herd: { downMs: 8000 },
    isEndless: true,
  },
  {
    query: '?backoff=fibonacci&jitter=pollyV2',
    rows: [{ backoff: 'fibonacci', jitter: 'none' }, { jitter: 'pollyV2' }],
  },
];

inEachEngine(({ engine, withPage }) => {
  test("the hero's numbers are those of simulateOutage in the installed package, for eleven permalinks", () =>
    withPage(async (page, url) => {
      for (const { query, rows, herd, seed = 42, isEndless = false } of LINKS) {
        await page.goto(url + query);
        const words = await heroWords(page);
        // How long the strips are is said above them; only who retries for ever is cut there.
        const horizonMs = isEndless
          ? msOf(/([\d.]+\u00a0\w+) of traffic/.exec((await page.textContent('.hero-sentence')) ?? '')?.[1] ?? '')
          : 3_600_000;
        for (const [i, options] of rows.entries()) {
          const expected = outcome(
            { ...POLICY, ...options, ...(isEndless && { maxAttempts: Infinity }) },
            { ...OUTAGE, ...herd },
            seed,
            horizonMs,
          );
          compare(`${query} row ${i}: ${words[i]}`, words[i] ?? '', expected, isEndless);
        }
      }
    }));

  test('one sentence says what the limits do; the switch next to it lifts them', () =>
    withPage(
      async (page) => {
        await heroWords(page);
        const limits = page.locator('.hero-limits');
        assert.match(
          spaced(await limits.textContent()),
          /^With 6 attempts and full jitter, 1,000 of 1,000 clients give up by 3 s\. If they never gave up, all would be served by 23 s\. Retry until served$/,
        );
        await page.getByRole('button', { name: 'Retry until served' }).click();
        await page.waitForURL(/limits=served/);
        const [none = '', full = ''] = await heroWords(page);
        assert.match(spaced(none), /^\d\d of 1,000 after 40 s; 9\d\d still retry$/);
        assert.match(spaced(full), /^1,000 of 1,000 by \d\d s$/);
        assert.match(
          spaced(await limits.textContent()),
          /^Here no client gives up\. With 6 attempts and full jitter, 1,000 of 1,000 clients would give up by 3 s\. Retry as set$/,
        );
        await drawn(page, 'herd');
        assert.ok(await page.getByRole('radio', { name: 'Until served' }).isChecked());
        await page.reload();
        assert.equal((await heroWords(page))[1], full);
        await page.getByRole('radio', { name: 'As set' }).click();
        await heroWords(page);
        assert.match(spaced(await limits.textContent()), /1,000 of 1,000 clients give up by 3 s\./);
        await page.waitForURL((now) => !now.search.includes('limits'));
      },
      { query: '?maxAttempts=6&downMs=8000' },
    ));

  test('the herd table has the outcome as set: served, gave up, time to 99%, and the cost of rejections', () =>
    withPage(async (page) => {
      await drawn(page, 'herd');
      const row = async () =>
        spaced(await page.locator('#herd [role=radio][aria-checked=true]').getAttribute('aria-label'));
      const { served, gaveUp, lastMs, calls } = outcome({ ...POLICY, jitter: 'full' }, OUTAGE, 42, 3_600_000);
      assert.ok(gaveUp > 0 && lastMs > 0);
      assert.match(
        await row(),
        new RegExp(
          `^Exponential · full: ${served.toLocaleString('en-US')} of 1,000 served, ${gaveUp} gave up by .*, 99% ` +
            `served after .*, peak .*, ${(Math.floor((1000 * (calls - served)) / calls) / 10).toFixed(1)}% of the ` +
            'calls rejected$',
        ),
      );
      const texts = await page.locator('#herd .row.chosen text').allTextContents();
      assert.deepEqual(texts.slice(1, 3), [served.toLocaleString('en-US'), String(gaveUp)]);

      const slider = page.getByRole('slider', { name: 'A rejected call costs' });
      assert.equal(await slider.getAttribute('aria-valuetext'), '5% of a served one');
      await slider.fill('0');
      await page.waitForURL(/rejectionCost=0(&|$)/);
      await drawn(page, 'herd');
      const free = outcome({ ...POLICY, jitter: 'full' }, { ...OUTAGE, rejectionCost: 0 }, 42, 3_600_000);
      assert.equal(free.served, 1000);
      assert.match(await row(), /^Exponential · full: 1,000 of 1,000 by /);
    }));

  for (const scheme of /** @type {const} */ (['light', 'dark'])) {
    test(`pink is what is rejected after the outage, and the curve is what is served: ${scheme}`, () =>
      withPage(
        async (page) => {
          await heroWords(page);
          const pink = await page.evaluate(() => {
            const probe = document.createElement('i');
            probe.style.color = 'var(--failed)';
            document.body.append(probe);
            return (getComputedStyle(probe).color.match(/\d+/g) ?? []).map(Number);
          });
          /**
           * The strip, and the curve below it.
           * @param {number} row
           * @param {'strip' | 'curve'} part
           * @param {readonly [number, number]} [from]
           */
          const shot = (row, part, [from, to] = [0, 1]) =>
            pictureOf(page, async () => {
              const box = await page.locator('.hero-strip svg').nth(row).boundingBox();
              assert.ok(box);
              const [top, height] = part === 'strip' ? [5, 22] : [31, 14];
              return { x: box.x + from * box.width, y: box.y + top, width: (to - from) * box.width, height };
            });
          const pinkIn = async (/** @type {Parameters<typeof shot>} */ ...where) =>
            page.evaluate(shareOf, { base64: await shot(...where), colour: pink, within: 70 });
          const [none, full] = [await pinkIn(0, 'strip'), await pinkIn(1, 'strip')];
          // Four waves of 100 ms in 38 s, each some pixels wide.
          assert.ok(none > 0.005, `${none} of the strip without jitter is pink`);
          assert.ok(none > 1.2 * full, `${none} without jitter, ${full} with`);
          // The server is down for 2 of 40 s: no strategy can change that.
          for (const row of [0, 1])
            assert.equal(await pinkIn(row, 'strip', [0, 0.045]), 0, `row ${row}, in the outage`);

          /** Everything in the curve's box that is not its ground. @param {number} row */
          const filled = async (row) => {
            const ground = await page.evaluate(() => {
              const rect = document.querySelector('.served .ground');
              return rect ? (getComputedStyle(rect).fill.match(/\d+/g) ?? []).map(Number) : [];
            });
            return 1 - (await page.evaluate(shareOf, { base64: await shot(row, 'curve'), colour: ground, within: 12 }));
          };
          const [noneServed, fullServed] = [await filled(0), await filled(1)];
          // 60 of 1,000 are less than a pixel of 16; nearly all of them are served within 15 of 40 s.
          assert.ok(noneServed < 0.1 && fullServed > 0.7, `${noneServed}, ${fullServed}`);
        },
        { scheme },
      ));
  }

  test('one annotation says why, and only where it is true', () =>
    withPage(async (page, url) => {
      await heroWords(page);
      const why = async () => (await page.locator('.hero-why').allTextContents()).map(spaced);
      assert.deepEqual(await why(), [
        'All 1,000 come back within the same 100 ms; the server can take 12 of them.',
        '',
      ]);
      // 12 are saved up, and 12 come in while they call.
      await page.goto(`${url}?rejectionCost=0`);
      await heroWords(page);
      assert.match((await why())[0] ?? '', /the server can take 2[34] of them\.$/);
      // Waits that are shorter than the time in which clients start; and a server that takes all of them.
      for (const query of ['?backoff=fixed&baseMs=50', '?capacityPerS=10000']) {
        await page.goto(url + query);
        await heroWords(page);
        assert.deepEqual(await why(), ['', ''], query);
      }
    }));

  test('a last attempt is marked where clients give up, at its time', () =>
    withPage(async (page) => {
      await heroWords(page);
      const marks = page.locator('.hero-row:first-child .last-attempt line');
      const { lastMs } = outcome({ ...POLICY, jitter: 'none' }, OUTAGE, 42, 3_600_000);
      const width = Number(await page.locator('.hero-strip svg').first().getAttribute('width'));
      assert.ok(Math.abs(Number(await marks.getAttribute('x1')) - (width * lastMs) / 40_000) < 1.5);
      // No client gives up with enough time.
      await page.getByRole('button', { name: 'Retry until served' }).click();
      await heroWords(page);
      assert.equal(await page.locator('.hero .last-attempt').count(), 0);
    }));

  test('a simulation that is cut off says so, and tells no outcome', () =>
    withPage(
      async (page) => {
        const [, full = ''] = await heroWords(page);
        assert.match(spaced(full), /^cut off at [\d.]+ s; [\d,]+ of 10,000 served up to there$/);
        assert.doesNotMatch((await page.textContent('.hero')) ?? '', /failing/);
      },
      { query: '?baseMs=1&backoff=fixed&jitter=full&clients=10000&limits=served&maxAttempts=10&capacityPerS=20' },
    ));

  test('at 320 to 1440 px each strip next to text has 300 px, and no text covers another or leaves its card', () =>
    withPage(async (page) => {
      // Firefox has other letters and other boxes, but the same layout: every third width does.
      const step = engine === 'chromium' ? 20 : 60;
      for (let width = 320; width <= 1440; width += step) {
        await page.setViewportSize({ width, height: 900 });
        for (const id of ['herd', 'arrivals', 'lanes']) {
          await drawn(page, id);
          assert.deepEqual(await page.evaluate(textClashes, `#${id}`), [], `${id} at ${width} px`);
        }
        const strips = await page.locator('#herd .row:has(.ground)').evaluateAll((rows) =>
          rows.map((row) => {
            const strip = row.querySelector('.ground')?.getBoundingClientRect() ?? new DOMRect();
            const isBeside = [...row.querySelectorAll('text')].some((text) => {
              const box = text.getBoundingClientRect();
              return box.top < strip.bottom && box.bottom > strip.top;
            });
            return { isBeside, width: strip.width };
          }),
        );
        assert.equal(strips.length, 16);
        for (const strip of strips)
          assert.ok(strip.width >= 300 || !strip.isBeside, `a strip of ${strip.width} px at ${width} px`);
        if (engine === 'chromium')
          assert.deepEqual(await page.evaluate(textClashes, '#hero-body'), [], `the hero at ${width} px`);
      }
    }));

  if (engine === 'chromium') {
    test('in no figure does a text cover another or leave its card', () =>
      withPage(async (page) => {
        const ids = await drawAll(page);
        assert.ok(
          ['cost', 'delays', 'load', 'peaks', 'success'].every((id) => ids.includes(id)),
          ids.join(),
        );
        for (const width of [1440, 1300, 1180, 1024, 860, 768, 560, 390, 360, 340, 320]) {
          await page.setViewportSize({ width, height: 900 });
          for (const id of ids) {
            await drawn(page, id);
            assert.deepEqual(await page.evaluate(textClashes, `#${id}`), [], `${id} at ${width} px`);
          }
        }
      }));
  }
});

/** The outcome of each row, in its words. @param {Page} page */
async function heroWords(page) {
  await page.locator('.hero[aria-busy=false] .hero-outcome:not(:empty)').first().waitFor();
  await page.waitForFunction(() => document.querySelector('.hero-limits span')?.textContent !== '');
  return page.locator('.hero-words').evaluateAll((all) =>
    all.map((words) =>
      [...words.children]
        .map((child) => child.textContent)
        .filter(Boolean)
        .join('; '),
    ),
  );
}

/** @param {RetryOptions} options @param {Outage} outage @param {number} seed @param {number} horizonMs */
function outcome(options, { clients, downMs, capacityPerS, rejectionCost }, seed, horizonMs) {
  const simulation = simulateOutage(options, {
    clients,
    downMs,
    capacityPerS,
    rejectionCost,
    seed,
    horizonMs,
    spreadMs: 100,
    burst: capacityPerS / 10,
    latencyMs: 10,
    binMs: 100,
    traced: clients,
  });
  simulation.step();
  const { servedMs, giveUps, traces, arrivals } = simulation.result();
  simulation.free();
  const last = [...traces.timesMs].findLast((_, i) => traces.outcomes[i] === 2) ?? NaN;
  return {
    clients,
    served: servedMs.length,
    gaveUp: giveUps,
    servedMs: servedMs.at(-1) ?? NaN,
    lastMs: last,
    calls: arrivals.reduce((a, b) => a + b, 0),
    horizonMs,
  };
}

/**
 * @param {string} what
 * @param {string} words
 * @param {ReturnType<typeof outcome>} expected
 * @param {boolean} isEndless
 */
function compare(what, words, { clients, served, gaveUp, servedMs, lastMs, horizonMs }, isEndless) {
  const [, shown = '', of = ''] = /^([\d,]+) of ([\d,]+)/.exec(words) ?? [];
  assert.deepEqual(
    [shown, of].map((text) => Number(text.replaceAll(',', ''))),
    [served, clients],
    what,
  );
  const time = /(?:by|after) ([\d.]+\u00a0\w+)/.exec(words)?.[1];
  if (served === clients) return atLeast(what, time, servedMs);
  if (isEndless) return assert.equal(msOf(time ?? ''), horizonMs, what);
  assert.equal(Number(/; ([\d,]+) gave up/.exec(words)?.[1]?.replaceAll(',', '')), gaveUp, what);
  return atLeast(what, time, lastMs + 10);
}

/**
 * The time is rounded up, by no more than its last digit.
 * @param {string} what
 * @param {string | undefined} text
 * @param {number} ms
 */
function atLeast(what, text, ms) {
  const shown = msOf(text ?? '');
  assert.ok(
    shown >= ms && shown - ms <= (ms < 10_000 ? 100 : ms < 120_000 ? 1000 : 60_000),
    `${what}: ${shown} for ${ms}`,
  );
}

/** @param {string} text a time as the page writes it */
function msOf(text) {
  const [number, unit = ''] = text.split('\u00a0');
  return Number(number) * ({ ms: 1, s: 1000, min: 60_000, h: 3_600_000 }[unit] ?? NaN);
}

/** @param {string | null} text */
function spaced(text) {
  return (text ?? '').replaceAll('\u00a0', ' ').trim();
}
