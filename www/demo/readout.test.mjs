/**
 * The crosshair of the figures: by pointer, tap and keyboard, one moment in all figures of an axis, with the
 * numbers of their tables.
 *
 * Expects `www/dist`, and the browsers in CHROME_BIN and FIREFOX_BIN.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { DESKTOP, PHONE, inEachEngine } from './lib/built-page.mjs';
import { newContext } from './lib/engines.mjs';
import { drawn, overflow, tableOf } from './lib/page.mjs';
import { until } from './lib/until.mjs';

/** @typedef {import('playwright-core').Page} Page */

const AXE = fileURLToPath(import.meta.resolve('axe-core/axe.min.js'));
const SHARED = ['herd', 'arrivals', 'lanes'];

/** Waits for a figure and its crosshair. @param {Page} page @param {string} id */
async function ready(page, id) {
  await drawn(page, id);
  await page.locator(`#${id} .crosshair`).waitFor({ state: 'attached' });
}

/** @param {Page} page @param {string} id */
const toMiddle = (page, id) =>
  page
    .locator(`#${id} .drawing`)
    .evaluate((drawing) => drawing.scrollIntoView({ block: 'center', behavior: 'instant' }));

/**
 * The text of a figure's box, and the place of box and line; undefined if they are not shown.
 * @param {Page} page
 * @param {string} id
 */
function said(page, id) {
  return page.locator(`#${id}`).evaluate((card) => {
    const [line, box] = ['.crosshair-line', '.crosshair-box'].map(
      (name) => /** @type {HTMLElement} */ (card.querySelector(name)),
    );
    if (!line || !box || line.offsetParent === null || box.offsetParent === null) return undefined;
    const [place, ...rows] = [...box.children];
    const frame = card.getBoundingClientRect();
    const shown = box.getBoundingClientRect();
    return {
      place: place?.textContent ?? '',
      rows: rows.map((row) => [...row.children].map((part) => part.textContent ?? '')),
      x: line.getBoundingClientRect().left,
      inside:
        shown.left >= frame.left &&
        shown.right <= frame.right &&
        shown.top >= frame.top &&
        shown.bottom <= frame.bottom,
    };
  });
}

/** The tick labels of an axis with their places. @param {Page} page @param {string} id */
const ticks = (page, id) =>
  page.locator(`#${id} svg .axis text[text-anchor=middle]:not(.axis-title)`).evaluateAll((texts) =>
    texts.flatMap((text) => {
      const s = /^(\d+)\u00a0s$/.exec(text.textContent ?? '');
      const { left, right } = text.getBoundingClientRect();
      return s ? [{ ms: 1000 * Number(s[1]), x: (left + right) / 2 }] : [];
    }),
  );

/** Where a time is in a figure, by its ticks. @param {Page} page @param {string} id @param {number} ms */
async function xOf(page, id, ms) {
  const found = await ticks(page, id);
  const [first, last] = [found[0], found.at(-1)];
  assert.ok(first && last && last.ms > first.ms, `${id}: ${JSON.stringify(found)}`);
  return first.x + ((ms - first.ms) / (last.ms - first.ms)) * (last.x - first.x);
}

