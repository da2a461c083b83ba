/** What the sections of the built page do when they are used: herd, cost, code, linter, import. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explain, simulateContention } from 'rejitter/lab';
import { inEachEngine } from './lib/built-page.mjs';
import { column, drawn, tableOf } from './lib/page.mjs';

inEachEngine(({ withPage }) => {
  test('herd: sixteen rows, sorted by any column, one of them chosen; all by keyboard', () =>
    withPage(async (page) => {
      await drawn(page, 'herd');
      const rows = page.locator('#herd').getByRole('radio');
      assert.equal(await rows.count(), 16);
      await page.getByRole('button', { name: /^Sort by rejected calls/ }).focus();
      for (const direction of ['ascending', 'descending']) {
        await page.keyboard.press('Enter');
        assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), `Sort by rejected calls, ${direction}`);
        const shares = (await rows.evaluateAll((spots) => spots.map((spot) => spot.getAttribute('aria-label') ?? ''))).map((label) => Number(/([\d.]+)% of the calls/.exec(label)?.[1] ?? NaN));
        assert.ok(shares.every(Number.isFinite), shares.join());
        const sorted = shares.toSorted((a, b) => (direction === 'ascending' ? a - b : b - a));
        assert.deepEqual(shares, sorted);
      }
      await page.locator('#herd [role=radio][aria-checked=true]').focus();
      await page.keyboard.press('ArrowDown');
      await drawn(page, 'delays');
      assert.doesNotMatch((await page.locator('#strategy-summary').textContent()) ?? '', /^Exponential · full/);
    }));

  test('herd: an outage of another length, and the link that brings it back', () =>
    withPage(async (page) => {
      const sub = page.locator('#herd-body .sub');
      await page.getByRole('slider', { name: 'Outage' }).focus();
      await page.keyboard.press('ArrowRight');
      await page.waitForURL(/downMs=3000/);
      await page.reload();
      await drawn(page, 'herd');
      assert.match((await sub.textContent()) ?? '', /^1,000\u00a0clients hit a server that is down for 3\u00a0s/);
    }));

  test('cost: the published figure is that of the package for the same seed; the whole of it can be run, and stopped', () =>
    withPage(async (page) => {
      await page.locator('#cost-body').scrollIntoViewIfNeeded();
      await drawn(page, 'contention');
      const start = page.getByRole('button', { name: /^Run it as published/ });
      const abort = page.locator('#contention').getByRole('button', { name: 'Abort' });
      await page.waitForFunction(() => document.querySelector('#contention svg desc')?.textContent?.includes('190'));
      const { rows } = await tableOf(page, 'contention');
      const shown = rows.find((row) => row.strategy === 'Full' && row.clients === 100 && row.runs === 10);
      const simulation = simulateContention({ figure: 'full', baseMs: 5, capMs: 2000 }, { clients: 100, runs: 10, seed: '42/full/100' });
      const { callsSummary, timeMsSummary } = await simulation.run();
      simulation.free();
      assert.deepEqual([shown?.calls, shown?.time], [callsSummary.mean, timeMsSummary.mean]);
      await start.click();
      assert.ok(await start.isDisabled());
      await page.locator('#contention .run-numbers:not(:empty)').waitFor();
      await abort.click();
      assert.match((await page.locator('#contention .run-state [role=status]').textContent()) ?? '', /^Aborted/);
      assert.ok(await start.isEnabled());
    }));

  test('waits: a deadline that ends them, and one that lets nobody retry', () =>
    withPage(async (page, url) => {
      const total = async () => Promise.all(['total-worst', 'total-mean'].map(async (id) => Number(await page.locator(`#${id}`).getAttribute('data-ms'))));
      await drawn(page, 'landing');
      // 100 + 200 + 400; the next 800 would end after the deadline.
      assert.deepEqual(await total(), [700, 700]);
      assert.match((await page.textContent('#delays .note')) ?? '', /The deadline of 1\u00a0s ends the waits: together they take at most 700\u00a0ms\.$/);
      await page.goto(`${url}?jitter=equal&totalTimeoutMs=1000`);
      await drawn(page, 'landing');
      const [worst = NaN, mean = NaN] = await total();
      assert.equal(worst, 1000);
      // The first three waits together have a mean of 525; few clients have time for the fourth.
      assert.ok(mean > 525 && mean < 700, `${mean}`);
      await page.goto(`${url}?baseMs=1000&jitter=none&totalTimeoutMs=500`);
      await drawn(page, 'landing');
      assert.deepEqual(await total(), [0, 0]);
      assert.match((await page.textContent('#landing .note')) ?? '', /^No retry is made/);
    }, { query: '?jitter=none&totalTimeoutMs=1000' }));

  test('waits of minutes: all ticks of an axis in one unit', () =>
    withPage(async (page) => {
      await page.selectOption('#preset', { label: 'Background job' });
      for (const id of ['success', 'landing']) {
        await drawn(page, id);
        const ticks = await page.locator(`#${id} .axis`).last().locator('text:not(.axis-title)').allTextContents();
        assert.ok(ticks.length > 2, ticks.join());
        for (const tick of ticks) assert.match(tick, /^\d+\u00a0min$/, id);
      }
    }));

  test('herd: the capacity is in the picture, however small or large', () =>
    withPage(async (page, url) => {
      for (const query of ['?clients=50&downMs=1000&capacityPerS=1', '?clients=50&downMs=1000&capacityPerS=100000']) {
        await page.goto(url + query);
        await drawn(page, 'arrivals');
        const panels = await page.locator('#arrivals .down').evaluateAll((rects) => rects.map((rect) => ['y', 'height'].map((name) => Number(rect.getAttribute(name)))));
        const lines = await page.locator('#arrivals .capacity').evaluateAll((all) => all.map((one) => Number(one.getAttribute('y1'))));
        assert.equal(lines.length, 4);
        for (const [i, y] of lines.entries()) {
          const [top = NaN, height = NaN] = panels[i] ?? [];
          assert.ok(y > top && y < top + height, `${query}: ${y} in ${top} + ${height}`);
        }
      }
    }));

  test('code in three tabs, by arrow keys', () =>
    withPage(async (page) => {
      const panel = page.locator('#code-panel');
      await page.getByRole('tab', { name: 'TypeScript' }).focus();
      const texts = [];
      for (const word of ['retryWithFullJitter', 'createFetch', 'delays']) {
        texts.push(await panel.textContent());
        assert.match(texts.at(-1) ?? '', new RegExp(word));
        await page.keyboard.press('ArrowRight');
      }
      assert.equal(await panel.textContent(), texts[0], 'the last tab is followed by the first');
      assert.equal(await page.locator('[role=tab][tabindex="0"]').count(), 1);
      await page.locator('.cell[data-backoff=fixed][data-jitter=none]').click();
      assert.match((await panel.textContent()) ?? '', /retryWithFixedDelay/);
    }));

  test('the linter warns of what the package warns of', () =>
    withPage(async (page) => {
      const card = page.locator('.lint-card[aria-busy=false]');
      await card.scrollIntoViewIfNeeded();
      const codes = await card.locator('[data-severity=warning] .code').allTextContents();
      const expected = explain({ baseMs: 100, capMs: 10_000, factor: 2, maxAttempts: 6, jitter: 'none', totalTimeoutMs: 500 });
      assert.deepEqual(codes, expected.filter(({ severity }) => severity === 'warning').map(({ code }) => code));
      assert.ok(codes.includes('no-jitter') && codes.includes('worst-case-exceeds-deadline'), codes.join());
    }, { query: '?jitter=none&totalTimeoutMs=500' }));

  test('import: what is pasted is translated, and drawn by all figures; what is wrong is said', () =>
    withPage(async (page) => {
      await page.locator('#import-body').scrollIntoViewIfNeeded();
      const text = page.locator('#import-text');
      await text.fill("backOff(fn, { startingDelay: 250, timeMultiple: 3, numOfAttempts: 4, jitter: 'full' })");
      await page.getByRole('button', { name: 'Draw it' }).click();
      assert.match((await page.locator('#strategy-summary').textContent()) ?? '', /^Exponential · full · 250\u00a0ms to .* · 4\u00a0attempts$/);
      await drawn(page, 'delays');
      assert.deepEqual(column((await tableOf(page, 'delays')).rows.slice(0, 3), 'at most'), [250, 750, 2250]);
      await text.fill('backOff(fn, { startingDelay: ');
      assert.ok(await page.locator('#import-body .error').isVisible());
      assert.ok(await page.getByRole('button', { name: 'Draw it' }).isHidden());
    }));
});
