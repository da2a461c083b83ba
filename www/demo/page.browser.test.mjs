/**
 * The built pages in real browsers: the scene by mouse, keyboard and address, the grid, the steps, the links between the
 * pages, pictures, and what the pages may weigh.
 */
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { DESKTOP, DIST, NIGHT, PHONE, inEachEngine } from './lib/built-page.mjs';
import { ADVICE, PAGES, drawAll, drawn, loaded, picture, sceneSays, text } from './lib/page.mjs';
import { until } from './lib/until.mjs';
import { PROBLEMS } from './lib/problems.mjs';
import { CONTENT_SECURITY_POLICY } from './page-policy.mjs';

/** Limits of the first page: words, stops of the Tab key, screens. */
const MOST = { words: 1200, stops: 40, desktop: 4.5, phone: 7 };
/** Bytes of all scripts, styles and fonts of both pages, compressed. */
const MOST_BYTES = 255_000;
const SHORT = { width: 1440, height: 500 };
const PARTS = `${ADVICE}&protection=cooldown,hedge`;

const word = (page, name) => page.getByRole('radio', { name, exact: true });
/** Waits for the scene's headline. */
const says = (page, headline) => until(headline, async () => (await sceneSays(page)).startsWith(headline));

/** The program of the code section, once it is known which strategy is handed out. */
async function codeOf(page) {
  await loaded(page, 'code-body');
  await page.locator('.code-card[aria-busy=false]').waitFor();
  return text(page, '#code-body code');
}

