/**
 * The built pages in real browsers: the scene by mouse, keyboard and address, the grid, the links between the pages,
 * and what the first page may weigh.
 *
 * Expects `www/dist`, and the browsers in CHROME_BIN and FIREFOX_BIN.
 */
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync, constants } from 'node:zlib';
import { RetryPolicy } from 'rejitter';
import * as engines from 'rejitter/engines';
import { sample } from 'rejitter/lab';
import { DESKTOP, DIST, PHONE, inEachEngine } from './lib/built-page.mjs';
import { PAGES, column, drawAll, drawn, loaded, overflow, sceneSays, summaryIs, tableOf } from './lib/page.mjs';
import { textClashes } from './lib/texts.mjs';
import { until } from './lib/until.mjs';

/** @typedef {import('playwright-core').Page} Page */

/** Limits of the first page: words, stops of the Tab key, screens. */
const MOST = { words: 1200, stops: 35, desktop: 6, phone: 8 };
/** Bytes of the first load, compressed. */
const MOST_BYTES = 200_000;
const NARROWEST_PX = 11;

/** @param {Page} page @param {string} name */
const word = (page, name) => page.getByRole('radio', { name, exact: true });

inEachEngine(({ withPage }) => {
  test('the scene by mouse: each word is a control, and the answer stands at once', () =>
    withPage(async (page) => {
      assert.equal(await sceneSays(page), '0 of 1,000 served');
      for (const [name, served] of [
        ['after 1 s', '446 of 1,000 served'],
        ['at random times', '1,000 of 1,000 served'],
        ['after doubling waits', '1,000 of 1,000 served'],
        ['6 attempts', '88 of 1,000 served'],
      ]) {
        await word(page, name ?? '').click();
        await until(`the answer to ${name}`, async () => (await sceneSays(page)) === served);
      }
      assert.match(
        (await page.textContent('[data-scene=why]')) ?? '',
        /The waits of 6.attempts take at most 3\.1.s; this outage needs 10.attempts\./,
      );
      await page.getByRole('button', { name: 'Try 10 attempts' }).click();
      await until('ten attempts', async () => /^99\d of/.test(await sceneSays(page)));
      // Two million events: known from the build.
      await word(page, 'never').click();
      await word(page, 'in step').click();
      const began = await page.evaluate(() => performance.now());
      await word(page, 'at once').click();
      await page.locator('[data-scene=headline]', { hasText: /^0 of/ }).waitFor();
      const { took } = await page.evaluate((since) => ({ took: performance.now() - since }), began);
      assert.ok(took < 5000, `${took} ms`);
    }));

  test('the scene by keyboard: words by arrows, steps by Enter, the playhead by arrows, every step with an address', () =>
    withPage(async (page) => {
      await page.locator('.words input:checked').first().focus();
      await page.keyboard.press('ArrowRight');
      await until('the second word', async () => (await sceneSays(page)) === '446 of 1,000 served');
      const next = page.locator('[data-scene=next]');
      await next.focus();
      for (const [served, step] of [
        ['60 of 1,000 served', '3 of 4'],
        ['1,000 of 1,000 served', '4 of 4'],
      ]) {
        const href = new URL((await next.getAttribute('href')) ?? '', page.url()).href;
        await page.keyboard.press('Enter');
        await until(`step ${step}`, async () => (await sceneSays(page)) === served);
        assert.equal(await page.textContent('[data-scene=step]'), step);
        await page.waitForURL(href);
      }
      assert.match(page.url(), /\?retry=doubling&times=random$/);
      await page.reload();
      assert.equal(await sceneSays(page), '1,000 of 1,000 served');
      await page.locator('[data-scene=back]').click();
      await until('back', async () => (await sceneSays(page)) === '60 of 1,000 served');
      const moment = page.getByRole('slider', { name: 'Moment' });
      await moment.focus();
      await page.keyboard.press('Home');
      assert.match((await page.textContent('output')) ?? '', /^0.ms: 0 served/);
      await page.keyboard.press('ArrowRight');
      assert.match((await moment.getAttribute('aria-valuetext')) ?? '', /^100.ms: 0 served/);
    }));

  test('the grid chooses by mouse and by arrow keys; the scene shows the policy, and the link brings it back', () =>
    withPage(async (page) => {
      await drawn(page, 'delays');
      await page.locator('.cell[data-backoff=fixed][data-jitter=equal]').click();
      for (const key of ['ArrowRight', 'ArrowRight', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowDown'])
        await page.keyboard.press(key);
      assert.match((await page.getAttribute('.cell[aria-checked=true]', 'aria-label')) ?? '', /^Linear · full jitter/);
      await page.waitForURL(/retry=policy&backoff=linear$/);
      const shown = async () => {
        const { rows } = await tableOf(page, 'delays');
        return [rows, await sceneSays(page), await page.textContent('[data-scene=policy]')];
      };
      const before = await shown();
      assert.match(String(before[2]), /Linear · full jitter, base 100.ms/);
      await page.reload();
      assert.deepEqual(await shown(), before);
    }));

  test('medians are those of the installed package in Node', () =>
    withPage(async (page) => {
      const { rows } = await tableOf(page, 'delays');
      const waits = sample(new RetryPolicy({ maxAttempts: 10 }), { waits: 9, operations: 4000, seed: 42 });
      for (const [i, median] of column(rows, 'median').entries()) {
        const own = Array.from({ length: 4000 }, (_, k) => waits[9 * k + i] ?? NaN).sort((a, b) => a - b);
        assert.ok(Math.abs((own[2000] ?? NaN) / median - 1) < 0.06, `wait ${i + 1}`);
      }
    }));

  for (const at of PAGES)
    test(`/${at}: everything is drawn, no text covers another or is too small, nothing scrolls sideways`, () =>
      withPage(
        async (page) => {
          for (const width of [DESKTOP.width, 1024, PHONE.width, 320]) {
            await page.setViewportSize({ ...DESKTOP, width });
            const ids = await drawAll(page);
            assert.equal(await overflow(page), 0, `${width} pixels`);
            for (const id of ids) {
              await drawn(page, id);
              assert.deepEqual(await page.evaluate(textClashes, `#${id}`), [], `#${id}, ${width} pixels`);
            }
          }
          const small = await page.evaluate(
            (least) =>
              [...document.querySelectorAll('main *')]
                .filter(
                  (one) =>
                    one.checkVisibility() &&
                    [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim()),
                )
                .filter((one) => parseFloat(getComputedStyle(one).fontSize) < least)
                .map((one) => one.textContent),
            NARROWEST_PX,
          );
          assert.deepEqual(small, []);
          assert.deepEqual(await page.locator('.error:visible').allTextContents(), []);
        },
        { query: `${at}?protection=cooldown,hedge` },
      ));

  for (const at of PAGES)
    test(`/${at} without WebAssembly says so, and shows no control that does nothing`, () =>
      withPage(
        async (page) => {
          assert.match((await page.textContent('.notice')) ?? '', /^This browser has no WebAssembly/);
          assert.deepEqual(
            await page
              .locator(
                '.scene-nav:visible, .scene-moment:visible, .words :not(:has(:checked)) > input:visible, #controls:visible',
              )
              .all(),
            [],
          );
        },
        { query: `${at}?jitter=equal`, init: () => Reflect.deleteProperty(globalThis, 'WebAssembly') },
      ));

  test('each toggle changes the figure beside it, the code below follows, and the link brings both back', () =>
    withPage(
      async (page) => {
        await drawAll(page);
        for (const [part, figure, words] of /** @type {[string, string, RegExp][]} */ ([
          ['budget', 'recovery', /^Budget: /],
          ['breaker', 'recovery', /^Budget and breaker: /],
          ['cooldown', 'rate-limit', /With a shared cooldown 94 fail: /],
          ['hedge', 'tail', /^A hedge after 60\u00a0ms sends 9\.73% more requests/],
        ])) {
          await drawn(page, figure);
          const finding = page.locator(`#${figure} .finding`);
          assert.doesNotMatch((await finding.textContent()) ?? '', words);
          await page.locator('label.choice', { hasText: part }).click();
          await page.locator(`#${figure} .finding`, { hasText: words }).waitFor();
        }
        await drawn(page, 'load');
        assert.equal(await page.getAttribute('#load .row.chosen', 'data-shared'), 'both');
        const shown = () => page.textContent('#code-body code');
        const code = await shown();
        assert.match(code ?? '', /protect\(budget\(\), breaker\(\), cooldown\(\), hedge\(\{ delayMs: 60 \}\)\)/);
        await page.waitForURL(/protection=budget%2Cbreaker%2Ccooldown%2Chedge$/);
        await page.reload();
        await drawAll(page);
        assert.equal(await shown(), code);
      },
      { query: 'protection/' },
    ));
});

inEachEngine(
  ({ withPage }) => {
    test('pages keep the settings of one another; old links open where their section is now', () =>
      withPage(
        async (page, url) => {
          await page.getByRole('link', { name: 'Lab' }).click();
          await summaryIs(page, /^Exponential · equal · /);
          await page.getByRole('radio', { name: 'Linear', exact: true }).click();
          await page.getByRole('link', { name: 'rejitter' }).first().click();
          await page.locator('[data-scene=policy]', { hasText: 'Linear · equal' }).waitFor();
          await page.goto(`${url}?jitter=equal&protection=breaker#budget-heading`);
          await page.waitForURL(/\/protection\/\?/);
          await drawn(page, 'recovery');
          assert.match((await page.textContent('#recovery .finding')) ?? '', /^Breaker: /);
          await page.goto(`${url}?figure=hedging`);
          await page.waitForURL(/\/hedging\/\?figure=hedging$/);
          await drawn(page, 'hedging');
        },
        { query: '?jitter=equal' },
      ));

    test('what is chosen today has its fate and its change, and the link restores what was pasted or chosen', () =>
      withPage(async (page) => {
        await page.locator('#today-heading').scrollIntoViewIfNeeded();
        await page.selectOption('#today', 'p-retry');
        const finding = page.locator('.today-finding', {
          hasText: /^p-retry 9\.0\.0: \d+ of 1,000 are served.* With full jitter: /,
        });
        await finding.waitFor();
        assert.match((await page.textContent('.today-code code')) ?? '', /jitter: 'full'/);
        await page.locator('#today-text').fill('pRetry(f, { retries: 3 })');
        await page.locator('.today-finding', { hasText: /give up/ }).waitFor();
        await page.waitForURL(/import=pRetry%28f.*retries%3A\+3/);
        await page.reload();
        await page.locator('#today-heading').scrollIntoViewIfNeeded();
        assert.equal(await page.locator('#today-text').inputValue(), 'pRetry(f, { retries: 3 })');
        await page.selectOption('#today', 'Paste yours');
        await page.locator('#today-text').fill('{ retries: 3 }');
        await page.getByRole('button', { name: 'async-retry' }).click();
        await page.locator('.today-finding', { hasText: /^async-retry/ }).waitFor();
        const preset = 'preset Someone is waiting';
        await page.selectOption('#today', preset);
        await page.waitForURL(/importFrom=preset\+Someone/);
        await page.reload();
        await page.locator('#today-heading').scrollIntoViewIfNeeded();
        await page.locator('.today-finding', { hasText: /^Someone is waiting: \d+ of/ }).waitFor();
        assert.equal(await page.locator('#today').inputValue(), preset);
      }));

    test('the policy in each engine is what the package returns in Node, with a sentence for each loss', () =>
      withPage(async (page, url) => {
        await loaded(page, 'code-body');
        const policy = new RetryPolicy({ maxAttempts: 10 });
        const { bullmq, ...exporters } = engines;
        const expected = Object.entries(exporters).map(([name, exported]) => ({ name, ...exported(policy) }));
        for (const { name, config, losses } of [
          { name: 'bullmq', config: bullmq.jobOptions(policy), losses: [] },
          ...expected,
        ]) {
          await page.selectOption('#code', name);
          const text = await page.textContent('#code-body code');
          // JSON drops functions: the sentence names them.
          assert.deepEqual(new Function(`return (${text})`)(), JSON.parse(JSON.stringify(config)), name);
          assert.deepEqual(
            await page.locator('#code-body li').allTextContents(),
            losses.map((loss) => loss.text),
            name,
          );
        }
        await page.waitForURL(/\?code=temporal$/);
        await page.goto(`${url}?code=bullmq&maxAttempts=Infinity`);
        await loaded(page, 'code-body');
        const endless = new RetryPolicy({ maxAttempts: Infinity });
        assert.throws(() => bullmq.jobOptions(endless), { message: await page.innerText('#code-body .said p') });
      }));

    test('the first page is short, and needs no face for programs at first', () =>
      withPage(async (page) => {
        await drawn(page, 'delays');
        await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
        const fonts = await page.evaluate(() =>
          performance.getEntriesByType('resource').flatMap(({ name }) => (name.endsWith('.woff2') ? name : [])),
        );
        assert.equal(fonts.length, 1, fonts.join());
        await drawAll(page);
        const words = await page.evaluate(
          () =>
            [...document.querySelectorAll('main')].flatMap((main) => main.innerText.match(/\p{L}[\p{L}’'-]*/gu) ?? [])
              .length,
        );
        assert.ok(words <= MOST.words, `${words} words`);
        const stops = await page.evaluate(() => {
          const names = new Set();
          const all = [
            .../** @type {NodeListOf<HTMLElement>} */ (
              document.querySelectorAll('main :is(a[href], button, input, select, textarea, summary, [tabindex])')
            ),
          ].filter(
            (one) =>
              one.tabIndex >= 0 && one.checkVisibility({ visibilityProperty: true }) && !one.hasAttribute('disabled'),
          );
          return all.filter((one) => {
            const name = one instanceof HTMLInputElement && one.type === 'radio' ? one.name : one;
            return !names.has(name) && names.add(name);
          }).length;
        });
        assert.ok(stops <= MOST.stops, `${stops} stops`);
        const screens = () => page.evaluate(() => document.documentElement.scrollHeight / innerHeight);
        assert.ok((await screens()) <= MOST.desktop, `${await screens()} screens`);
        await page.setViewportSize(PHONE);
        await drawAll(page);
        assert.ok((await screens()) <= MOST.phone, `${await screens()} screens of a phone`);
        // The words, the picture, its result and the way on are one screen of a phone.
        const bottom = await page.locator('.scene-nav').evaluate((nav) => nav.getBoundingClientRect().bottom + scrollY);
        assert.ok(bottom <= PHONE.height, `${bottom}`);
      }));

    test('in print: no buttons, no blank pages', () =>
      withPage(async (page) => {
        await drawAll(page);
        await page.emulateMedia({ media: 'print' });
        const hidden = page.locator(':is(button:not(.cell), .top, body > footer, .scene-moment):visible');
        assert.equal(await hidden.count(), 0);
        assert.ok(await page.locator('.scene-picture').isVisible());
      }));
  },
  { engines: ['chromium'] },
);

test('the first load is small: page, styles, fonts, scripts and the worker, compressed', async () => {
  const page = await readFile(path.join(DIST, 'index.html'), 'utf8');
  const compressed = (/** @type {Buffer} */ bytes) =>
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;
  const named = [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, name = '']) => name);
  const assets = await readdir(path.join(DIST, 'assets'));
  const worker = assets.filter((name) => /^worker-.*\.js$/.test(name)).map((name) => `assets/${name}`);
  const files = [...new Set([...named, ...worker])];
  assert.ok(files.length > 5 && worker.length === 1, files.join());
  const sizes = await Promise.all(
    ['index.html', ...files].map(async (name) => {
      const bytes = await readFile(path.join(DIST, name));
      return /** @type {const} */ ([name, name.endsWith('.woff2') ? bytes.length : compressed(bytes)]);
    }),
  );
  const sum = sizes.reduce((all, [, bytes]) => all + bytes, 0);
  assert.ok(sum <= MOST_BYTES, `${sum} bytes: ${sizes.join(' ')}`);
});

test('before any script the page has the scene, its sentence and its numbers', async () => {
  const page = await readFile(path.join(DIST, 'index.html'), 'utf8');
  for (const words of [
    '0 of 1,000 served',
    '3,996 calls each',
    'value="atOnce" checked',
    'The clients send 100,000 calls a second',
  ])
    assert.ok(page.includes(words), words);
  assert.doesNotMatch(page, /NaN|undefined|\{\{/);
  assert.ok(page.includes('https://rejitter.github.io/rejitter/preview.png'));
  assert.equal((await readFile(path.join(DIST, 'preview.png'))).readUInt32BE(16), 1200);
});