inEachEngine(({ engine, withPage }) => {
  test('the pointer shows one moment in all figures of the herd, with the numbers of their tables', () =>
    withPage(async (page) => {
      for (const id of SHARED) await ready(page, id);
      await toMiddle(page, 'arrivals');
      const [strip, load, lanes] = await until('the pointer shows it in all of them', async () => {
        const { y, height } = (await page.locator('#arrivals .drawing').boundingBox()) ?? { y: 0, height: 0 };
        await page.mouse.move((await xOf(page, 'arrivals', 4050)) + 0.3, y + height / 2);
        const all = await Promise.all(SHARED.map((id) => said(page, id)));
        return all.every((one) => one !== undefined) && all;
      });
      const place = load?.place ?? '';
      // A pixel is wider than a bin.
      const ms = Math.round(1000 * Number(/^at (4|4\.1)\u00a0s$/.exec(place)?.[1]));
      assert.ok(ms >= 4000, place);
      for (const [i, shown] of [strip, load, lanes].entries()) {
        const id = SHARED[i] ?? '';
        assert.equal(shown?.place, place, id);
        assert.ok(Math.abs(shown.x - (await xOf(page, id, ms + 50))) < 4, `${id}: ${shown.x}`);
        assert.ok(shown.inside, id);
      }
      assert.deepEqual(
        load?.rows.map(([name]) => name),
        ['None', 'Full', 'Equal', 'Decorrelated'],
      );

      // Read from what is drawn.
      const rates = await page.evaluate(reckon);
      const loads = load?.rows.map(([, value]) => parseFloat(value ?? '')) ?? [];
      // A pixel of the logarithmic axis is some percent.
      for (const [i, value] of loads.entries())
        assert.ok(Math.abs(value - (rates.loads[i] ?? NaN)) <= 0.12 * value, `${loads} for ${rates.loads}`);
      assert.deepEqual(strip?.rows[0], ['Exponential · full', `${loads[1]}/s arrive`]);
      assert.match(strip?.rows[1]?.join(' ') ?? '', /^served so far \d+ of 1,000$/);
      assert.deepEqual(lanes?.rows, [
        ['served so far', `${rates.dots} of 24`],
        ['calls rejected so far', String(rates.ticks)],
      ]);

      // The row of the table that the pointer is on.
      await toMiddle(page, 'herd');
      const pointed = await until('the pointer shows it', async () => {
        const row = await page.locator('#herd svg .row', { hasText: 'Exponential · none' }).boundingBox();
        await page.mouse.move(await xOf(page, 'herd', 4050), (row?.y ?? 0) + (row?.height ?? 0) / 2);
        const shown = await said(page, 'herd');
        return shown?.rows[0]?.[0] === 'Exponential · none' && shown;
      });
      assert.ok(pointed.inside);

      // It goes with the pointer.
      await page.mouse.move(5, 5);
      await until('it goes', async () => (await said(page, 'arrivals')) === undefined);
      for (const id of SHARED) assert.equal(await said(page, id), undefined, id);

      const { rows } = await tableOf(page, 'arrivals');
      const [, ...calls] = rows.map((row) => Object.values(row)).find(([from]) => from === place.slice(3)) ?? [];
      // Bins of 100 ms.
      assert.deepEqual(
        loads,
        calls.map((n) => 10 * Number(n)),
      );
    }));

  test('the arrow keys move it, a screen reader announces it, and Escape takes it away', () =>
    withPage(async (page) => {
      for (const id of SHARED) await ready(page, id);
      await toMiddle(page, 'arrivals');
      const slider = page.locator('#arrivals').getByRole('slider', { name: 'Crosshair: Load over time' });
      await slider.focus();
      assert.equal((await said(page, 'lanes'))?.place, 'at 2\u00a0s', 'it starts where the server is back');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('PageUp');
      const shown = await said(page, 'arrivals');
      assert.equal(shown?.place, 'at 6.4\u00a0s');
      assert.equal(await slider.getAttribute('aria-valuetext'), shown.place);
      await page
        .locator('#arrivals .spoken', { hasText: /^at 6\.4\u00a0s: None [\d.k]+\/s, Full \d+\/s, / })
        .waitFor({ state: 'attached' });
      assert.equal(await page.locator('#lanes .spoken').textContent(), '', 'only one of them speaks');
      assert.equal((await said(page, 'herd'))?.place, shown.place);
      if (engine === 'chromium') {
        await page.evaluate(await readFile(AXE, 'utf8'));
        const found = await page.evaluate(
          async (ids) => (await /** @type {any} */ (globalThis).axe.run(ids.map((id) => `#${id}`))).violations,
          SHARED,
        );
        assert.deepEqual(
          found.map((/** @type {any} */ { id }) => id),
          [],
        );
      }
      await page.keyboard.press('Escape');
      for (const id of SHARED) assert.equal(await said(page, id), undefined, id);
      await page.keyboard.press('End');
      assert.equal((await said(page, 'arrivals'))?.place, 'at 40\u00a0s');
      assert.equal(await said(page, 'lanes'), undefined, 'its axis ends before');
      await page.keyboard.press('Tab');
      assert.equal(await said(page, 'arrivals'), undefined);
    }));

  for (const viewport of [DESKTOP, PHONE]) {
    test(`the box stays on the card at both ends of the axis, ${viewport.width} pixels`, () =>
      withPage(
        async (page) => {
          for (const id of SHARED) {
            await ready(page, id);
            const slider = page.locator(`#${id} .crosshair-area`);
            for (const key of ['Home', 'End']) {
              await slider.press(key);
              assert.ok((await said(page, id))?.inside, `${id}, ${key}`);
              assert.equal(await overflow(page), 0);
            }
          }
        },
        { viewport },
      ));
  }
});

