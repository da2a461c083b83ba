/**
 * The opening of the page: its numbers are those of the installed package, and its pictures move, rest and
 * stand still as a visitor sees them. The test supplies the frames of the browser, one by one.
 *
 * Expects `www/dist`, and the browsers in CHROME_BIN and FIREFOX_BIN.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { simulateOutage } from 'rejitter/lab';
import { DESKTOP, PHONE, inEachEngine } from './lib/built-page.mjs';
import { overflow } from './lib/page.mjs';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {'atOnce' | 'fixed' | 'backoff' | 'jitter'} Scene */

const OUTAGE = {
  clients: 1000,
  downMs: 2000,
  spreadMs: 100,
  capacityPerS: 120,
  burst: 12,
  latencyMs: 10,
  rejectionCost: 0.05,
  horizonMs: 40_000,
  binMs: 10,
  traced: 24,
};
/** @type {Readonly<Record<Scene, import('rejitter').RetryOptions>>} */
const POLICIES = {
  atOnce: { backoff: 'fixed', jitter: 'none', baseMs: 0, maxAttempts: Infinity },
  fixed: { backoff: 'fixed', jitter: 'none', baseMs: 1000, maxAttempts: Infinity },
  backoff: { backoff: 'exponential', jitter: 'none', baseMs: 100, capMs: 10_000, maxAttempts: Infinity },
  jitter: { backoff: 'exponential', jitter: 'full', baseMs: 100, capMs: 10_000, maxAttempts: Infinity },
};
const SCENES = /** @type {Scene[]} */ (Object.keys(POLICIES));
/** Simulated time of a frame: the pictures run at two and a half times the speed. */
const FRAME_MS = 100;
const PER_FRAME_MS = 2.5 * FRAME_MS;

/** @param {Scene} scene @param {number} seed */
function simulated(scene, seed) {
  const simulation = simulateOutage(POLICIES[scene], { ...OUTAGE, seed });
  while (!simulation.step(100_000).done);
  const result = simulation.result();
  simulation.free();
  const calls = result.arrivals.reduce((a, b) => a + b, 0);
  const after = result.arrivals.subarray(OUTAGE.downMs / OUTAGE.binMs);
  const windows = Array.from(after, (_, i) => after.subarray(Math.max(0, i - 9), i + 1).reduce((a, b) => a + b, 0));
  return {
    served: result.servedMs.length,
    lastMs: result.servedMs.at(-1) ?? NaN,
    ninetiethMs: result.servedMs[899],
    calls,
    busiest: Math.max(...windows),
    result,
  };
}

/** @param {number} n */
const written = (n) => n.toLocaleString('en-US');
/** A tenth of a second, never earlier. @param {number} ms */
const seconds = (ms) => `${Math.ceil(ms / 100) / 10}\u00a0s`;

/** Makes frames something that only the test gives. Runs in the page, before its scripts. */
function ownFrames() {
  /** @type {FrameRequestCallback[]} */
  let wanted = [];
  let now = 0;
  let id = 0;
  globalThis.requestAnimationFrame = (callback) => {
    id++;
    wanted.push(callback);
    return id;
  };
  globalThis.cancelAnimationFrame = () => {
    wanted = [];
  };
  Object.assign(globalThis, {
    /** @param {number} count @param {number} ms */
    frames(count, ms) {
      for (let i = 0; i < count; i++) {
        now += ms;
        const callbacks = wanted;
        wanted = [];
        for (const callback of callbacks) callback(now);
      }
    },
    frameWanted: () => wanted.length > 0,
  });
}

/** Waits until the story has ended. @param {Page} page */
async function told(page) {
  await page.locator('#story-section').scrollIntoViewIfNeeded();
  await page.locator('.story-result[aria-busy=false]').waitFor();
}

/** @param {Page} page @param {number} count */
const frames = (page, count) =>
  page.evaluate(([n = 0, ms = 0]) => /** @type {any} */ (globalThis).frames(n, ms), [count, FRAME_MS]);

/** The picture on the canvas of a scene. @param {Page} page @param {Scene} scene */
const pictureOf = (page, scene) =>
  page
    .locator(`[data-scene=${scene}] canvas`)
    .evaluate((canvas) => /** @type {HTMLCanvasElement} */ (canvas).toDataURL());

