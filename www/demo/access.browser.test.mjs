/** For all readers: nothing that axe finds, no sideways scroll, no jumps, no covered text, no motion unless wanted. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { DESKTOP, PHONE, inEachEngine } from './lib/built-page.mjs';
import { onEdge, textClashes } from './lib/in-page.mjs';
import {
  COLOURS,
  PAGES,
  SMALL,
  background,
  drawAll,
  drawn,
  loaded,
  neverSideways,
  overflow,
  sceneSays,
} from './lib/page.mjs';

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Google's Core Web Vitals call 0.1 good. A line that wraps while the scene plays is 0.006. */
const MOST_SHIFT = 0.005;
const TABLET = { width: 768, height: 1200 }; // So high that the distributions are seen at once.
const LINKS = [
  '?backoff=linear&jitter=equal&baseMs=300',
  '?backoff=truncated&jitter=decorrelated&clients=200&downMs=500&capMs=60000&totalTimeoutMs=3000',
  '?maxAttempts=1&downMs=0',
  '',
  'protection/',
];
const FEW = { query: SMALL };
const NARROWEST_PX = 11;
/** What shows most: the strategy with a long name, and the parts below the load. */
const MOST = '.cell[data-backoff=exponential][data-jitter=full], :is(#rate-limit-body, #tail-body) [role=switch]';

/** Only Chromium reports how far things have moved, and which; elsewhere it is 0. Runs in the page. */
function countShift() {
  const moved = [];
  const place = ({ y, height }) => `${Math.round(y)} + ${Math.round(height)}`;
  const said = ({ node, previousRect, currentRect }) =>
    `${node?.id || node?.className || node?.nodeName}: ${place(previousRect)} → ${place(currentRect)}`;
  const add = (entries) => {
    for (const { value, sources } of entries) moved.push({ value, what: Array.from(sources, said) });
  };
  const observer = new PerformanceObserver((list) => add(list.getEntries()));
  observer.observe({ type: 'layout-shift', buffered: true });
  const all = () => {
    add(observer.takeRecords());
    return moved;
  };
  const shift = () => all().reduce((sum, { value }) => sum + value, 0);
  Object.assign(globalThis, { shift, moved: () => JSON.stringify(all()) });
}
const shift = (page) => page.evaluate(() => globalThis.shift());
const moved = (page) => page.evaluate(() => globalThis.moved());
/** How late something comes: a browser draws the page without it. */
const LATE_MS = 500;

