/** For all readers: no violation that axe can find, no sideways scroll, no jumps, no motion that is not wanted. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { DESKTOP, PHONE, inEachEngine } from './lib/built-page.mjs';
import { onEdge } from './lib/in-page.mjs';
import { NARROW_WIDTHS, PAGES, SMALL, WIDER_TEXT, drawAll, overflow, sceneSays } from './lib/page.mjs';

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Google's Core Web Vitals call 0.1 good. */
const MOST_SHIFT = 0.01;
const COLOURS = { light: 'rgb(246, 247, 249)', dark: 'rgb(11, 14, 19)' };

inEachEngine(({ pageTest }) => {
  for (const scheme of /** @type {const} */ (['light', 'dark'])) {
    for (const viewport of [DESKTOP, PHONE])
      for (const at of PAGES)
        pageTest(
          `axe: /${at}, ${scheme}, ${viewport.width} pixels`,
          { viewport, scheme, query: `${at}${SMALL}` },
          async (page) => {
            await drawAll(page);
            for (const fold of await page.locator('summary').all()) await fold.click();
            assert.deepEqual(await violations(page), []);
            assert.equal(await overflow(page), 0);
            if (viewport !== DESKTOP || at !== '') return;
            // The check itself can fail.
            await page.addStyleTag({
              content: '#seed { color: color-mix(in srgb, currentColor 30%, var(--page)); }',
            });
            assert.deepEqual(await violations(page, '#seed'), ['color-contrast: #seed']);
          },
        );

    pageTest(`${scheme} is what the system says, until the button is used`, { scheme }, async (page) => {
      const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const { [scheme]: same, ...rest } = COLOURS;
      const [other] = Object.values(rest);
      assert.equal(await background(), same);
      await page.locator('#theme').click();
      assert.equal(await background(), other);
      await page.reload();
      assert.equal(await background(), other);
    });
  }

  pageTest('on a phone, the numbers of the strategy are in a fold', { viewport: PHONE }, async (page) => {
    await page.locator('summary', { hasText: 'Every number' }).click();
    await page.locator('#set-maxAttempts').fill('10');
    await page.getByRole('radio', { name: '11 attempts' }).waitFor();
    await page.locator('#set-clients-number').fill('7');
    await page.keyboard.press('Enter');
    await page.getByText('Clients must be an integer between 10 and 10,000, got 7').waitFor();
    await drawAll(page);
    assert.equal(await overflow(page), 0);
  });

  pageTest('nothing scrolls sideways: wider fonts, a scrollbar, a window that becomes narrow', {}, async (page) => {
    await drawAll(page);
    await page.setViewportSize(PHONE);
    assert.equal(await overflow(page), 0);
    await page.addStyleTag({ content: WIDER_TEXT });
    await drawAll(page);
    for (const width of NARROW_WIDTHS) {
      await page.setViewportSize({ ...PHONE, width });
      assert.equal(await overflow(page), 0, `${width} pixels`);
    }
    await drawAll(page);
    assert.equal(await overflow(page), 0);
    // The check itself can fail.
    await page.addStyleTag({ content: '.drawing > svg { min-width: 1000px; }' });
    assert.ok((await overflow(page)) > 0);
  });

  pageTest('the header of a phone is one line, in wider faces, too', { viewport: PHONE }, async (page) => {
    for (const spacing of ['0', '0.04em']) {
      await page.addStyleTag({ content: `.top { letter-spacing: ${spacing}; }` });
      for (const width of NARROW_WIDTHS.filter((one) => one >= 345)) {
        await page.setViewportSize({ ...PHONE, width });
        assert.equal((await page.locator('.top').boundingBox()).height, 52, `${width} pixels`);
      }
    }
  });

  pageTest('reduced motion: nothing moves by itself', { reducedMotion: true, query: SMALL }, async (page) => {
    await drawAll(page);
    const moving = await page.evaluate(() =>
      [...document.querySelectorAll('*')].flatMap((element) => {
        const { animationName, transitionDuration, scrollBehavior } = getComputedStyle(element);
        const isStill = animationName === 'none' && !(parseFloat(transitionDuration) > 0);
        return isStill && scrollBehavior === 'auto' ? [] : [element.id || element.className];
      }),
    );
    assert.deepEqual(moving, []);
  });
});

// Only Chromium reports how far things have moved, and can replace colours.
inEachEngine(
  ({ pageTest }) => {
    pageTest('where the system replaces colours, marks and sliders are seen', { query: SMALL }, async (page) => {
      await page.emulateMedia({ forcedColors: 'active' });
      await page.reload();
      const colours = async (/** @type {string} */ selector) => {
        const base64 = (await page.locator(selector).first().screenshot()).toString('base64');
        return (await page.evaluate(onEdge, { base64, edge: 1 })).colours;
      };
      await sceneSays(page);
      assert.ok((await colours('.scene-picture')) > 4);
      await page.locator('summary', { hasText: 'Every number' }).click();
      assert.ok((await colours('#set-baseMs')) > 2);
      for (const width of [DESKTOP.width, PHONE.width, 320]) {
        await page.setViewportSize({ ...DESKTOP, width });
        await drawAll(page);
        assert.deepEqual(await violations(page), [], `${width} pixels`);
      }
      // The check itself can fail.
      await page.addStyleTag({ content: '#set-baseMs { opacity: 0; }' });
      assert.equal(await colours('#set-baseMs'), 1);
    });

    for (const viewport of [DESKTOP, PHONE])
      for (const at of PAGES)
        pageTest(`nothing jumps on /${at}, ${viewport.width} pixels`, { viewport, query: at }, async (page) => {
          await page.evaluate(() => {
            let shift = 0;
            new PerformanceObserver((list) => {
              for (const entry of list.getEntries()) shift += /** @type {any} */ (entry).value;
              Object.assign(globalThis, { shift });
            }).observe({ type: 'layout-shift', buffered: true });
          });
          await drawAll(page);
          const shift = () => page.evaluate(() => /** @type {any} */ (globalThis).shift ?? 0);
          assert.ok((await shift()) < MOST_SHIFT, `${await shift()}`);
          // The check itself can fail.
          await page.addStyleTag({ content: 'main { padding-top: 400px; }' });
          await page.waitForFunction((most) => /** @type {any} */ (globalThis).shift > most, MOST_SHIFT);
        });
  },
  { engines: ['chromium'] },
);

/** Axe's complaints, with their places. @param {import('playwright-core').Page} page */
async function violations(page, within = 'html') {
  await page.evaluate(AXE);
  return page.evaluate(async (context) => {
    // Without the places of what is in order.
    const { violations: found } = await globalThis.axe.run(context, { resultTypes: ['violations'] });
    return found.map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .map(({ target }) => target)
          .slice(0, 5)
          .join(' ')}`,
    );
  }, within);
}