/** Brings a scene into view; then the page knows which scenes are seen. @param {Page} page @param {Scene} scene */
async function look(page, scene) {
  await page.locator(`[data-scene=${scene}] canvas`).evaluate(bringIntoView);
}

/** @param {Page} page */
const wantsFrame = (page) => page.evaluate(() => /** @type {any} */ (globalThis).frameWanted());

/**
 * Resolves when the page's own observer, which is older than the one made here, was called. Runs in the page.
 * @param {Element} element
 */
function bringIntoView(element) {
  element.scrollIntoView({ block: 'center', behavior: 'instant' });
  return new Promise((resolve) => {
    const observer = new IntersectionObserver(() => {
      observer.disconnect();
      resolve(undefined);
    });
    observer.observe(element);
  });
}

/**
 * How many pixels of an area have the colour of a variable of the style sheet, nearly.
 * @param {Page} page @param {Scene} scene @param {string} variable
 * @param {[left: number, right: number, top: number, bottom: number]} area in CSS pixels; from the right or the bottom
 *   where negative
 */
function pixels(page, scene, variable, area) {
  return page.locator(`[data-scene=${scene}] canvas`).evaluate(
    (element, [name, [x0, x1, y0, y1]]) => {
      const canvas = /** @type {HTMLCanvasElement} */ (element);
      const probe = document.createElement('i');
      probe.style.color = `var(${name})`;
      document.body.append(probe);
      const colour = (getComputedStyle(probe).color.match(/[\d.]+/g) ?? []).map(Number);
      probe.remove();
      const scale = canvas.width / canvas.clientWidth;
      const place = (/** @type {number} */ at, /** @type {number} */ size) =>
        Math.round(scale * at) + (at < 0 ? size : 0);
      const [left, right, top, bottom] = [
        place(x0, canvas.width),
        place(x1, canvas.width),
        place(y0, canvas.height),
        place(y1, canvas.height),
      ];
      const data =
        canvas.getContext('2d')?.getImageData(left, top, right - left, bottom - top).data ?? new Uint8ClampedArray();
      let found = 0;
      for (let i = 0; i < data.length; i += 4)
        if (colour.every((part, k) => Math.abs(part - (data[i + k] ?? 0)) < 12)) found++;
      return found / scale ** 2;
    },
    /** @type {[string, [number, number, number, number]]} */ ([variable, area]),
  );
}

/** @type {[number, number, number, number]} */
const CLIENTS = [0, 10, 20, 162];
/** @type {[number, number, number, number]} the server's bar, right of the calls on their way */
const BAR = [-98, -66, 24, 160];
/** @type {[number, number, number, number]} the lanes after the first ten seconds of a whole time line */
const LATER = [250, -116, 22, 160];

