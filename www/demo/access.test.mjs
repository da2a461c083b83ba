/** For all readers: no violation that axe can find, no sideways scroll, no jumps, no motion that is not wanted. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { DESKTOP, PHONE, inEachEngine } from './lib/built-page.mjs';
import { coloursOf } from './lib/picture.mjs';
import { NARROW_WIDTHS, SMALL, WIDER_TEXT, choose, drawAll, drawn, overflow, useMenu } from './lib/page.mjs';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Google's Core Web Vitals call 0.1 good. */
const MOST_SHIFT = 0.05;

const SMALL_PHONE_WIDTH = 320;

/** Windows, tablets and phones. */
const ROOM_WIDTHS = [1440, 1280, 1024, 768, 430, 390, 360, 320];

/** Three lines of text: settings, and fonts where the page's own are not loaded, change that much. */
const MOST_ROOM_PX = 60;

inEachEngine(({ withPage }) => {
  for (const scheme of /** @type {const} */ (['light', 'dark'])) {
    for (const viewport of [DESKTOP, PHONE]) {
      test(`axe finds nothing, ${scheme}, ${viewport.width} pixels, everything drawn`, () =>
        withPage(
          async (page) => {
            await drawAll(page);
            if (viewport === PHONE) await page.getByRole('button', { name: 'Edit' }).click();
            for (const width of viewport === PHONE ? [PHONE.width, SMALL_PHONE_WIDTH] : [viewport.width]) {
              await page.setViewportSize({ ...viewport, width });
              assert.deepEqual(await violations(page), [], `${width} pixels`);
              assert.equal(await overflow(page), 0);
            }
            // The check itself can fail.
            await page.evaluate(() =>
              document
                .getElementById('seed')
                ?.setAttribute('style', 'color: color-mix(in srgb, currentColor 30%, var(--page))'),
            );
            if (viewport === DESKTOP)
              assert.deepEqual(
                (await violations(page, '#seed')).map(({ id }) => id),
                ['color-contrast'],
              );
          },
          // Figures have the same colours and names in both schemes.
          { viewport, scheme, query: scheme === 'light' ? '' : SMALL },
        ));
    }

    test(`${scheme} is what the system says, until the button is used`, () =>
      withPage(
        async (page) => {
          const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
          const [same, other] =
            scheme === 'light' ? ['rgb(246, 247, 249)', 'rgb(11, 14, 19)'] : ['rgb(11, 14, 19)', 'rgb(246, 247, 249)'];
          assert.equal(await background(), same);
          await page.locator('#theme').click();
          assert.equal(await background(), other);
          await page.reload();
          assert.equal(await background(), other);
        },
        { scheme },
      ));
  }

  test('on a phone nothing scrolls sideways, whatever is opened, and the strategy is chosen in a panel', () =>
    withPage(
      async (page) => {
        assert.ok(await page.locator('#controls').isHidden());
        await page.getByRole('button', { name: 'Edit' }).click();
        await choose(page, 'Decorrelated');
        await page.locator('#set-maxAttempts').fill('10');
        await page.getByRole('button', { name: 'Done' }).click();
        assert.ok(await page.locator('#controls').isHidden());
        for (const id of await drawAll(page)) {
          await useMenu(page, id, 'Show as table');
          assert.equal(await overflow(page), 0, id);
        }
      },
      { viewport: PHONE },
    ));

  test('nor with wider fonts, next to a scrollbar or on the narrowest phone', () =>
    withPage(
      async (page) => {
        await page.addStyleTag({ content: WIDER_TEXT });
        await drawAll(page);
        await page.getByRole('button', { name: 'Edit' }).click();
        for (const width of NARROW_WIDTHS) {
          await page.setViewportSize({ ...PHONE, width });
          assert.equal(await overflow(page), 0, `${width} pixels`);
        }
        await drawAll(page);
        assert.equal(await overflow(page), 0);
      },
      { viewport: PHONE },
    ));

  test('on a phone the legend of the traffic is above the note', () =>
    withPage(
      async (page) => {
        for (const id of ['herd', 'load']) {
          if (id === 'load') await page.locator('#budget-body').scrollIntoViewIfNeeded();
          await drawn(page, id);
          const bottoms = await page
            .locator(`#${id} .drawing svg text`)
            .evaluateAll((texts) => texts.map((text) => text.getBoundingClientRect().bottom));
          const top = await page.locator(`#${id} > .note`).evaluate((note) => note.getBoundingClientRect().top);
          assert.ok(Math.max(...bottoms) < top, `${id}: ${Math.max(...bottoms)} and ${top}`);
        }
      },
      { viewport: PHONE },
    ));

  test('nor when a wide window with everything drawn becomes a narrow one', () =>
    withPage(async (page) => {
      await drawAll(page);
      await page.setViewportSize(PHONE);
      assert.equal(await overflow(page), 0);
      // The check itself can fail.
      await page.addStyleTag({ content: '.drawing > svg { max-width: none; }' });
      assert.ok((await overflow(page)) > 0);
    }));

  test('reduced motion: nothing moves by itself, and links jump', () =>
    withPage(
      async (page) => {
        await drawAll(page);
        const moving = await page.evaluate(() => [
          getComputedStyle(document.documentElement).scrollBehavior,
          ...[...document.querySelectorAll('*')]
            .filter(
              (element) =>
                getComputedStyle(element).animationName !== 'none' ||
                parseFloat(getComputedStyle(element).transitionDuration) > 0,
            )
            .map((element) => element.id || element.className),
        ]);
        assert.deepEqual(moving, ['auto']);
      },
      { reducedMotion: true, query: SMALL },
    ));
});

