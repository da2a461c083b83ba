/**
 * The most important parts of the built page, in WebKitGTK.
 *
 * Expects `www/dist`, `rejitter` in `www/node_modules`, and the programs that WEBKIT_DRIVER_BIN and
 * XVFB_BIN name. Each test has a browser of its own, so that each is a first visit.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { FAILURES } from './fate.mjs';
import { keepBlobs, keepNextFile, keptFile } from './lib/blobs.mjs';
import { DEFAULTS, hedgingSentence, tailOf, tailSentence } from './lib/hedging.mjs';
import { NARROW_WIDTHS, SMALL, WIDER_TEXT, isDrawn, isLoaded, placeOf, readTable } from './lib/page.mjs';
import { bePatient, slower } from './lib/patience.mjs';
import { onEdge } from './lib/picture.mjs';
import { reckon } from './lib/reckon.mjs';
import { serveFolder } from './lib/static-server.mjs';
import { until } from './lib/until.mjs';
import { KEYS, RECORDER, startWebKit, withSession } from './lib/webdriver.mjs';

/** @typedef {import('./lib/webdriver.mjs').Session} Session */

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

/**
 * @param {string} query
 * @param {(page: Session) => Promise<void>} use
 */
function withPage(query, use) {
  return withSession(webkit.session, async (page) => {
    await page.resize(1440, 900);
    await page.goto(server.url + query);
    await page.wait(() => document.documentElement.dataset.ready !== undefined);
    await use(page);
    assert.deepEqual(await complaints(page), []);
    assert.deepEqual(server.missing, []);
  });
}