describe('the story', () => {
  inEachEngine(({ withPage }) => {
    for (const seed of [42, 7]) {
      test(`each number is that of the installed package, seed ${seed}`, () =>
        withPage(
          async (page) => {
            await told(page);
            const runs = Object.fromEntries(SCENES.map((scene) => [scene, simulated(scene, seed)]));
            const { atOnce, fixed, backoff, jitter } = /** @type {Record<Scene, ReturnType<typeof simulated>>} */ (
              runs
            );
            const text = async (/** @type {Scene} */ scene) =>
              (await page.locator(`[data-scene=${scene}] .scene-words`).innerText()).replaceAll('\u00a0', ' ');
            const has = async (/** @type {Scene} */ scene, /** @type {(string | number)[]} */ ...numbers) => {
              const said = await text(scene);
              for (const number of numbers)
                assert.ok(said.includes(String(number).replaceAll('\u00a0', ' ')), `${number} in: ${said}`);
            };
            const rate = Number(
              (
                (1000 * (atOnce.calls - atOnce.result.arrivals.subarray(0, 200).reduce((a, b) => a + b, 0))) /
                38_000
              ).toPrecision(2),
            );
            await has(
              'atOnce',
              `${written(rate)} calls a second`,
              `${atOnce.served === 0 ? 'nobody' : atOnce.served}`,
              `${atOnce.served} of 1,000 served after 40 s`,
            );
            await has(
              'fixed',
              'all 1,000 come back within the same 100 ms',
              'can take 12 of them',
              `${fixed.served} of 1,000 served after 40 s`,
            );
            assert.equal(fixed.busiest, 1000);
            await has(
              'backoff',
              '5 in 38 s',
              `brings ${1000 - backoff.served + 12} clients`,
              `${backoff.served} of 1,000 served after 40 s`,
            );
            await has(
              'jitter',
              `at most ${jitter.busiest} within 100 ms`,
              `After ${seconds(jitter.ninetiethMs ?? NaN)}`,
              `1,000 of 1,000 served within ${seconds(jitter.lastMs)}`,
            );
            assert.equal(jitter.served, 1000);

            const bars = await page.locator('.story-bars li').evaluateAll((items) =>
              items.map((item) => {
                const [track, bar] = [item.querySelector('.story-bar'), item.querySelector('.story-bar span')].map(
                  (element) => element?.getBoundingClientRect().width ?? 0,
                );
                return {
                  served: item.querySelector('b')?.textContent,
                  part: Math.round((1000 * (bar ?? 0)) / (track ?? 1)),
                  calls: item.querySelector('.story-calls')?.textContent,
                };
              }),
            );
            for (const [i, scene] of SCENES.entries()) {
              const run = simulated(scene, seed);
              assert.equal(bars[i]?.served, written(run.served));
              assert.ok(Math.abs((bars[i]?.part ?? NaN) - run.served) <= 2, `${scene}: a bar of ${bars[i]?.part}`);
              const perClient = run.calls / 1000;
              assert.equal(
                bars[i]?.calls,
                `${perClient < 100 ? perClient.toFixed(1) : written(Math.round(perClient))}\u00a0calls per client`,
              );
            }
            const closing = await page.locator('.story-closing').innerText();
            assert.ok(
              closing.includes(
                `jitter turns ${backoff.served} served clients into 1,000, with ` +
                  `${(jitter.calls / 1000).toFixed(1)} calls per client instead of ` +
                  `${(backoff.calls / 1000).toFixed(1)}`,
              ),
              closing,
            );

            // The picture in words: the served among the 24 whose calls are drawn.
            for (const scene of SCENES) {
              const { traces } = simulated(scene, seed).result;
              const label = await page.getAttribute(`[data-scene=${scene}] canvas`, 'aria-label');
              assert.ok(
                label?.includes(
                  `Of the 24 clients shown, ${traces.outcomes.filter((outcome) => outcome === 1).length} are served`,
                ),
                label ?? '',
              );
            }
          },
          { query: seed === 42 ? '' : `?seed=${seed}`, reducedMotion: true },
        ));
    }

    test('a picture moves while it is seen; its calls overload the server, its served clients turn to the hue', () =>
      withPage(
        async (page) => {
          await told(page);
          await look(page, 'jitter');
          const begin = await pictureOf(page, 'jitter');
          assert.equal(await pixels(page, 'jitter', '--full', CLIENTS), 0);
          assert.equal(await pixels(page, 'jitter', '--failed', BAR), 0);
          await frames(page, 2000 / PER_FRAME_MS + 2);
          assert.notEqual(await pictureOf(page, 'jitter'), begin);
          assert.ok((await pixels(page, 'jitter', '--failed', BAR)) > 500, 'full just after the outage');
          await frames(page, 6000 / PER_FRAME_MS);
          const some = await pixels(page, 'jitter', '--full', CLIENTS);
          await frames(page, 24_000 / PER_FRAME_MS);
          const all = await pixels(page, 'jitter', '--full', CLIENTS);
          assert.ok(some > 50 && all > 1.3 * some, `${some}, then ${all}`);
          assert.equal(await pixels(page, 'jitter', '--failed', BAR), 0);
          assert.equal(await pixels(page, 'jitter', '--full', BAR), 0, 'nothing left to do');
          // The end stays, then it starts again.
          await frames(page, 9000 / PER_FRAME_MS);
          const end = await pictureOf(page, 'jitter');
          await frames(page, 1);
          assert.equal(await pictureOf(page, 'jitter'), end);
          await frames(page, 8000 / PER_FRAME_MS);
          assert.ok((await pixels(page, 'jitter', '--full', CLIENTS)) < all);
        },
        { init: ownFrames },
      ));

    test('the bar fills and empties with each wave; at once, it never empties', () =>
      withPage(
        async (page) => {
          await told(page);
          /** @param {Scene} scene */
          const levels = async (scene) => {
            await look(page, scene);
            await frames(page, 2500 / PER_FRAME_MS);
            const found = [];
            for (let i = 0; i < 10; i++) {
              await frames(page, 1);
              found.push(await pixels(page, scene, '--failed', BAR));
            }
            return found;
          };
          const fixed = await levels('fixed');
          assert.ok(Math.max(...fixed) > 800 && Math.min(...fixed) === 0, `${fixed}`);
          const turns = fixed.filter((level, i) => i > 0 && level > 0 !== (fixed[i - 1] ?? 0) > 0).length;
          assert.ok(turns >= 3, `${fixed}`);
          const atOnce = await levels('atOnce');
          assert.ok(Math.min(...atOnce) > 2000, `${atOnce}`);
          assert.equal(await pixels(page, 'atOnce', '--none', CLIENTS), 0);
        },
        { init: ownFrames },
      ));

    test('it pauses by its button, and where it is not seen', () =>
      withPage(
        async (page) => {
          await told(page);
          await look(page, 'atOnce');
          await frames(page, 5);
          const button = page.locator('.story-pause');
          await button.focus();
          await page.keyboard.press('Enter');
          assert.equal(await button.getAttribute('aria-pressed'), 'true');
          const paused = await pictureOf(page, 'atOnce');
          await frames(page, 5);
          assert.equal(await pictureOf(page, 'atOnce'), paused);
          await page.keyboard.press('Enter');
          assert.ok(await wantsFrame(page));
          await frames(page, 5);
          const moved = await pictureOf(page, 'atOnce');
          assert.notEqual(moved, paused);

          await page.locator('#how-heading').evaluate(bringIntoView);
          assert.equal(await wantsFrame(page), false);
          await frames(page, 5);
          assert.equal(await pictureOf(page, 'atOnce'), moved);
        },
        { init: ownFrames },
      ));

    test('with reduced motion it stands still, and shows the whole time line', () =>
      withPage(
        async (page) => {
          await told(page);
          await look(page, 'fixed');
          assert.equal(await wantsFrame(page), false);
          assert.equal(await page.locator('.story-pause').isVisible(), false);
          const before = await Promise.all(SCENES.map((scene) => pictureOf(page, scene)));
          await frames(page, 20);
          assert.deepEqual(await Promise.all(SCENES.map((scene) => pictureOf(page, scene))), before);
          // Rejected calls up to the end in three scenes; with jitter no call is left.
          const late = await Promise.all(SCENES.map((scene) => pixels(page, scene, '--failed', LATER)));
          assert.ok(
            late.slice(0, 3).every((count) => count > 40),
            `${late}`,
          );
          assert.equal(late[3], 0);
          assert.ok((await pixels(page, 'jitter', '--full', [10, -116, 22, 160])) > 24 * 12, '24 served clients');
        },
        { reducedMotion: true, init: ownFrames },
      ));

    test('on paper it is the whole time line, and afterwards moves on', () =>
      withPage(
        async (page) => {
          await told(page);
          await look(page, 'fixed');
          await frames(page, 3);
          assert.equal(await pixels(page, 'fixed', '--failed', LATER), 0);
          await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
          assert.ok((await pixels(page, 'fixed', '--failed', LATER)) > 40);
          await page.evaluate(() => dispatchEvent(new Event('afterprint')));
          assert.equal(await pixels(page, 'fixed', '--failed', LATER), 0);
        },
        { init: ownFrames },
      ));

    for (const viewport of [DESKTOP, PHONE, { width: 320, height: 640 }]) {
      test(`the pictures fill their card and nothing sticks out, ${viewport.width} pixels`, () =>
        withPage(
          async (page) => {
            // Also before there is anything to show.
            await page.locator('.scene canvas').first().waitFor({ state: 'attached' });
            assert.equal(await overflow(page), 0);
            await told(page);
            assert.equal(await overflow(page), 0);
            for (const scene of SCENES) {
              const [canvas, card] = await page
                .locator(`[data-scene=${scene}]`)
                .evaluate((element) =>
                  [element.querySelector('canvas'), element].map((part) => part?.getBoundingClientRect()),
                );
              assert.ok(
                canvas &&
                  card &&
                  canvas.left >= card.left &&
                  canvas.right <= card.right &&
                  canvas.width > 0.5 * card.width,
                scene,
              );
            }
          },
          { viewport, reducedMotion: true },
        ));
    }
  });
});
