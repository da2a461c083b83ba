/** The sections of the built page in use: herd, cost, code, linter, import. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explain, simulateContention, simulateLoad, simulateRateLimit } from 'rejitter/lab';
import { inEachEngine } from './lib/built-page.mjs';
import { column, drawn, loaded, says, summaryIs, tableOf } from './lib/page.mjs';
import { differences } from './lib/picture.mjs';
import { textClashes } from './lib/texts.mjs';
import { until } from './lib/until.mjs';
import { SCENARIOS, STRATEGIES, independently, median } from './lib/verdict.mjs';

/** @typedef {import('playwright-core').Page} Page */

inEachEngine(({ engine, withPage }) => {
  test('herd: sixteen rows, sorted by any column, one of them chosen; all by keyboard', () =>
    withPage(async (page) => {
      await drawn(page, 'herd');
      const rows = page.locator('#herd').getByRole('radio');
      assert.equal(await rows.count(), 16);
      await page.getByRole('button', { name: /^Sort by rejected calls/ }).focus();
      for (const direction of ['ascending', 'descending']) {
        await page.keyboard.press('Enter');
        assert.equal(
          await page.evaluate(() => document.activeElement?.getAttribute('aria-label')),
          `Sort by rejected calls, ${direction}`,
        );
        const shares = (
          await rows.evaluateAll((spots) => spots.map((spot) => spot.getAttribute('aria-label') ?? ''))
        ).map((label) => Number(/([\d.]+)% of the calls/.exec(label)?.[1] ?? NaN));
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
      await drawn(page, 'herd');
      const sub = page.locator('#herd-body .sub');
      await page.getByRole('slider', { name: 'Outage' }).focus();
      await page.keyboard.press('ArrowRight');
      await page.waitForURL(/downMs=3000/);
      await page.reload();
      await drawn(page, 'herd');
      assert.match((await sub.textContent()) ?? '', /^1,000\u00a0clients hit a server that is down for 3\u00a0s/);
    }));

  test('aws: the navigation leads to the figure, which reproduces all values of the simulator, with rings', () =>
    withPage(async (page) => {
      await page.getByRole('navigation').getByRole('link', { name: 'AWS 2015' }).click();
      await page.waitForURL(/#aws-2015$/);
      await drawn(page, 'contention');
      await says(page, 'contention', '.subtitle', /50 of 50 values of AWS's simulator lie within the 95% interval\./);
      assert.equal(await page.locator('#contention .ghost:not(.neutral)').count(), 50);
      await seen(page, '#contention', '.ghost');
      await seen(page, '#contention', '.band');
      const tops = await Promise.all(
        ['#story-section', '#aws-2015', '#delays-section'].map(
          async (id) => (await page.locator(id).boundingBox())?.y ?? NaN,
        ),
      );
      assert.deepEqual(
        tops,
        tops.toSorted((a, b) => a - b),
        tops.join(),
      );
    }));

  test('aws: the figure is that of the package for the same seed; the whole of it can be run, and stopped', () =>
    withPage(async (page) => {
      await drawn(page, 'contention');
      const start = page.getByRole('button', { name: /^Run it as published/ });
      await says(page, 'contention', 'svg desc', /190/);
      const { rows } = await tableOf(page, 'contention');
      const shown = rows.find((row) => row.strategy === 'Full' && row.clients === 100 && row.runs === 10);
      const simulation = simulateContention(
        { figure: 'full', baseMs: 5, capMs: 2000 },
        { clients: 100, runs: 10, seed: '42/full/100' },
      );
      const { callsSummary, timeMsSummary } = await simulation.run();
      simulation.free();
      assert.deepEqual([shown?.calls, shown?.time], [callsSummary.mean, timeMsSummary.mean]);
      // The page itself clicks: on a busy machine, a click from outside may come after the end.
      const abortsAtFirstNumbers = page.evaluate(
        () =>
          new Promise((resolve) => {
            const numbers = document.querySelector('#contention .run-numbers');
            const [start, abort] = document.querySelectorAll('#contention .run button');
            if (!numbers || !(start instanceof HTMLButtonElement) || !(abort instanceof HTMLButtonElement))
              throw new Error('the controls of the run are not in the page');
            new MutationObserver((_, observer) => {
              if (numbers.textContent === '') return;
              observer.disconnect();
              resolve([start.disabled, abort.textContent]);
              abort.click();
            }).observe(numbers, { childList: true, characterData: true, subtree: true });
          }),
      );
      await start.click();
      assert.deepEqual(await abortsAtFirstNumbers, [true, 'Abort']);
      await page.locator('#contention .run-state [role=status]', { hasText: /^Aborted/ }).waitFor();
      assert.ok(await start.isEnabled());
    }));

  test('cost: the verdict says what the package computes over 30 seeds, and can be used', () =>
    withPage(async (page, url) => {
      for (const scenario of SCENARIOS) {
        await page.goto(url + scenario.query);
        const { headline, reason, others } = await verdictOf(page);
        const seeds = Number(/(\d+)\u00a0seeds/.exec(reason)?.[1]);
        const names = [scenario.pick, ...scenario.level].map(titleOf);
        const [own] = independently(
          scenario,
          seeds,
          STRATEGIES.filter(({ backoff, jitter }) => `${backoff} ${jitter}` === scenario.pick),
        );
        assert.ok(own && seeds >= 20 && seeds <= 30, reason);
        const served = median(own.runs.map((run) => run.served));
        const calls = Number(median(own.runs.map(({ callsPerClient }) => callsPerClient)).toPrecision(3));
        const timeS = Number((median(own.runs.map(({ timeMs }) => timeMs)) / 1000).toFixed(1));
        if (served >= 990) {
          assert.equal(headline, `For these 1,000\u00a0clients and this outage: ${names.join(' or ')}.`);
          assert.ok(
            reason.startsWith(`99% are served after ${timeS}\u00a0s, with ${calls} calls per client (`),
            reason,
          );
        } else {
          assert.equal(headline, `No strategy serves 99% of these 1,000\u00a0clients. Most are served by ${names[0]}.`);
          assert.ok(
            reason.startsWith(`${names[0]} serves ${served} of 1,000 with ${calls} calls per client (`),
            reason,
          );
        }
        assert.equal(/within the noise/.test(reason), scenario.level.length > 0, reason);
        assert.ok(others.length >= 2 && others.every((text) => /\.$/.test(text)), others.join());
      }
      // The last scenario recommends another strategy than the chosen one.
      // Not by the mouse: figures above may still be drawn, and would move the button away from it.
      await page.getByRole('button', { name: 'Use Decorrelated jitter' }).press('Enter');
      await summaryIs(page, /^Decorrelated/);
      assert.match((await verdictOf(page)).reason, /You have chosen it\.$/);
      assert.ok(await page.locator('#verdict button').isHidden());
      await page.goto(`${url}?maxAttempts=3&downMs=30000`);
      assert.equal((await verdictOf(page)).headline, 'No strategy serves a single client here.');
    }));

  test('cost: uncertainty is seen, as crosses at the marks and as bands of the peaks', () =>
    withPage(async (page) => {
      await verdictOf(page);
      await drawn(page, 'cost');
      await seen(page, '#cost', '.interval');
      await drawn(page, 'peaks');
      await seen(page, '#peaks', '.band');
    }));

  test('protection: the sentences have the numbers of the package, for the controls and for the link', () =>
    withPage(async (page, url) => {
      const policy = /** @type {const} */ ({
        backoff: 'exponential',
        jitter: 'full',
        baseMs: 100,
        capMs: 10_000,
        maxAttempts: 10,
      });
      /** @param {number} demand @param {any} protection */
      const run = (demand, protection) => {
        const simulation = simulateLoad(policy, {
          arrivals: { type: 'regular', perS: 120 * demand },
          capacityPerS: 120,
          timeoutMs: 1000,
          downFromMs: 10_000,
          downMs: 2000,
          horizonMs: 120_000,
          binMs: 400,
          protection,
          seed: 42,
        });
        simulation.step();
        const result = simulation.result();
        simulation.free();
        return result;
      };
      const seconds = (/** @type {number | undefined} */ ms) =>
        `${Number(((ms ?? NaN) / 1000).toFixed((ms ?? 0) < 9995 ? 2 : 1))}\u00a0s`;
      const many = (/** @type {number} */ n) => n.toLocaleString('en-US');
      await drawn(page, 'recovery');
      const finding = page.locator('#recovery .finding');
      const nothing = run(0.93, {});
      assert.equal(nothing.recoveredAfterMs, undefined);
      assert.match(
        (await finding.textContent()) ?? '',
        new RegExp(
          `^Without protection, .* 9\\.3 times the capacity, with ${many(nothing.totals.retries)} retries\\.$`,
        ),
      );
      await drawn(page, 'load');
      assert.match((await page.locator('#load .finding').textContent()) ?? '', /^Backoff hardly helps: .* 9\.3 times/);

      await page.getByRole('checkbox', { name: 'budget' }).check();
      await page.getByRole('checkbox', { name: 'breaker' }).check();
      await page.waitForURL(/protection=budget(,|%2C)breaker$/);
      const both = run(0.93, { budget: {}, breaker: {} });
      assert.equal(both.totals.openings, 2);
      await drawn(page, 'recovery');
      assert.equal(
        await finding.textContent(),
        `With both, the server recovers ${seconds(both.recoveredAfterMs)} after the outage, with 50 retries. The ` +
          `breaker opens twice and rejects ${many(both.totals.rejectedByBreaker)} calls, the last one ` +
          `${seconds(both.admittedAfterMs)} after the outage.`,
      );
      assert.equal(await page.locator('#recovery .phases .phase-open').count(), both.totals.openings);
      // Part of the generated code, too, and the policy has a budget now.
      await loaded(page, 'code-body');
      const code = page.locator('#code-panel', { hasText: 'protect(budget(), breaker())' });
      await code.waitFor();
      assert.match(
        (await code.textContent()) ?? '',
        /import \{ breaker, budget, protect \} from 'rejitter\/protection'/,
      );
      await loaded(page, 'linter-body');
      await page.locator('#linter-body [aria-busy="false"]').waitFor();
      assert.equal(await page.locator('#linter-body code.code', { hasText: 'no-budget' }).count(), 0);

      // Above the 8.4 requests a second that are to spare, a floor never lets the server recover.
      await page.goto(`${url}?protection=budget&floor=30`);
      await drawn(page, 'recovery');
      const floor = run(0.93, { budget: { perSecond: 30 } });
      assert.equal(floor.recoveredAfterMs, undefined);
      assert.match(
        (await finding.textContent()) ?? '',
        new RegExp(`with ${many(floor.totals.retries)} retries\\. A floor of 30/s is more than the 8\\.4/s that`),
      );
      assert.ok(await page.getByRole('checkbox', { name: 'budget' }).isChecked());
      await drawn(page, 'budgets');
      assert.match((await page.locator('#budgets .bound-label').textContent()) ?? '', /^now 93/);

      // A link of the time when this was a part of the herd.
      await page.goto(`${url}?arrivals=independent&demand=1.05`);
      await drawn(page, 'recovery');
      assert.match((await finding.textContent()) ?? '', /^New requests alone take 105% of the capacity/);
      assert.equal(
        await page.getByRole('slider', { name: 'New requests' }).getAttribute('aria-valuetext'),
        '105% of the capacity',
      );
    }));

  test('protection: one 429 for all, in the numbers of the package', () =>
    withPage(
      async (page, url) => {
        await page.goto(`${url}?maxAttempts=6`);
        await drawn(page, 'rate-limit');
        const totals = (/** @type {any} */ options) => {
          const simulation = simulateRateLimit({ maxAttempts: 6 }, { ...options, seed: 42 });
          simulation.step();
          const found = simulation.result().totals;
          simulation.free();
          return found;
        };
        const ignored = totals({ hints: 'ignored' });
        const followed = totals({});
        const shared = totals({ protection: { cooldown: { maxHoldMs: Infinity } } });
        assert.deepEqual([ignored.failed, shared.failed], [700, 0]);
        const seconds = (/** @type {number} */ ms) => `${Number((ms / 1000).toFixed(1))}\u00a0s`;
        assert.equal(
          await page.locator('#rate-limit .finding').textContent(),
          `Of 1,000 jobs 700 fail if hints are ignored, and ${followed.failed} fail if each worker follows its own. ` +
            `With a shared cooldown none fails: ${shared.rejected} requests are rejected instead of ` +
            `${followed.rejected}, and the last job ends after ${seconds(shared.endMs)} instead of ` +
            `${seconds(followed.endMs)}.`,
        );
      },
      { viewport: { width: 390, height: 844 } },
    ));

  // In Chromium the tests of the first screen check all figures.
  if (engine === 'firefox') {
    test('cost, protection, aws: no text covers another one, from 1440 down to 320 pixels', () =>
      withPage(async (page) => {
        for (const width of [1440, 1024, 768, 390, 320]) {
          await page.setViewportSize({ width, height: 900 });
          for (const id of [
            'contention',
            ...['cost', 'peaks'],
            ...['recovery', 'load', 'budgets', 'tail', 'hedging', 'rate-limit'],
          ]) {
            await drawn(page, id);
            assert.deepEqual(await page.evaluate(textClashes, `#${id}`), [], `${id} at ${width} px`);
          }
        }
      }));
  }

  test('waits: a deadline that ends them, and one that allows no retry', () =>
    withPage(
      async (page, url) => {
        const total = async () =>
          Promise.all(
            ['total-worst', 'total-mean'].map(async (id) =>
              Number(await page.locator(`#${id}`).getAttribute('data-ms')),
            ),
          );
        for (const id of ['delays', 'landing']) await drawn(page, id);
        // 100 + 200 + 400; the next 800 would end after the deadline.
        assert.deepEqual(await total(), [700, 700]);
        assert.match(
          (await page.textContent('#delays .note')) ?? '',
          /The deadline of 1\u00a0s ends the waits: together they take at most 700\u00a0ms\.$/,
        );
        await page.goto(`${url}?jitter=equal&totalTimeoutMs=1000`);
        for (const id of ['delays', 'landing']) await drawn(page, id);
        const [worst = NaN, mean = NaN] = await total();
        assert.equal(worst, 1000);
        // The first three waits together have a mean of 525; few clients have time for the fourth.
        assert.ok(mean > 525 && mean < 700, `${mean}`);
        await page.goto(`${url}?baseMs=1000&jitter=none&totalTimeoutMs=500`);
        for (const id of ['delays', 'landing']) await drawn(page, id);
        assert.deepEqual(await total(), [0, 0]);
        assert.match((await page.textContent('#landing .note')) ?? '', /^No retry is made/);
      },
      { query: '?jitter=none&totalTimeoutMs=1000' },
    ));

  test('waits: their mean is shown, whichever answer of the worker comes first', () =>
    withPage(
      async (page) => {
        for (const id of ['delays', 'landing']) await drawn(page, id);
        const mean = Number(await page.locator('#total-mean').getAttribute('data-ms'));
        assert.ok(mean > 525 && mean < 700, `${mean}`);
      },
      { query: '?jitter=equal&totalTimeoutMs=1000', init: totalsFirst },
    ));

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
        const panels = await page
          .locator('#arrivals .down')
          .evaluateAll((rects) => rects.map((rect) => ['y', 'height'].map((name) => Number(rect.getAttribute(name)))));
        const lines = await page
          .locator('#arrivals .capacity')
          .evaluateAll((all) => all.map((one) => Number(one.getAttribute('y1'))));
        assert.equal(lines.length, 4);
        for (const [i, y] of lines.entries()) {
          const [top = NaN, height = NaN] = panels[i] ?? [];
          assert.ok(y > top && y < top + height, `${query}: ${y} in ${top} + ${height}`);
        }
      }
    }));

  test('code in three tabs, by arrow keys', () =>
    withPage(async (page) => {
      await loaded(page, 'code-body');
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
      // Until then there is only the build's picture of the grid.
      await drawn(page, 'delays');
      await page.locator('.cell[data-backoff=fixed][data-jitter=none]').click();
      assert.match((await panel.textContent()) ?? '', /retryWithFixedDelay/);
    }));

  test('the linter warns of what the package warns of', () =>
    withPage(
      async (page) => {
        await loaded(page, 'linter-body');
        const card = page.locator('.lint-card[aria-busy=false]');
        await card.waitFor();
        const codes = await card.locator('[data-severity=warning] .code').allTextContents();
        const expected = explain({
          baseMs: 100,
          capMs: 10_000,
          factor: 2,
          maxAttempts: 6,
          jitter: 'none',
          totalTimeoutMs: 500,
        });
        assert.deepEqual(
          codes,
          expected.filter(({ severity }) => severity === 'warning').map(({ code }) => code),
        );
        assert.ok(codes.includes('no-jitter') && codes.includes('worst-case-exceeds-deadline'), codes.join());
      },
      { query: '?jitter=none&totalTimeoutMs=500' },
    ));

  test('import: what is pasted is translated, and drawn by all figures; what is wrong is said', () =>
    withPage(async (page) => {
      await loaded(page, 'import-body');
      const text = page.locator('#import-text');
      await text.fill("backOff(fn, { startingDelay: 250, timeMultiple: 3, numOfAttempts: 4, jitter: 'full' })");
      await page.getByRole('button', { name: 'Draw it' }).click();
      await summaryIs(page, /^Exponential · full · 250\u00a0ms without a cap · 4\u00a0attempts$/);
      await drawn(page, 'delays');
      assert.deepEqual(column((await tableOf(page, 'delays')).rows.slice(0, 3), 'at most'), [250, 750, 2250]);
      await text.fill('backOff(fn, { startingDelay: ');
      assert.ok(await page.locator('#import-body .error').isVisible());
      assert.ok(await page.getByRole('button', { name: 'Draw it' }).isHidden());
    }));

  test('import: compares the waits before and after in words, marks and numbers; a link restores the text', () =>
    withPage(async (page, url) => {
      const text = 'ky(url, { retry: { limit: 5, backoffLimit: 3000, jitter: true } })';
      await loaded(page, 'import-body');
      await page.locator('#import-text').fill(text);
      await drawn(page, 'import-waits');
      const figure = page.locator('#import-waits');
      assert.match(
        (await figure.locator('.note').textContent()) ?? '',
        /^Wait 5 differs most: .* 38% of the clients of ky 2\.1\.0 then wait exactly 3\ss and retry together\.$/,
      );
      // Two shapes of different outlines in wait 5, and a stick at the cap for ky alone.
      const row = figure.locator('[data-wait="5"]');
      const outlines = await row
        .locator('.shape')
        .evaluateAll((shapes) => shapes.map((shape) => shape.getAttribute('d')));
      assert.equal(new Set(outlines).size, 2);
      assert.equal(await row.locator('.before .spike').count(), 1);
      assert.equal(await row.locator('[data-jitter] .spike').count(), 0);
      await page.waitForFunction(() => location.search.includes('import='));
      const link = page.url();
      await page.goto('about:blank');
      await page.goto(link);
      await loaded(page, 'import-body');
      assert.equal(await page.locator('#import-text').inputValue(), text);
      assert.equal(await page.locator('.import-result h3').first().textContent(), 'ky 2.1.0 in rejitter');
      // The same waits of another library have its name.
      await page.locator('#import-text').fill('backOff(fn, { startingDelay: 300, numOfAttempts: 4 })');
      await says(page, 'import-waits', '.subtitle', /exponential-backoff 3\.1\.3/);
      await page.locator('#import-text').fill('retry(fn, { delay: 300, factor: 2, maxAttempts: 4, timeout: 0 })');
      await says(page, 'import-waits', '.subtitle', /^dashed: @lifeomic.attempt 3\.1\.0 · filled: rejitter$/);
      // The same waits on both sides.
      await page.locator('#import-text').fill('axiosRetry(axios, { retryDelay: axiosRetry.exponentialDelay })');
      await says(page, 'import-waits', '.note', /^Both draw the same waits\.$/);
      // Texts that no link should bring.
      for (const query of [
        `?import=${'x'.repeat(3000)}`,
        '?import=%E0%A4%A',
        '?import=%00%1B%5B31m%3Cimg%20src=x%20onerror=alert(1)%3E&importFrom=nobody',
      ]) {
        await page.goto(url + query);
        await loaded(page, 'import-body');
        await page.locator('#import-text').waitFor();
        const shown = await page.locator('#import-text').inputValue();
        assert.doesNotMatch(shown, /[\0\x1b]|x{100}/);
        assert.equal(await page.locator('#import-body img').count(), 0);
      }
    }));

  test('import: asks about options of several libraries, one click answers; names show another language', () =>
    withPage(async (page) => {
      await loaded(page, 'import-body');
      await page.locator('#import-text').fill('{ retries: 5 }');
      assert.equal(
        await page.locator('.import-question').textContent(),
        'These options fit more than one library. Which one do you use?',
      );
      assert.ok(await page.locator('#import-waits').isHidden());
      await page.locator('.import-choices').getByRole('button', { name: 'async-retry' }).click();
      assert.equal(await page.locator('.import-result h3').first().textContent(), 'async-retry 1.3.3 in rejitter');
      assert.equal(await page.locator('#import-from').inputValue(), 'async-retry');
      await page.locator('.import-examples').getByRole('button', { name: 'Polly' }).click();
      assert.equal(
        await page.locator('.import-looks').textContent(),
        'This looks like Polly 8: the preset polly is drawn, with the numbers from the text.',
      );
      await page.getByRole('button', { name: 'Draw it' }).click();
      await summaryIs(page, /Polly/);
      assert.match((await page.locator('#code-panel').textContent()) ?? '', /jitter: 'pollyV2'/);
    }));
});