inEachEngine(({ engine, pageTest }) => {
  // One load of each page for each width that the page is made for: it is looked at in both schemes, and made narrower.
  for (const at of PAGES)
    for (const [viewport, narrower] of [
      [DESKTOP, 1024],
      [PHONE, 320],
    ])
      pageTest(`/${at} at ${viewport.width} pixels`, { viewport, query: at, init: countShift }, async (page) => {
        const before = await shift(page);
        const ids = await drawAll(page);
        assert.ok((await shift(page)) - before < MOST_SHIFT, await moved(page));
        assert.deepEqual(await page.evaluate(moving), []);
        for (const one of await page.locator(MOST).all()) await one.click();
        await clashes(page, ids);
        for (const fold of await page.locator('summary').all()) await fold.click();
        for (const [scheme, colour] of Object.entries(COLOURS)) {
          await page.evaluate((name) => (document.documentElement.style.colorScheme = name), scheme);
          assert.equal(await background(page), colour);
          // The colours of the dark scheme are the same in all engines.
          if (engine === 'chromium' || colour === COLOURS.light) assert.deepEqual(await violations(page), [], colour);
        }
        assert.deepEqual(await page.evaluate(small, NARROWEST_PX), []);
        assert.deepEqual(await page.locator('.error:visible').allTextContents(), []);
        await page.setViewportSize({ ...viewport, width: narrower });
        await clashes(page, await drawAll(page));
        if (viewport !== DESKTOP || at !== '') return;
        // The checks themselves can fail.
        await page.addStyleTag({ content: '#seed { color: color-mix(in srgb, currentColor 30%, var(--page)); }' });
        await page.setViewportSize(DESKTOP);
        assert.deepEqual(await violations(page, '#seed'), ['color-contrast: #seed']);
        await page.addStyleTag({ content: 'main { padding-top: 400px; }' });
        const least = before + MOST_SHIFT;
        if (engine === 'chromium') await page.waitForFunction((most) => globalThis.shift() > most, least);
      });

  // The build has drawn another scene than these links ask for. Only Chromium reports shifts.
  if (engine === 'chromium')
    pageTest('nothing jumps, whatever scene a link asks for', { init: countShift }, async (page, { url }) => {
      for (const [viewport, late] of [[DESKTOP], [TABLET, '**/*.woff2'], [PHONE, '**/worker-*.js']]) {
        await page.setViewportSize(viewport);
        await page.unrouteAll();
        if (late)
          await page.route(late, async (route) => {
            await pause(LATE_MS);
            await route.continue();
          });
        for (const query of LINKS) {
          const isScene = !query.startsWith('protection');
          // One scene plays to its end.
          const plays = viewport === DESKTOP && query === LINKS[0];
          await page.emulateMedia({ reducedMotion: plays ? 'no-preference' : 'reduce' });
          await page.goto(`${url}${query}`);
          await page.locator('html[data-ready]').waitFor();
          // On a phone they load when the reader comes near: here before there is anything to draw.
          if (viewport === PHONE && isScene) {
            await loaded(page, 'delays-body');
            await page.locator('div.grid').evaluate((grid) => grid.scrollIntoView({ block: 'center' }));
          }
          if (isScene) await sceneSays(page);
          await page.locator(`${isScene ? '#waits' : '#recovery'}[aria-busy=false]`).waitFor();
          assert.ok((await shift(page)) <= MOST_SHIFT, `${query} at ${viewport.width} pixels: ${await moved(page)}`);
        }
      }
    });

  pageTest('nothing scrolls sideways: a window that becomes narrow, a scrollbar, wider fonts', FEW, async (page) => {
    await drawAll(page);
    await page.setViewportSize(PHONE);
    assert.equal(await overflow(page), 0);
    // On a phone the numbers of the strategy are in a fold.
    await page.locator('summary', { hasText: 'Every number' }).click();
    await page.locator('#set-maxAttempts').fill('10');
    await page.getByRole('radio', { name: '11 attempts' }).waitFor();
    await page.locator('#set-clients-number').fill('7');
    await page.keyboard.press('Enter');
    await page.getByText('Clients must be an integer between 10 and 10,000, got 7').waitFor();
    const narrow = async (width, css) => {
      await page.setViewportSize({ ...PHONE, width });
      const { height } = await page.locator('.top').boundingBox();
      if (width >= 345 && css.startsWith('.top')) assert.equal(height, 52, `the header at ${width} pixels`);
    };
    await neverSideways(page, narrow, '.drawing > svg { min-width: 1000px; }');
  });

  // Only Chromium can replace colours.
  if (engine === 'chromium')
    pageTest('where the system replaces colours, marks and sliders are seen', FEW, async (page) => {
      await page.emulateMedia({ forcedColors: 'active' });
      await page.reload();
      const colours = async (/** */ selector) => {
        const base64 = (await page.locator(selector).first().screenshot()).toString('base64');
        return (await page.evaluate(onEdge, { base64, edge: 1 })).colours;
      };
      await sceneSays(page);
      assert.ok((await colours('.scene-picture')) > 4);
      await page.locator('summary', { hasText: 'Every number' }).click();
      assert.ok((await colours('#set-baseMs')) > 2);
      await drawAll(page);
      assert.deepEqual(await violations(page), []);
      // The check itself can fail.
      await page.addStyleTag({ content: '#set-baseMs { opacity: 0; }' });
      assert.equal(await colours('#set-baseMs'), 1);
    });
});

/** No text of a figure covers another or leaves its card, and nothing scrolls sideways. */
async function clashes(page, ids) {
  assert.equal(await overflow(page), 0);
  for (const id of ids) {
    await drawn(page, id);
    assert.deepEqual(await page.evaluate(textClashes, `#${id}`), [], `#${id}`);
  }
}

/** What moves by itself although the reader wants less motion. Runs in the page. */
function moving() {
  return [...document.querySelectorAll('*')].flatMap((element) => {
    const { animationName, transitionDuration, scrollBehavior } = getComputedStyle(element);
    const isStill = animationName === 'none' && !(parseFloat(transitionDuration) > 0);
    return isStill && scrollBehavior === 'auto' ? [] : [element.id || element.className];
  });
}

/** Texts that are smaller than this. Runs in the page. */
function small(least) {
  const hasText = (one) =>
    [...one.childNodes].some(({ nodeType, textContent }) => nodeType === 3 && textContent.trim());
  const all = [...document.querySelectorAll('main *')].filter((one) => one.checkVisibility() && hasText(one));
  return all.filter((one) => parseFloat(getComputedStyle(one).fontSize) < least).map((one) => one.textContent);
}

/** Axe's complaints, with their places. */
async function violations(page, within = 'html') {
  await page.evaluate(AXE);
  return page.evaluate(async (context) => {
    // Without the places of what is in order.
    const { violations: found } = await globalThis.axe.run(context, { resultTypes: ['violations'] });
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join(' ')}`);
  }, within);
}