inEachEngine(
  ({ withPage }) => {
    test('on a touch screen a tap shows it, the next tap elsewhere hides it, and a moving finger scrolls', () =>
      withPage(
        async (page, url) => {
          const browser = page.context().browser();
          assert.ok(browser);
          const context = await newContext(browser, { viewport: PHONE, hasTouch: true, isMobile: true });
          const touch = await context.newPage();
          await touch.goto(url);
          await touch.locator('html[data-ready]').waitFor();
          await ready(touch, 'arrivals');
          await toMiddle(touch, 'arrivals');
          const shown = await until('a tap shows it', async () => {
            const box = await touch.locator('#arrivals .drawing').boundingBox();
            assert.ok(box);
            await touch.touchscreen.tap(box.x + 0.6 * box.width, box.y + 100);
            return said(touch, 'arrivals');
          });
          assert.ok(shown.inside);
          // A finger that moves: nothing keeps the browser from scrolling, and nothing moves but the page.
          const free = await touch.locator('#arrivals .drawing svg').evaluate((svg) => {
            const over = { bubbles: true, cancelable: true };
            const { left, top } = svg.getBoundingClientRect();
            const move = new PointerEvent('pointermove', {
              ...over,
              pointerType: 'touch',
              clientX: left + 80,
              clientY: top + 80,
            });
            const events = [move, new Event('touchstart', over), new Event('touchmove', over)];
            for (const event of events) svg.dispatchEvent(event);
            const actions = [];
            for (let at = /** @type {Element | null} */ (svg); at; at = at.parentElement)
              actions.push(getComputedStyle(at).touchAction);
            return events.every((event) => !event.defaultPrevented) && actions.every((action) => action === 'auto');
          });
          assert.ok(free);
          assert.equal((await said(touch, 'arrivals'))?.place, shown.place);
          await touch.locator('#arrivals h3').tap();
          await until('it goes', async () => (await said(touch, 'arrivals')) === undefined);
          await context.close();
        },
        { viewport: PHONE },
      ));
  },
  { engines: ['chromium'] },
);

/**
 * Values that the figures draw at their crosshairs, read from their marks. Runs in the page: the height of each
 * panel's bar against the labels of its axis, and the marks of the lanes up to the line.
 */
function reckon() {
  const lineOf = (/** @type {string} */ id) =>
    parseFloat(/** @type {HTMLElement} */ (document.querySelector(`#${id} .crosshair-line`)).style.left);
  const svgOf = (/** @type {string} */ id) =>
    /** @type {SVGSVGElement} */ (document.querySelector(`#${id} svg[role=img]`));
  const lanes = svgOf('lanes');
  const numbers = (/** @type {string} */ text) => [...text.matchAll(/M([\d.]+)/g)].map((match) => Number(match[1]));
  const paths = (/** @type {string} */ name) =>
    [...lanes.querySelectorAll(`path.${name}`)].flatMap((path) => numbers(path.getAttribute('d') ?? ''));
  const rejections = [...paths('tick'), ...paths('gave-up').map((x) => x + 4)];
  const dots = [...lanes.querySelectorAll('circle.dot-mark')].map((dot) => Number(dot.getAttribute('cx')));
  const before = (/** @type {number[]} */ places) => places.filter((x) => x <= lineOf('lanes')).length;

  const load = svgOf('arrivals');
  const axes = [...load.querySelectorAll('g.axis')].slice(1);
  const loads = [...load.querySelectorAll('path.bars')].map((element, i) => {
    const path = /** @type {SVGGeometryElement} */ (element);
    const levels = [...(axes[i]?.querySelectorAll('text') ?? [])].map((text) => ({
      rate: parseFloat(text.textContent ?? '') * ((text.textContent ?? '').includes('k') ? 1000 : 1),
      y: Number(text.getAttribute('y')) - 4,
    }));
    const [low, high] = [levels[0], levels.at(-1)];
    if (!low || !high) return NaN;
    const { y, height } = path.getBBox();
    const point = load.createSVGPoint();
    point.x = lineOf('arrivals');
    for (point.y = y - 1; point.y < y + height; point.y += 0.05) {
      if (path.isPointInFill(point)) return low.rate * (high.rate / low.rate) ** ((low.y - point.y) / (low.y - high.y));
    }
    return 0;
  });
  return { loads, ticks: before(rejections), dots: before(dots) };
}