/** Holds the worker's waits back until its totals have come. Runs in the page, before its scripts. */
function totalsFirst() {
  globalThis.Worker = class extends Worker {
    /** @type {Map<number, string>} */
    names = new Map();
    /** @type {(() => void)[]} */
    held = [];
    isTold = false;

    /** @override @param {any} order */
    postMessage(order) {
      this.names.set(order.id, order.name);
      super.postMessage(order);
    }

    /** @override @param {string} type @param {any} listener */
    addEventListener(type, listener) {
      super.addEventListener(type, (event) => {
        const name = this.names.get(/** @type {MessageEvent} */ (event).data?.id);
        if (name === 'waits' && !this.isTold) {
          this.held.push(() => listener(event));
          return;
        }
        listener(event);
        if (name !== 'totals') return;
        this.isTold = true;
        for (const deliver of this.held.splice(0)) deliver();
      });
    }
  };
}

/** The verdict once it is there. @param {Page} page */
async function verdictOf(page) {
  await drawn(page, 'cost');
  const box = page.locator('#verdict[aria-busy=false]');
  await box.waitFor();
  const [headline = '', reason = ''] = await Promise.all(
    ['h3', '.reason'].map(async (part) => (await box.locator(part).textContent()) ?? ''),
  );
  return { headline, reason, others: await box.locator('li').allTextContents() };
}

