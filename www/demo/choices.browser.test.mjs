/**
 * The built page where somebody chooses: before and after, what is handed out, what mistakes are told, and what a
 * choice costs, on a phone and on paper too.
 */
import assert from 'node:assert/strict';
import { PHONE, inEachEngine } from './lib/built-page.mjs';
import { SMALL, codeOf, drawAll, drawn, headlineIs, loaded, sceneSays, says, text, word } from './lib/page.mjs';
import { PROBLEMS } from './lib/problems.mjs';

/** A small scene: the tests measure drawing, and the simulation of many clients would take most of the time. */
const FEW = { query: SMALL };
const SHORT = { width: 1440, height: 500 };

inEachEngine(
  ({ pageTest }) => {
    pageTest('before and after: a package, pasted options, one address, one line', {}, async (page) => {
      const menu = page.locator('[data-before=menu]');
      await menu.selectOption({ label: 'p-retry 9.0.0' });
      // A scene that fails on purpose is not what somebody would change to.
      await headlineIs(page, '108 → 997 of 1,000 served');
      await page.waitForURL(/\?backoff=exponential&jitter=full&vs=p-retry$/);
      assert.equal(await page.locator('.scene-half').count(), 2);
      const options = page.locator('[data-before=options]');
      for (const [typed, said] of [
        ['{ retries: "many" }', /^retries must be a number, got "many"$/],
        ['no options', /^No option of these packages/],
        ['{ retries: 20, minTimeout: 50, onFailedAttempt: log }', /^Not read, .*: onFailedAttempt\.$/],
      ]) {
        await options.fill(typed);
        await options.press('Enter');
        await says(page, '[data-before=said]', said);
      }
      await page.waitForURL(/vs=p-retry\+retries\+20\+minTimeout\+50$/);
      const result = await sceneSays(page);
      assert.match(result, /^\d+ → 997 of 1,000 served$/);
      await page.reload();
      assert.equal(await sceneSays(page), result);
      assert.equal(await menu.inputValue(), 'p-retry retries 20 minTimeout 50');
      await drawn(page, 'waits');
      await says(page, '#waits .subtitle', /outline: p-retry 9\.0\.0, retries 20, minTimeout 50$/);
      // Where the clipboard is closed, the line is shown.
      await page.evaluate(() => {
        navigator.clipboard.writeText = () => Promise.reject(new Error('no'));
      });
      const [dialog] = await Promise.all([
        page.waitForEvent('dialog').then((shown) => shown.dismiss().then(() => shown)),
        page.locator('[data-before=copy]').click(),
      ]);
      const line = /^\*\*Retries:\*\* p-retry .* → Exponential .* → 997 of .*\]\(http:.*&vs=p-retry\+retries/;
      assert.match(dialog.defaultValue(), line);
      await menu.selectOption('');
      await headlineIs(page, '997 of 1,000 served');
      await menu.selectOption('this');
      await word(page, 'in step').click();
      await headlineIs(page, '997 → 60 of 1,000 served');
    });

    pageTest('what fails is not handed out, nor is the distributions’ figure empty', {}, async (page) => {
      await drawn(page, 'waits');
      await says(page, '#waits .subtitle', /^The scene waits for nothing\. Recommended: Exponential · full /);
      assert.ok((await page.locator('#waits .row .shape').count()) >= 9);
      await says(page, '.grid ~ .note', /^Truncated · full jitter fails by a hair, with 1 of 1,000: if .* 4% /);
      assert.match(await codeOf(page), /maxAttempts: 10,/);
      await says(page, '.which', /: 0 of 1,000 are served, .* This is what serves 997: Exponential · full/);
      const tabs = page.locator('#code option');
      for (const value of await tabs.evaluateAll((all) => all.map((one) => one.getAttribute('value')))) {
        await page.selectOption('#code', value);
        const code = await codeOf(page);
        assert.ok(code.length > 20, `${value}`);
        assert.doesNotMatch(code, /Infinity|"maxAttempts": -1|2_?147_?483_?647|baseMs: 0/, `${value}`);
        assert.doesNotMatch(await text(page, '.said'), /for ever|cannot follow/, `${value}`);
      }
      // The scene's own, with a warning; an endless one loses more than nothing.
      await page.locator('.which button').click();
      await says(page, '.which', /^Not for use\. /);
      await page.selectOption('#code', 'cloudTasks');
      assert.match(await codeOf(page), /"maxAttempts": -1/);
      await says(page, '.said', /^(?!.*Nothing is lost).*retried for ever\.$/);
      await page.selectOption('#code', 'bullmq');
      await says(page, '.said', /^BullMQ cannot follow this strategy: maxAttempts must be finite in BullMQ/);
      // Where 99% are served, it is the scene's own.
      for (const name of ['after doubling waits', 'at random times', '6 attempts', 'never'])
        await word(page, name).click();
      await page.selectOption('#code', 'fetch');
      await says(page, '#code-body code', /maxAttempts: Infinity/);
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
        assert.match(await type(name, value), problem);
      assert.equal(await page.locator('#controls-form .error:visible').count(), 3);
      await page.locator('#reset').click();
      assert.equal(await page.locator('#controls-form .error:visible').count(), 0);
      assert.equal(await page.locator('#set-baseMs-number').inputValue(), '0\u00a0ms');
      // A base above the cap takes it along, as in a link.
      assert.equal(await type('baseMs', '20000'), '');
      await page.waitForURL(/baseMs=20000&capMs=20000/);
    });

    pageTest('a choice costs a few layouts, draws what is new, and is not kept for ever', FEW, async (page) => {
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
      await choose(24);
      const last = await heap();
      // Ten kilobytes for each choice are too many.
      assert.ok(last < 1.12 * first, `${first} bytes after 6 choices, ${last} after 36`);
    });

    pageTest(
      'in print: what is drawn is whole, before the page is scrolled and after it; no buttons',
      { ...FEW, viewport: SHORT, reducedMotion: false },
      async (page) => {
        const visible = (css) => page.locator(css).filter({ visible: true }).count();
        const print = async () => {
          await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
          await page.emulateMedia({ media: 'print' });
          assert.deepEqual([await visible('.grid .cell-plot:empty'), await visible('.drawing:empty')], [0, 0]);
        };
        await print();
        assert.equal(await page.locator('#scene-body[data-playing]').count(), 0);
        await page.emulateMedia({ media: 'screen' });
        await drawAll(page);
        await print();
        assert.equal(await visible(':is(button, .top, body > footer, .scene-moment)'), 0);
        assert.equal(await visible('.scene-picture'), 1);
        assert.equal(await page.locator('.cell-served:visible', { hasText: '…' }).count(), 0);
        // Backgrounds that are the meaning are printed.
        const lost = (all) => all.filter((one) => getComputedStyle(one).printColorAdjust !== 'exact').length;
        for (const css of ['.words span', '.scene-bar, .scene-bar i', '.scene-head i', '.grid .dot'])
          assert.equal(await page.locator(css).evaluateAll(lost), 0, css);
        // A picture is as large as its printed cell.
        const rests = await page.locator('.cell-plot').evaluateAll((all) => {
          const heightOf = (one) => one?.getBoundingClientRect().height ?? 0;
          return all.map((plot) => heightOf(plot.firstElementChild) - heightOf(plot));
        });
        assert.ok(rests.length > 0 && rests.every((rest) => Math.abs(rest) < 1), rests.join());
      },
    );

    pageTest('on a phone, the effect of a tap is on the screen', { ...FEW, viewport: PHONE }, async (page) => {
      await drawAll(page);
      const cell = page.locator('.cell[data-backoff=truncated][data-jitter=equal]');
      await cell.scrollIntoViewIfNeeded();
      await cell.click();
      await says(page, '.grid-chosen', /^Truncated · equal jitter: \d+ of 100 served, waits 75.ms/);
      const { y = NaN, height = NaN } = (await page.locator('.grid-chosen').boundingBox()) ?? {};
      assert.ok(y >= 0 && y + height <= PHONE.height, `${y}`);
      // Fingers need 24 pixels.
      const small = (all) => all.filter((one) => one.getBoundingClientRect().height < 28).length;
      assert.equal(await page.locator('.words span').evaluateAll(small), 0);
    });
  },
  { engines: ['chromium'] },
);
