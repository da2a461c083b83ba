/**
 * The most important parts of the built page, in WebKitGTK.
 *
 * Expects `www/dist`, `rejitter` in `www/node_modules`, and the programs that WEBKIT_DRIVER_BIN and
 * XVFB_BIN name. Each test has a browser of its own, so that each is a first visit.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { keepNextFile, keptFile, onEdge } from './lib/in-page.mjs';
import { ADVICE, NARROW_WIDTHS, SMALL, WIDER_TEXT, isDrawn, isLoaded, placeOf } from './lib/page.mjs';
import { bePatient, slower } from './lib/patience.mjs';
import { reckon } from './lib/reckon.mjs';
import { serveFolder } from './lib/static-server.mjs';
import { until } from './lib/until.mjs';
import { KEYS, RECORDER, startWebKit, withSession } from './lib/webdriver.mjs';

const DIST = fileURLToPath(new URL('../dist', import.meta.url));
const PHONE = 390;

/** @type {Awaited<ReturnType<typeof serveFolder>>} */
let server;
/** @type {Awaited<ReturnType<typeof startWebKit>>} */
let webkit;

before(async () => {
  server = await serveFolder(DIST, '/some/where/', `<script>${RECORDER}(${bePatient})();</script>`, {
    'flaky.js': slower,
  });
  webkit = await startWebKit();
});
after(async () => {
  await webkit?.close();
  await server?.close();
});

const withPage = (query, use) =>
  withSession(webkit.session, async (page) => {
    await page.resize(1440, 900);
    await page.goto(server.url + query);
    await page.wait(() => document.documentElement.dataset.ready !== undefined);
    await use(page);
    assert.deepEqual(await page.run(() => globalThis.complaints), []);
    assert.deepEqual(server.missing, []);
  });
const pageTest = (name, query, use) => test(name, () => withPage(query, use));