// Only Chromium reports how far things have moved, and can replace colours.
inEachEngine(
  ({ withPage }) => {
    test('where the system replaces colours, the strips keep theirs and the sliders can be seen', () =>
      withPage(async (page) => {
        await page.emulateMedia({ forcedColors: 'active' });
        await page.reload();
        await page.locator('.hero[aria-busy=false]').waitFor();
        const colours = async (/** @type {string} */ selector) =>
          page.evaluate(coloursOf, (await page.locator(selector).first().screenshot()).toString('base64'));
        assert.ok((await colours('.hero-row:last-child .hero-strip')) > 10);
        assert.ok((await colours('#set-baseMs')) > 2);
        // The check itself can fail.
        await page.addStyleTag({ content: '#set-baseMs { opacity: 0; }' });
        assert.equal(await colours('#set-baseMs'), 1);
      }));

    test('axe finds nothing where the system replaces colours', () =>
      withPage(
        async (page) => {
          await page.emulateMedia({ forcedColors: 'active' });
          for (const width of [DESKTOP.width, PHONE.width, SMALL_PHONE_WIDTH]) {
            await page.setViewportSize({ ...DESKTOP, width });
            await drawAll(page);
            assert.deepEqual(await violations(page), [], `${width} pixels`);
          }
        },
        { query: SMALL },
      ));

    for (const viewport of [DESKTOP, PHONE]) {
      test(`nothing jumps while the page is drawn and scrolled through, ${viewport.width} pixels`, () =>
        withPage(
          async (page) => {
            await page.evaluate(() => {
              let shift = 0;
              new PerformanceObserver((list) => {
                for (const entry of list.getEntries())
                  shift += /** @type {PerformanceEntry & { value: number, hadRecentInput: boolean }} */ (entry).value;
                Object.assign(globalThis, { shift });
              }).observe({ type: 'layout-shift', buffered: true });
            });
            await drawAll(page);
            await drawn(page, 'delays');
            const shift = () => page.evaluate(() => /** @type {{ shift?: number }} */ (globalThis).shift ?? 0);
            assert.ok((await shift()) < MOST_SHIFT, `${await shift()}`);
            // The check itself can fail.
            await page.evaluate(() => document.querySelector('.columns')?.setAttribute('style', 'padding-top: 400px'));
            await page.waitForFunction((most) => {
              const { shift = 0 } = /** @type {{ shift?: number }} */ (globalThis);
              return shift > most;
            }, MOST_SHIFT);
          },
          { viewport },
        ));
    }

    test('the room kept for a section that is not loaded is what the section takes', () =>
      withPage(async (page) => {
        await drawAll(page);
        for (const width of ROOM_WIDTHS) {
          await page.setViewportSize({ ...DESKTOP, width });
          // The figures hear of their new widths in this time.
          await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
          for (const [id, [kept = 0, taken = 0]] of await page.evaluate(rooms)) {
            const most = Math.max(MOST_ROOM_PX, taken / 10);
            assert.ok(Math.abs(kept - taken) <= most, `${width} pixels, ${id}: ${kept} kept, ${taken} taken`);
          }
        }
        // The check itself can fail.
        await page.addStyleTag({ content: ':root { --budget-room: 100px !important; }' });
        const [kept = 0] = new Map(await page.evaluate(rooms)).get('budget-body') ?? [];
        assert.equal(kept, 100);
      }));
  },
  { engines: ['chromium'] },
);

/**
 * Returns the heights of all bodies that are loaded when they come near: the height that the styles keep, and the one
 * that the content takes. Runs in the page.
 * @returns {[id: string, heights: [kept: number, taken: number]][]}
 */
function rooms() {
  const style = document.createElement('style');
  // A figure far from the screen still has the drawing for its last width, which may be higher.
  style.textContent = '.drawing > svg { display: none; } [id$="-body"] { min-height: 0 !important; }';
  const bodies = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('main [id$="-body"]'))].filter(
    ({ id }) => id !== 'hero-body',
  );
  const kept = bodies.map((body) => parseFloat(getComputedStyle(body).minHeight));
  document.head.append(style);
  const taken = bodies.map((body) => Math.round(body.getBoundingClientRect().height));
  style.remove();
  return bodies.map(({ id }, i) => [id, [kept[i] ?? 0, taken[i] ?? 0]]);
}

/**
 * Returns axe's complaints, and their places.
 * @param {import('playwright-core').Page} page
 * @param {string} [within] a selector
 * @returns {Promise<{ id: string, where: string[] }[]>}
 */
async function violations(page, within = 'html') {
  await page.evaluate(await readFile(AXE, 'utf8'));
  return page.evaluate(async (context) => {
    // Without the places of what is in order.
    const { violations: found } = await /** @type {any} */ (globalThis).axe.run(context, {
      resultTypes: ['violations'],
    });
    return found.map((/** @type {any} */ { id, nodes }) => ({
      id,
      where: nodes.map((/** @type {any} */ node) => node.target.join(' ')).slice(0, 5),
    }));
  }, within);
}