/** Notes in each frame the place of the playhead, and whether the sentence is there. Runs in the page. */
function watch() {
  const noted = /** @type {[place: number, said: boolean][]} */ ([]);
  Object.assign(globalThis, { noted });
  const look = () => {
    const head = /** @type {HTMLInputElement} */ (document.querySelector('.scene-moment'));
    const why = document.querySelector('.scene-why');
    if (head && why) noted.push([head.valueAsNumber, getComputedStyle(why).visibility === 'visible']);
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
/** @returns {Promise<[place: number, said: boolean][]>} */
const seen = (page) => page.evaluate(() => globalThis.noted.splice(0));

inEachEngine(({ pageTest }) => {
  pageTest('the scene by mouse: each word is a control, and its answer stands at once', {}, async (page) => {
    await says(page, '0 of 1,000 served');
    for (const [name, served] of [
      ['after 1 s', '446 of 1,000 served'],
      ['at random times', '1,000 of 1,000 served'],
      ['after doubling waits', '1,000 of 1,000 served'],
      ['6 attempts', '88 of 1,000 served'],
    ]) {
      await word(page, `${name}`).click();
      await says(page, `${served}`);
    }
    await page.getByRole('button', { name: 'Try 10 attempts' }).click();
    await says(page, '99');
    // Two million events: known from the build.
    for (const name of ['never', 'in step', 'at once']) await word(page, name).click();
    await says(page, '0 of');
    // What changes nothing says why.
    await word(page, 'at random times').click();
    await page.locator('[data-scene=why]', { hasText: 'There is no wait to draw' }).waitFor();
  });

  pageTest(
    'the scene by keyboard: words, steps with addresses, playhead; it does not move by itself',
    { init: watch },
    async (page) => {
      await page.locator('.words input:checked').first().focus();
      await page.keyboard.press('ArrowRight');
      await says(page, '446 of 1,000 served');
      const next = page.locator('[data-scene=next]');
      await next.focus();
      for (const [served, step] of [
        ['60 of 1,000 served', '3 of 4'],
        ['1,000 of 1,000 served', '4 of 4'],
      ]) {
        const { href } = new URL(`${await next.getAttribute('href')}`, page.url());
        await page.keyboard.press('Enter');
        await says(page, `${served}`);
        assert.equal(await text(page, '[data-scene=step]'), step);
        await page.waitForURL(href);
      }
      assert.ok((await seen(page)).every(([place, said]) => place === 400 && said));
      assert.match(page.url(), /\?backoff=exponential&jitter=full&maxAttempts=Infinity$/);
      await page.reload();
      await says(page, '1,000 of 1,000 served');
      await page.locator('[data-scene=back]').click();
      await says(page, '60 of 1,000 served');
      const moment = page.getByRole('slider', { name: 'Moment' });
      await moment.focus();
      await page.keyboard.press('Home');
      assert.match(await text(page, 'output'), /^0.ms: down/);
      await page.keyboard.press('ArrowRight');
      assert.match(`${await moment.getAttribute('aria-valuetext')}`, /^100.ms: down, rejects/);
    },
  );

  pageTest(
    'the scene plays once by itself, says why at its moment, and plays each step',
    { ...NIGHT, init: watch },
    async (page) => {
      await says(page, '0 of 1,000 served');
      const load = await seen(page);
      const places = new Set(load.map(([place]) => place));
      assert.ok(places.size > 20, `${places.size} places`);
      const [first] = load.find(([place, said]) => said && place < 399) ?? [NaN];
      assert.ok(first > 40 && first < 200, `the sentence comes at ${first} of 400`);
      assert.ok(load.some(([place, said]) => place < first && !said));
      // Once: it stands still, and a word's answer stands at once.
      await word(page, 'after 1 s').click();
      await says(page, '446 of 1,000 served');
      assert.ok((await seen(page)).slice(5).every(([place]) => place === 400 || place === load.at(-1)?.[0]));
      await page.locator('[data-scene=next]').click();
      await page.locator('#scene-body[data-playing]').waitFor();
      await page.locator('[data-scene=headline]', { hasText: '60 of 1,000 served' }).waitFor();
    },
  );

  pageTest('the grid chooses; scene, outline, code and link follow', { query: `${ADVICE}&vs=ky` }, async (page) => {
    await drawn(page, 'waits');
    await page.locator('.cell[data-backoff=fixed][data-jitter=equal]').click();
    for (const key of ['Right', 'Right', 'Left', 'Left', 'Left', 'Down']) await page.keyboard.press(`Arrow${key}`);
    await page.locator('.cell[aria-checked=true][aria-label^="Linear · full jitter: 121 of 1,000 served"]').waitFor();
    await says(page, '0 → 121 of 1,000 served');
    await page.locator('#waits .subtitle', { hasText: /^\s*Linear · full jitter .* outline: ky 2\.1\.0$/ }).waitFor();
    assert.equal(await page.locator('#waits .old').count(), 2);
    await page.waitForURL(/\?backoff=linear&jitter=full&vs=ky$/);
    assert.match(await text(page, '.scene-sentence'), /after waits that grow by 100.ms/);
    await page.locator('.cell[data-backoff=exponential][data-jitter=equal]').click();
    await page.waitForURL(/\?backoff=exponential&jitter=equal&vs=ky$/);
    await page.reload();
    await says(page, '0 → 1,000 of 1,000 served');
    const code = await codeOf(page);
    assert.match(code, /backoff: 'exponential',\n {2}jitter: 'equal'/);
    assert.doesNotMatch(code, /rejitter\/protection/, 'parts that nobody has chosen');
    await page.selectOption('#code', 'grpc');
    await page
      .locator('#code-body .said', {
        hasText: /^Service config of a client\. What is lost:.*gRPC/,
      })
      .waitFor();
    // Drawn from a data: address, saved from a blob: one.
    await picture(page, 'waits');
  });

  for (const [init, reason] of /** @type {[() => void, RegExp][]} */ ([
    [() => Reflect.deleteProperty(globalThis, 'WebAssembly'), /^This browser has no WebAssembly, .* missing\.$/],
    [
      () => {
        /** @type {any} */ (WebAssembly).Module = function () {
          throw new WebAssembly.CompileError('blocked');
        };
      },
      /^WebAssembly is not allowed here \(CompileError: blocked\), .* missing\.$/,
    ],
  ]))
    pageTest(`each page says what is missing and why: ${reason}`, { init }, async (page, { url }) => {
      for (const at of PAGES) {
        if (at !== '') await page.goto(`${url}${at}`);
        assert.match(await text(page, '.notice:visible'), reason);
        const idle = ['.scene-nav', '.scene-moment', '.words :not(:has(:checked)) > input', 'button', 'h2'];
        const shown = page.locator(idle.map((one) => `${one}:visible`).join());
        assert.deepEqual(await shown.allTextContents(), []);
        const height = await page.evaluate(() => document.documentElement.scrollHeight);
        assert.ok(height <= DESKTOP.height, `${height}`);
      }
    });

  pageTest('protection: steps, switches, figures, code and link', { query: 'protection/' }, async (page, { url }) => {
    await drawn(page, 'load');
    const why = page.locator('#protection-body .scene-why');
    const next = page.locator('#protection-body .button.primary');
    for (const [name, hasText] of /** @type {[string, RegExp][]} */ ([
      ['none', /half idle pauses once, and 6,\d+ fail of 7,200/],
      ['single', /^Without retries \d+ fail/],
      ['breaker', /^With a breaker \d+ fail/],
      ['single', /^5% of the answers/],
      ['budget', /with a budget \d+ fail/],
      ['budget', /a budget has nothing left/],
    ])) {
      await why.filter({ hasText }).waitFor();
      assert.equal(await page.getAttribute('#load .row.chosen', 'data-row'), name);
      if (await next.isVisible()) await next.click();
    }
    await page.waitForURL(/\?failing=0\.4&protection=budget$/);
    await page.reload();
    await why.filter({ hasText: /a budget has nothing left/ }).waitFor();
    await page.goto(`${url}protection/`);
    await drawAll(page);
    for (const [part, figure, hasText] of /** @type {[string, string, RegExp][]} */ ([
      ['budget', 'recovery', /^Retries with a budget: /],
      ['breaker', 'recovery', /^Both: /],
      ['cooldown', 'rate-limit', /With a shared cooldown 94 fail\.$/],
      ['hedge', 'tail', /^A hedge after 60.ms sends 9\.7% more requests/],
    ])) {
      await drawn(page, figure);
      await page.getByRole('switch', { name: part }).click();
      // It looks like a switch: its knob goes to the other end.
      const knob = (css) =>
        getComputedStyle(document.querySelector(css) ?? document.body, '::after').marginLeft === '14px';
      await page.waitForFunction(knob, `[name=${part}] + i`);
      await page.locator(`#${figure} .finding`, { hasText }).waitFor();
    }
    const code = await codeOf(page);
    assert.match(code, /protect\(budget\(\), breaker\(\), cooldown\(\), hedge\(\{ delayMs: 60 \}\)\)/);
    await page.waitForURL(/protection=budget%2Cbreaker%2Ccooldown%2Chedge$/);
    await page.reload();
    await drawAll(page);
    assert.equal(await codeOf(page), code);
  });
});

inEachEngine(
  ({ pageTest }) => {
    pageTest(
      'pages keep settings; #delays leads to the distributions',
      { query: '?backoff=exponential&jitter=equal' },
      async (page) => {
        await page.getByRole('link', { name: 'Protection', exact: true }).first().click();
        await page.waitForURL(/\/protection\/\?backoff=exponential&jitter=equal$/);
        await page.getByRole('link', { name: 'Delays' }).click();
        await page.waitForURL(/\/\?backoff=exponential&jitter=equal#delays$/);
        await drawn(page, 'waits');
        assert.match(await text(page, '#waits .subtitle'), /^Exponential · equal jitter/);
        const licences = await page.getByRole('link', { name: /^Licences of the packages/ }).getAttribute('href');
        assert.equal((await page.request.get(new URL(`${licences}`, page.url()).href)).status(), 200);
      },
    );

    pageTest('before and after: a package, pasted options, one address, one line', {}, async (page) => {
      const menu = page.locator('[data-before=menu]');
      await menu.selectOption({ label: 'p-retry 9.0.0' });
      // A scene that fails on purpose is not what somebody would change to.
      await says(page, '108 → 997 of 1,000 served');
      assert.match(await text(page, '[data-scene=cost]'), /^10\.6 → 8\.0 calls each, longest wait 8\.5.min → 10.s$/);
      await page.waitForURL(/\?backoff=exponential&jitter=full&vs=p-retry$/);
      assert.equal(await page.locator('.scene-half').count(), 2);
      const options = page.locator('[data-before=options]');
      for (const [typed, said] of /** @type {[string, RegExp][]} */ ([
        ['{ retries: "many" }', /^retries must be a number, got "many"$/],
        ['no options', /^No option of these packages/],
        ['{ retries: 20, minTimeout: 50, onFailedAttempt: log }', /^Not read, .*: onFailedAttempt\.$/],
      ])) {
        await options.fill(typed);
        await options.press('Enter');
        await page.locator('[data-before=said]', { hasText: said }).waitFor();
      }
      await page.waitForURL(/vs=p-retry\+retries\+20\+minTimeout\+50$/);
      const result = await sceneSays(page);
      assert.match(result, /^\d+ → 997 of 1,000 served$/);
      await page.reload();
      assert.equal(await sceneSays(page), result);
      assert.equal(await menu.inputValue(), 'p-retry retries 20 minTimeout 50');
      await drawn(page, 'waits');
      assert.match(await text(page, '#waits .subtitle'), /outline: p-retry 9\.0\.0, retries 20, minTimeout 50$/);
      // Where the clipboard is closed, the line is shown.
      const line = page.waitForEvent('dialog').then(async (dialog) => {
        await dialog.dismiss();
        return dialog.defaultValue();
      });
      await page.evaluate(() =>
        Object.assign(navigator.clipboard, { writeText: () => Promise.reject(new Error('no')) }),
      );
      await page.locator('[data-before=copy]').click();
      assert.match(
        await line,
        /^\*\*Retries:\*\* p-retry .* → Exponential .* → 997 of .*\]\(http:.*&vs=p-retry\+retries/,
      );
      await menu.selectOption('');
      await says(page, '997 of 1,000 served');
      await menu.selectOption('this');
      await word(page, 'in step').click();
      await says(page, '997 → 60 of 1,000 served');
    });

    pageTest('what fails is not handed out, nor is the distributions’ figure empty', {}, async (page) => {
      await drawn(page, 'waits');
      assert.match(
        await text(page, '#waits .subtitle'),
        /^The scene waits for nothing\. Recommended: Exponential · full /,
      );
      assert.ok((await page.locator('#waits .row .shape').count()) >= 9);
      await page
        .locator('.grid ~ .note', { hasText: /^Truncated · full jitter fails by a hair, with 1 of 1,000: if .* 4% / })
        .waitFor();
      assert.match(await codeOf(page), /maxAttempts: 10,/);
      assert.match(
        await text(page, '.which'),
        /: 0 of 1,000 are served, .* This is what serves 997: Exponential · full/,
      );
      for (const { value } of await page
        .locator('#code option')
        .evaluateAll((/** @type {HTMLOptionElement[]} */ all) => all.map(({ value }) => ({ value })))) {
        await page.selectOption('#code', value);
        const code = await codeOf(page);
        assert.ok(code.length > 20, value);
        assert.doesNotMatch(code, /Infinity|"maxAttempts": -1|2_?147_?483_?647|baseMs: 0/, value);
        assert.doesNotMatch(await text(page, '.said'), /for ever|cannot follow/, value);
      }
      // The scene's own, with a warning; an endless one loses more than nothing.
      await page.locator('.which button').click();
      assert.match(await text(page, '.which'), /^Not for use\. /);
      await page.selectOption('#code', 'cloudTasks');
      assert.match(await codeOf(page), /"maxAttempts": -1/);
      assert.match(await text(page, '.said'), /retried for ever\./);
      assert.doesNotMatch(await text(page, '.said'), /Nothing is lost/);
      await page.selectOption('#code', 'bullmq');
      assert.match(
        await text(page, '.said'),
        /^BullMQ cannot follow this strategy: maxAttempts must be finite in BullMQ/,
      );
      // Where 99% are served, it is the scene's own.
      await word(page, 'after doubling waits').click();
      await word(page, 'at random times').click();
      await word(page, '6 attempts').click();
      await word(page, 'never').click();
      await page.selectOption('#code', 'fetch');
      await page.locator('#code-body code', { hasText: 'maxAttempts: Infinity' }).waitFor();
      assert.equal(await page.locator('.which').isHidden(), true);
    });

    pageTest('mistakes are told in full by the built page, and Reset clears them', {}, async (page) => {
      for (const [query, problem] of PROBLEMS) {
        await page.evaluate((search) => {
          history.pushState(null, '', `/${search}`);
          dispatchEvent(new PopStateEvent('popstate'));
        }, query);
        const notice = await text(page, '.link-notice');
        const [, said = ''] = /^The link has an invalid value, and the page ignores it: (.*)\.$/.exec(notice) ?? [];
        assert.match(said, problem, query);
      }
      await page.locator('summary', { hasText: 'Every number' }).click();
      await loaded(page, 'controls-form');
      const type = async (name, value) => {
        await page.locator(`#set-${name}-number`).fill(value);
        await page.locator(`#set-${name}-number`).press('Enter');
        return text(page, `#set-${name}-error`);
      };
      await page.locator('#reset').click();
      for (const [name, value, problem] of [
        ['baseMs', '-1', /^baseMs must be a number of milliseconds between 0 and .*, got -1$/],
        ['baseMs', '', /^Base must be a number, got “”$/],
        ['maxAttempts', '1.5', /^maxAttempts must be a positive integer.*, got 1\.5$/],
        ['capMs', '1e300', /^capMs must be at most 31536000000 \(a year\) or Infinity on this page, got 1e\+300$/],
      ])
        assert.match(await type(name, value), /** @type {RegExp} */ (problem));
      assert.equal(await page.locator('#controls-form .error:visible').count(), 3);
      await page.locator('#reset').click();
      assert.equal(await page.locator('#controls-form .error:visible').count(), 0);
      assert.equal(await page.locator('#set-baseMs-number').inputValue(), '0\u00a0ms');
      // A base above the cap takes it along, as in a link.
      assert.equal(await type('baseMs', '20000'), '');
      await page.waitForURL(/baseMs=20000&capMs=20000/);
    });

    pageTest(
      'a choice lays the page out a few times, draws what is new, and is not kept for ever',
      {},
      async (page) => {
        await drawn(page, 'waits');
        const client = await page.context().newCDPSession(page);
        await client.send('Performance.enable');
        const layouts = async () => {
          const { metrics } = await client.send('Performance.getMetrics');
          return metrics.find(({ name }) => name === 'LayoutCount')?.value ?? NaN;
        };
        const heap = async () => {
          for (let i = 0; i < 3; i++) await client.send('HeapProfiler.collectGarbage');
          return (await client.send('Runtime.getHeapUsage')).usedSize;
        };
        const choose = async (n) => {
          const cells = page.locator('.grid-row .cell[data-backoff]');
          for (let i = 0; i < n; i++) {
            await cells.nth((7 * i + 3) % 20).click();
            await drawn(page, 'waits');
          }
        };
        await word(page, 'after 1 s').click();
        await choose(6);
        const [before, first] = [await layouts(), await heap()];
        await choose(6);
        assert.ok((await layouts()) - before < 6 * 16, `${(await layouts()) - before} layouts`);
        await page.evaluate(() => {
          Object.assign(globalThis, { drawnAgain: 0 });
          const count = (records) => (globalThis.drawnAgain += records.length);
          for (const plot of document.querySelectorAll('.cell-plot'))
            new MutationObserver(count).observe(plot, { childList: true });
        });
        await page.locator('#new-seed').click();
        await drawn(page, 'waits');
        assert.equal(await page.evaluate(() => globalThis.drawnAgain), 0, 'a seed changes no distribution');
        await choose(48);
        const last = await heap();
        assert.ok(last < 1.2 * first, `${first} bytes after 6 choices, ${last} after 60`);
      },
    );

    pageTest('pictures stand alone, and the crosshair has numbers', { query: `protection/${PARTS}` }, async (page) => {
      for (const id of await drawAll(page))
        assert.equal(await picture(page, id), 1, `${id}: something is cut at its edge`);
      await drawn(page, 'recovery');
      const box = page.locator('#recovery .crosshair-box');
      await page.locator('#recovery .crosshair-area').focus();
      await page.keyboard.press('ArrowRight');
      await box.waitFor();
      assert.match(`${await box.textContent()}`, /^at [\d.]+.sreach the server[\d.]+\/s/);
      await page.keyboard.press('Escape');
      await box.waitFor({ state: 'hidden' });
    });

    pageTest('the first page is short, and the distributions start in its first view', {}, async (page) => {
      const bottomOf = (selector) =>
        page
          .locator(selector)
          .first()
          .evaluate((one) => one.getBoundingClientRect().bottom + scrollY);
      assert.ok((await bottomOf('#delays-heading')) <= DESKTOP.height);
      const files = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
      assert.equal(files.filter((name) => name.endsWith('.woff2')).length, 1, files.join());
      await drawAll(page);
      const words = (await page.locator('main').innerText()).match(/\p{L}[\p{L}’'-]*/gu)?.length ?? Infinity;
      assert.ok(words <= MOST.words, `${words} words`);
      const all = page.locator('main :is(a[href], button, input, select, textarea, summary, [tabindex])');
      const stops = await all.evaluateAll((/** @type {HTMLInputElement[]} */ found) => {
        const reached = found.filter(
          (one) => one.tabIndex >= 0 && one.checkVisibility({ visibilityProperty: true }) && !one.disabled,
        );
        return new Set(reached.map((one) => (one.type === 'radio' ? one.name : one))).size;
      });
      assert.ok(stops <= MOST.stops, `${stops} stops`);
      const screens = () => page.evaluate(() => document.documentElement.scrollHeight / innerHeight);
      assert.ok((await screens()) <= MOST.desktop, `${await screens()} screens`);
      await page.setViewportSize(PHONE);
      await drawAll(page);
      assert.ok((await screens()) <= MOST.phone, `${await screens()} screens of a phone`);
      // The words, the picture, its result and the way on are one screen of a phone.
      assert.ok((await bottomOf('.scene-nav')) <= PHONE.height, `${await bottomOf('.scene-nav')}`);
      assert.ok(await page.locator('.brand span').isVisible(), 'the name is in the header');
    });

    pageTest('in print: no buttons, no blank pages, and the whole scene', { reducedMotion: false }, async (page) => {
      await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
      assert.equal(await page.locator('#scene-body[data-playing]').count(), 0);
      await drawAll(page);
      await page.emulateMedia({ media: 'print' });
      const hidden = page.locator(':is(button:not(.cell), .top, body > footer, .scene-moment):visible');
      assert.equal(await hidden.count(), 0);
      assert.ok(await page.locator('.scene-picture').isVisible());
      // Backgrounds that are the meaning are printed, and no cell is without its number.
      const lost = (all) => all.filter((one) => getComputedStyle(one).printColorAdjust !== 'exact').length;
      for (const css of ['.words span', '.scene-bar, .scene-bar i', '.scene-head i', '.grid .dot'])
        assert.equal(await page.locator(css).evaluateAll(lost), 0, css);
      assert.equal(await page.locator('.cell-served:visible', { hasText: '…' }).count(), 0);
      // A picture is as large as its printed cell.
      const sizes = await page
        .locator('.cell-plot')
        .evaluateAll((all) =>
          all.map(
            (plot) =>
              (plot.firstElementChild?.getBoundingClientRect().height ?? 0) - plot.getBoundingClientRect().height,
          ),
        );
      assert.ok(
        sizes.every((rest) => Math.abs(rest) < 1),
        sizes.join(),
      );
    });

    pageTest('printed before the page is scrolled: what is drawn is whole', { viewport: SHORT }, async (page) => {
      await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
      await page.emulateMedia({ media: 'print' });
      assert.equal(await page.locator('.grid:visible .cell-plot:empty').count(), 0);
      assert.equal(await page.locator('.drawing:visible:empty').count(), 0);
    });

    pageTest('on a phone, the effect of a tap is on the screen', { viewport: PHONE }, async (page) => {
      await drawAll(page);
      const cell = page.locator('.cell[data-backoff=truncated][data-jitter=equal]');
      await cell.scrollIntoViewIfNeeded();
      await cell.click();
      const line = page.locator('.grid-chosen', {
        hasText: /^Truncated · equal jitter: 1,000 of 1,000 served, waits 75.ms/,
      });
      await line.waitFor();
      const { y = NaN, height = NaN } = (await line.boundingBox()) ?? {};
      assert.ok(y >= 0 && y + height <= PHONE.height, `${y}`);
      // Fingers need 24 pixels.
      const small = (all) => all.filter((one) => one.getBoundingClientRect().height < 28).length;
      assert.equal(await page.locator('.words span').evaluateAll(small), 0);
    });
  },
  { engines: ['chromium'] },
);

/** A file of the built page. */
const built = (name) => readFile(path.join(DIST, name));

test('all assets are small, compressed', async () => {
  const files = (await readdir(DIST, { recursive: true })).filter((name) => /\.(?:html|js|css|woff2|wasm)$/.test(name));
  let sum = 0;
  for (const name of files) {
    const bytes = await built(name);
    sum += name.endsWith('.woff2') ? bytes.length : brotliCompressSync(bytes).length;
  }
  assert.ok(files.length > 10 && sum <= MOST_BYTES, `${sum} bytes`);
});

test('before any script a page says what is missing, and the first one has its scene in words and numbers', async () => {
  for (const at of PAGES) {
    const html = `${await built(`${at}index.html`)}`;
    assert.match(html, /<noscript>\s*<p class="notice">[^<]*(?:with|Without) JavaScript[^]*<\/noscript>/);
    assert.doesNotMatch(html, /NaN|undefined|\{\{/);
    // The policies come before anything they act on.
    const head = html.replaceAll('&#39;', "'").replaceAll(/\n\s*/g, '').split('<head>')[1];
    const policy = `<meta http-equiv="Content-Security-Policy" content="${CONTENT_SECURITY_POLICY}">`;
    assert.ok(head?.startsWith(`${policy}<meta name="referrer" content="no-referrer">`), head?.slice(0, 500));
    const more = ['0 of 1,000 served', '3,996 calls each', 'value="at once" checked', 'delay distributions'];
    for (const words of at
      ? []
      : [...more, 'The clients send 100,000 calls a second', 'is a retry library for', '/preview.png'])
      assert.ok(html.includes(words), words);
  }
  assert.equal((await built('preview.png')).readUInt32BE(16), 1200);
});

test('the page carries the licence of each package that it contains', async () => {
  const [, ...parts] = `${await built('THIRD-PARTY-NOTICES.txt')}`.split(/^={80}\n\n/m);
  // A new one appears here by intent.
  const packages = parts.map((part) => `${part.split('\n')[0]}`.replace(/ \d+\.\d+\.\d+ /, ' '));
  const d3 = ['array', 'path', 'shape'].map((name) => `d3-${name} (ISC)`);
  const ours = ['rejitter', 'rejitter-lab'].map((name) => `${name} (MIT OR Apache-2.0)`);
  const others = ['internmap (ISC)', ...ours, 'vite (MIT)'];
  assert.deepEqual(packages, ['@fontsource-variable/inter (OFL-1.1)', ...d3, ...others]);
  for (const part of parts)
    assert.match(
      part,
      /^Copyright (?:.*\d{4}|\(c\) the rejitter authors)[^]*(?:WITHOUT WARRANTY|ALL WARRANTIES|"AS IS")/m,
    );
  // The lab contains others itself.
  assert.match(`${parts.find((part) => part.startsWith('rejitter-lab '))}`, /wasm-bindgen/);
});