// Each in a browser of its own: while one waits, another works.
describe('WebKitGTK', { concurrency: 2 }, () => {
  pageTest('loads under a sub-path: every figure is drawn, with its numbers in words', ADVICE, async (page) => {
    const figures = await drawAll(page);
    assert.ok(figures.length >= 3, figures.join());
    for (const id of figures) assert.match(await text(page, `#${id} svg desc`), /\d/, id);
    assert.match(
      await text(page, '#waits-desc'),
      /Wait 1: median 50\u00a0ms, mean 50\u00a0ms, 5 to 95% between 5\u00a0ms and 95\u00a0ms; retry 1 lands/,
    );
    assert.equal(await page.run(() => document.querySelectorAll('.error:not([hidden])').length), 0);
  });

  pageTest('the scene and the grid: by mouse, by keys, and by the link', '', async (page) => {
    await says(page, '[data-scene=headline]', /^0 of 1,000 served$/);
    await page.click('[data-scene=next]');
    await says(page, '[data-scene=headline]', /^446 of 1,000 served$/);
    await page.type('.words input[value="in step"]', KEYS.right);
    await says(page, '[data-scene=headline]', /^1,000 of 1,000 served$/);
    await drawn(page, 'waits');
    await page.run(() => document.querySelector('.grid')?.scrollIntoView({ behavior: 'instant', block: 'center' }));
    await page.click('.cell[data-backoff=fixed][data-jitter=equal]');
    await page.type('.cell[aria-checked=true]', KEYS.left + KEYS.down);
    await says(page, '.scene-sentence', /waits that grow by 1\u00a0s/);
    await page.click('#new-seed');
    const link = await page.wait(() => /backoff=linear.*seed=/.test(location.search) && location.href);
    const shown = async () => {
      await page.wait(() => document.querySelector('#scene-body:not([data-playing]) .scene[aria-busy=false]') !== null);
      await drawn(page, 'waits');
      return [await text(page, '#waits-desc'), await text(page, '[data-scene=headline]'), await text(page, '#seed')];
    };
    const before = await shown();
    await page.goto('about:blank');
    await page.goto(String(link));
    await page.wait(() => document.documentElement.dataset.ready !== undefined);
    await says(page, '.scene-sentence', /waits that grow/);
    await drawn(page, 'waits');
    assert.deepEqual(await shown(), before);
  });

  pageTest(
    'protection: steps and switches change the figures, which are saved as pictures',
    `protection/${SMALL}&protection=hedge`,
    async (page) => {
      const ids = await drawAll(page);
      await says(page, '#tail .finding', /^A hedge after 60\u00a0ms sends 9\.7% more requests/);
      for (const id of ids) {
        const width = await page.run(
          (figure) => Number(document.querySelector(`#${figure} .drawing > svg`)?.getAttribute('width')),
          id,
        );
        await page.run(keepNextFile);
        await clickInPage(page, `#${id} [aria-label^="PNG of"]`);
        const { name, base64 } = await page.wait(keptFile);
        assert.equal(name, `rejitter-${id}.png`);
        assert.equal(Buffer.from(base64, 'base64').readUInt32BE(16), 2 * (width + 48), id);
        assert.ok((await page.run(onEdge, { base64, edge: 1 })).colours > 10, `${id}: an empty picture`);
      }
      await clickInPage(page, '#protection-body .button.primary');
      await drawn(page, 'load');
      await says(page, '#protection-body .scene-why', /half idle pauses once/);
    },
  );

  // The others are the same worker and the same page.
  for (const failure of /** @type {const} */ (['mixed', '429'])) {
    pageTest(
      `live calls, ${failure}: the sentence is the one that the rule of the server gives`,
      `${ADVICE}&failure=${failure}&baseMs=20`,
      async (page) => {
        const { whole, requests } = reckon({ failure, rate: 0.6, calls: 8 });
        await arrived(page);
        await page.click('#live-start');
        await runEnded(page);
        assert.equal(await text(page, '#live-sentence'), whole);
        assert.equal(await page.run(() => document.querySelectorAll('#live-run .call .attempt').length), requests);
      },
    );
  }

  pageTest('live calls are aborted at once', `${ADVICE}&failure=mixed&rate=0.9&baseMs=5000`, async (page) => {
    await arrived(page);
    await page.type('#live-start', KEYS.enter);
    await until('three failed attempts', async () => {
      await drawn(page, 'live-run');
      return page.run(
        () => document.querySelectorAll('#live-run:not([data-forecast]) .call .attempt.failed').length > 2,
      );
    });
    await page.type('#live-abort', KEYS.enter);
    await runEnded(page);
    const sentence = await text(page, '#live-sentence');
    const aborted = await page.run(() => document.querySelectorAll('#live-run .call[data-outcome=aborted]').length);
    assert.ok(aborted > 0);
    assert.equal(Number(/^Aborted: (\d+)\u00a0calls? ended at once, /.exec(sentence)?.[1]), aborted, sentence);
  });

  pageTest('nothing scrolls sideways, in the narrowest window and in a frame as wide as a phone', '', async (page) => {
    await drawAll(page);
    // WebKitGTK's own bar needs more room than a phone has.
    const width = await page.resize(PHONE, 844);
    assert.ok(width < 600, `${width}`);
    await page.wait((px) => innerWidth === px, width);
    assert.equal(await overflow(page), 0, 'what was drawn for a wide window');
    await drawAll(page);
    assert.equal(await overflow(page), 0);

    await page.run(
      (address, frameWidth) => {
        const frame = document.createElement('iframe');
        Object.assign(frame, { src: address, width: frameWidth, height: 700, style: 'border: 0' });
        document.body.replaceChildren(frame);
        return new Promise((resolve) => frame.addEventListener('load', () => resolve(null)));
      },
      server.url,
      PHONE,
    );
    await page.enterFrame('iframe');
    await page.wait((px) => innerWidth === px, PHONE);
    for (const id of await drawAll(page)) {
      await drawn(page, id);
      assert.equal(await overflow(page), 0, id);
    }
    await page.run((css) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
      document.adoptedStyleSheets.push(sheet);
    }, WIDER_TEXT);
    for (const width of NARROW_WIDTHS) {
      await page.run((px) => globalThis.frameElement?.setAttribute('width', `${px}`), width);
      await page.wait((px) => innerWidth === px, width);
      assert.equal(await overflow(page), 0, `${width} pixels and wider fonts`);
    }
    // The check itself can fail.
    await page.run((tooWide) => document.querySelector('h1')?.setAttribute('style', `width: ${tooWide}px`), PHONE + 10);
    assert.ok((await overflow(page)) > 0);
  });

  test('control: what goes wrong on a page is noticed', async () => {
    await assert.rejects(
      withPage('', (page) =>
        page.run(() => {
          setTimeout(() => {
            throw new Error('thrown');
          });
          Promise.reject(new Error('rejected'));
          console.error('printed');
          const image = new Image();
          document.body.append(image);
          return new Promise((resolve) => {
            image.onerror = () => resolve(null);
            image.src = 'data:,no picture';
          });
        }),
      ),
      ({ actual }) => {
        assert.deepEqual(actual.toSorted(), [
          'Error: thrown',
          'not loaded: data:,no picture',
          'printed',
          'unhandled: Error: rejected',
        ]);
        return true;
      },
    );
  });

  test('a crash of the browser is not a failure of the page, once', async () => {
    let opened = 0;
    const run = (crashes) =>
      withPage('', async (page) => {
        if (++opened <= crashes) await page.crash();
        assert.equal(await page.run(() => 6 * 7), 42);
      });
    await run(1);
    assert.equal(opened, 2);
    await assert.rejects(run(Infinity), /\/execute\/async: /);
    assert.equal(opened, 4);
  });
});

/** Not by the mouse: the driver may answer before the page has seen a click. */
function clickInPage(page, selector) {
  return page.run((css) => /** @type {HTMLElement | null} */ (document.querySelector(css))?.click(), selector);
}
async function text(page, selector) {
  return (await page.wait((wanted) => document.querySelector(wanted)?.textContent, selector)) ?? '';
}

/** Waits until a text matches: the driver may answer before the page has seen a key. */
function says(page, selector, words) {
  return page.wait(
    (wanted, source) => new RegExp(source).test(document.querySelector(wanted)?.textContent ?? ''),
    selector,
    words.source,
  );
}

/** Waits until a figure shows what the controls say. */
const drawn = (page, id) => page.wait(isDrawn, placeOf(id));
async function drawAll(page) {
  // Some sections are loaded when they come near.
  for (const body of await page.run(() => [...document.querySelectorAll('main [id$="-body"]')].map(({ id }) => id)))
    await page.wait(isLoaded, body);
  const ids = await page.run(() => [...document.querySelectorAll('figure.card')].map(({ id }) => id));
  for (const id of ids) await drawn(page, id);
  return ids;
}
const arrived = (page) => drawn(page, 'live-run');

/** Waits for the end of a run, and until it is drawn: a figure that is far away is not. */
async function runEnded(page) {
  await page.wait(() => document.querySelector('#live-run[data-sent]') !== null);
  await drawn(page, 'live-run');
}

/**
 * How far the page can be scrolled sideways, once it is painted: until then WebKitGTK reports the width
 * of what a window that has become narrow showed before.
 */
function overflow(page) {
  return page.run(async () => {
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    return document.documentElement.scrollWidth - document.documentElement.clientWidth;
  });
}