/** @param {string} name backoff and jitter */
function titleOf(name) {
  const [backoff = '', jitter = ''] = name.split(' ');
  return jitter === 'decorrelated'
    ? 'Decorrelated jitter'
    : `${backoff.charAt(0).toUpperCase()}${backoff.slice(1)} · ${jitter} jitter`;
}

/** Pixels: engines do not always draw the same edge alike, and the smallest marks are crosses of some pixels. */
const NOISE = 10;
const SEEN = 30;

/**
 * Marks are seen if the picture is another one without them.
 * @param {Page} page
 * @param {string} figure
 * @param {string} marks
 */
async function seen(page, figure, marks) {
  const drawing = page.locator(`${figure} .drawing`);
  const picture = async () => (await drawing.screenshot()).toString('base64');
  await page.evaluate(() => document.fonts.ready);
  const changed = await until(`${figure} keeps still`, async () => {
    const before = await picture();
    const style = await page.addStyleTag({ content: `${figure} ${marks} { visibility: hidden; }` });
    const without = await picture();
    await style.evaluate((element) => /** @type {Element} */ (element).remove());
    const after = await picture();
    // If something else has changed, the comparison says nothing.
    if ((await page.evaluate(differences, [before, after])) > NOISE) return undefined;
    return { pixels: await page.evaluate(differences, [before, without]) };
  });
  assert.ok(changed.pixels >= SEEN, `${marks} of ${figure} are ${changed.pixels} pixels`);
}