// Each in a browser of its own: while one waits, another works.
describe('WebKitGTK', { concurrency: 2 }, () => {
  test('loads under a sub-path: every figure is drawn, with its numbers in words', () =>
    withPage('', async (page) => {
      const figures = await drawAll(page);
      assert.ok(figures.length >= 4, figures.join());
      for (const id of figures) assert.match(await text(page, `#${id} svg desc`), /\d/, id);
      assert.match(
        await text(page, '#delays-desc'),
        /Wait 1: median 50\u00a0ms, mean 50\u00a0ms, 5 to 95% between 5\u00a0ms and 95\u00a0ms\./,
      );
      assert.deepEqual(
        await page.run(() =>
          [...document.querySelectorAll('.error:not([hidden])')].map(({ textContent }) => textContent),
        ),
        [],
      );
    }));

  test('the scene and the grid: by mouse, by keys, and by the link', () =>
    withPage('', async (page) => {
      await says(page, '[data-scene=headline]', /^0 of 1,000 served$/);
      await page.click('[data-scene=next]');
      await says(page, '[data-scene=headline]', /^446 of 1,000 served$/);
      await page.type('.words input[value=inStep]', KEYS.right);
      await says(page, '[data-scene=headline]', /^1,000 of 1,000 served$/);
      await drawn(page, 'delays');
      await page.run(() => document.querySelector('.grid')?.scrollIntoView({ behavior: 'instant', block: 'center' }));
      await page.click('.cell[data-backoff=fixed][data-jitter=equal]');
      await page.type('.cell[aria-checked=true]', KEYS.left + KEYS.down);
      await says(page, '[data-scene=policy]', /Linear · full jitter, base 100\u00a0ms/);
      await page.click('#new-seed');
      const link = await page.wait(() => /backoff=linear.*seed=/.test(location.search) && location.href);
      const shown = async () => {
        await page.wait(() => document.querySelector('.scene')?.getAttribute('aria-busy') === 'false');
        return [await tableOf(page, 'delays'), await text(page, '[data-scene=headline]'), await text(page, '#seed')];
      };
      const before = await shown();
      await page.goto('about:blank');
      await page.goto(String(link));
      await page.wait(() => document.documentElement.dataset.ready !== undefined);
      await says(page, '[data-scene=policy]', /Linear/);
      assert.deepEqual(await shown(), before);
    }));

  test('protection and hedging: the sentences have the numbers of the package in Node', () =>
    withPage(`protection/${SMALL}&protection=hedge`, async (page) => {
      await drawAll(page);
      assert.equal(await text(page, '#tail .finding'), tailSentence(tailOf(DEFAULTS.delayMs, 42), DEFAULTS.delayMs));
      await page.goto(`${server.url}hedging/?utilisation=0.6`);
      await drawn(page, 'hedging');
      assert.equal(await text(page, '#hedging .finding'), hedgingSentence(0.6, 42));
    }));

  test('figures as files: SVG, PNG and CSV hold what is shown', () =>
    withPage(`lab/${SMALL}`, async (page) => {
      // Chromium and Firefox save each one.
      for (const id of (await drawAll(page)).filter((_, i) => i % 2 === 0)) {
        const { width, texts } = await page.run((figure) => {
          const svg = document.querySelector(`#${figure} .drawing > svg`);
          return {
            width: Number(svg?.getAttribute('width')),
            texts: [...(svg?.querySelectorAll('text') ?? [])]
              .map(({ textContent }) => textContent ?? '')
              .filter(Boolean),
          };
        }, id);
        const svg = await saved(page, id, 'Download SVG');
        const inFile = await page.run(
          (content) =>
            [...new DOMParser().parseFromString(content, 'image/svg+xml').querySelectorAll('text')]
              .map(({ textContent }) => textContent ?? '')
              .filter(Boolean),
          String(svg.content),
        );
        // The drawing, and around it its title, settings and source.
        assert.deepEqual(inFile.slice(inFile.indexOf(texts[0] ?? '')).slice(0, texts.length), texts, id);

        const { content: png } = await saved(page, id, 'Download PNG');
        assert.equal(png.toString('latin1', 1, 4), 'PNG', id);
        assert.equal(png.readUInt32BE(16), 2 * (width + 48), id);
        const { colours } = await page.run(onEdge, { base64: png.toString('base64'), edge: 1 });
        assert.ok(colours > 10, `${id}: an empty picture`);

        const { name, content } = await saved(page, id, 'Download CSV');
        assert.equal(name, `rejitter-${id}.csv`);
        const [header = '', ...lines] = String(content).trimEnd().split('\r\n');
        assert.ok(header.includes(','), id);
        assert.equal(lines.length, (await tableOf(page, id)).rows.length, id);
      }
    }));

  // The others are the same worker and the same page.
  for (const failure of FAILURES.filter((one) => one === 'mixed' || one === '429')) {
    test(`live calls, ${failure}: the sentence is the one that the rule of the server gives`, () =>
      withPage(`?failure=${failure}&baseMs=20`, async (page) => {
        const { whole, requests } = reckon({ failure, rate: 0.6, calls: 8 });
        await arrived(page);
        await page.click('#live-start');
        await runEnded(page);
        assert.equal(await text(page, '#live-sentence'), whole);
        assert.equal(await page.run(() => document.querySelectorAll('#live-run .call .attempt').length), requests);
      }));
  }

  test('live calls are aborted at once', () =>
    withPage('?failure=mixed&rate=0.9&baseMs=5000', async (page) => {
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
    }));

  test('nothing scrolls sideways, in the narrowest window and in a frame as wide as a phone', () =>
    withPage('', async (page) => {
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
        await tableOf(page, id);
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
      await page.run(
        (tooWide) => document.querySelector('h1')?.setAttribute('style', `width: ${tooWide}px`),
        PHONE + 10,
      );
      assert.ok((await overflow(page)) > 0);
    }));

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
    /** @param {number} crashes */
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
/** @param {Session} page @returns {Promise<string[]>} */
function complaints(page) {
  return page.run(() => /** @type {any} */ (globalThis).complaints);
}

/**
 * Not by the mouse: the driver may answer before the page has seen a click.
 * @param {Session} page
 * @param {string} selector
 */
function clickInPage(page, selector) {
  return page.run((css) => /** @type {HTMLElement | null} */ (document.querySelector(css))?.click(), selector);
}

/** Opens the menu of a figure. @param {Session} page @param {string} id */
async function openMenu(page, id) {
  await clickInPage(page, `#${id} [aria-label^="Menu: "]`);
  await page.wait((figure) => document.querySelector(`#${figure} [role=menu]:not([hidden])`) !== null, id);
}

/**
 * Returns the file that an item of a figure's menu gives to the browser, which is kept from saving it.
 * @param {Session} page
 * @param {string} id
 * @param {string} item
 */
async function saved(page, id, item) {
  await page.run(keepBlobs);
  await page.run(keepNextFile);
  await openMenu(page, id);
  await page.run(
    (figure, wanted) => {
      const items = [...document.querySelectorAll(`#${figure} [role=menuitem]`)];
      /** @type {HTMLElement | undefined} */ (items.find(({ textContent }) => textContent === wanted))?.click();
    },
    id,
    item,
  );
  const { name, base64 } = await page.wait(keptFile);
  return { name, content: Buffer.from(base64, 'base64') };
}

/** @param {Session} page @param {string} selector */
async function text(page, selector) {
  return (await page.wait((wanted) => document.querySelector(wanted)?.textContent, selector)) ?? '';
}

/**
 * Waits until a text matches: the driver may answer before the page has seen a key.
 * @param {Session} page
 * @param {string} selector
 * @param {RegExp} words
 */
function says(page, selector, words) {
  return page.wait(
    (wanted, source) => new RegExp(source).test(document.querySelector(wanted)?.textContent ?? ''),
    selector,
    words.source,
  );
}

/** Waits until a figure shows what the controls say. @param {Session} page @param {string} id */
const drawn = (page, id) => page.wait(isDrawn, placeOf(id));

/** @param {Session} page */
async function drawAll(page) {
  // Some sections are loaded when they come near.
  for (const body of await page.run(() => [...document.querySelectorAll('main [id$="-body"]')].map(({ id }) => id)))
    await page.wait(isLoaded, body);
  const ids = await page.run(() => [...document.querySelectorAll('figure.card')].map(({ id }) => id));
  for (const id of ids) await drawn(page, id);
  return ids;
}

/**
 * The numbers of a figure's table, unrounded; words where there is no number.
 * @param {Session} page
 * @param {string} id
 */
async function tableOf(page, id) {
  await drawn(page, id);
  if (await page.run((figure) => document.querySelector(`#${figure} table`) === null, id)) {
    await openMenu(page, id);
    await clickInPage(page, `#${id} [role=menuitemcheckbox]`);
  }
  return page.run(readTable, id);
}

/** @param {Session} page */
const arrived = (page) => drawn(page, 'live-run');

/** Waits for the end of a run, and until it is drawn: a figure that is far away is not. @param {Session} page */
async function runEnded(page) {
  await page.wait(() => document.querySelector('#live-run[data-sent]') !== null);
  await drawn(page, 'live-run');
}

/**
 * How far the page can be scrolled sideways, once it is painted: until then WebKitGTK reports the width
 * of what a window that has become narrow showed before.
 * @param {Session} page
 */
function overflow(page) {
  return page.run(async () => {
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    return document.documentElement.scrollWidth - document.documentElement.clientWidth;
  });
}
