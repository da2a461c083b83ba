/**
 * The grid and the waits in real browsers: one scale for all cells, every kind of jitter and backoff, atoms,
 * percentiles, typed numbers, comparing by touch.
 *
 * Expects `www/dist`, `rejitter` in `www/node_modules`, and the browsers in CHROME_BIN and FIREFOX_BIN.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RetryPolicy } from 'rejitter';
import { plan } from 'rejitter/lab';
import { awsSdk2020, cenkalti, jpillora, pRetryRandomized, polly } from 'rejitter/presets';
import { DESKTOP, inEachEngine } from './lib/built-page.mjs';
import { column, drawn, overflow, summaryIs, tableOf } from './lib/page.mjs';

/** @typedef {import('playwright-core').Page} Page */

/** Returns the painted range of each cell, in pixels from the left of its plot. @param {Page} page */
function painted(page) {
  return page.locator('.grid .cell').evaluateAll((cells) =>
    cells.map((cell) => {
      const rows = [...cell.querySelectorAll('[data-wait]')];
      const plot = /** @type {Element} */ (cell.querySelector('.cell-plot')).getBoundingClientRect();
      const spans = rows
        .map((row) => row.getBoundingClientRect())
        .map(({ left, right }) => [left - plot.left, right - plot.left]);
      const number = cell.querySelector('.cell-spread b')?.getAttribute('data-ms');
      return {
        name: cell.getAttribute('aria-label') ?? '',
        jitter: cell.getAttribute('data-jitter'),
        plotWidth: plot.width,
        widest: Math.max(...spans.map(([from = NaN, to = NaN]) => to - from)),
        spreadMs: Number(number ?? 0),
      };
    }),
  );
}

inEachEngine(({ withPage, engine }) => {
  test('a wider shape is a wider spread, in every two cells of the grid', () =>
    withPage(async (page) => {
      await drawn(page, 'delays');
      const cells = await painted(page);
      assert.equal(cells.length, 5 * 4 + 1 + 5);
      const [end] = (await page.locator('.grid-scales button[aria-pressed=true]').allTextContents()).map(
        (text) => Number(/to ([\d.]+)\u00a0s$/.exec(text)?.[1]) * 1000,
      );
      assert.equal(end, 10_000);
      // Boxes are uniform: nine tenths of what is painted is the number in the cell. An edge is at most 3 pixels wide.
      for (const { name, jitter, plotWidth, widest, spreadMs } of cells) {
        if (!['none', 'full', 'equal', 'proportional', 'additiveRatio', 'additiveMax'].includes(jitter ?? '')) continue;
        const pixels = ((plotWidth - 16) * spreadMs) / 0.9 / 10_000;
        assert.ok(Math.abs(widest - pixels) <= 3.5, `${name}: ${widest} pixels for ${spreadMs} ms, not ${pixels}`);
      }
      const narrow = cells.filter(({ plotWidth }) => Math.abs(plotWidth - (cells[0]?.plotWidth ?? 0)) < 2);
      assert.equal(narrow.length, cells.length);
      for (const a of narrow)
        for (const b of narrow)
          if (a.spreadMs > 1.5 * b.spreadMs + 200)
            assert.ok(a.widest > b.widest, `${a.name} is not wider than ${b.name}`);
      // 16 times the base, and not as wide as that of a fixed wait.
      const [fixed, exponential] = ['Fixed · full', 'Exponential · full'].map(
        (name) => cells.find((cell) => cell.name.startsWith(name))?.widest ?? NaN,
      );
      assert.ok(Number(exponential) > 20 * Number(fixed), `${exponential} and ${fixed} pixels`);

      // A closer look is one for all cells, too.
      await page.getByRole('button', { name: '0 to 1\u00a0s' }).click();
      const closer = await painted(page);
      assert.ok(Number(closer.find(({ name }) => name.startsWith('Fixed · full'))?.widest) > 5 * Number(fixed));
    }));

  test('every backoff and jitter can be chosen by mouse and by arrow keys, and is drawn as the package waits', () =>
    withPage(async (page) => {
      await drawn(page, 'delays');
      /** @type {[selector: string, options: import('rejitter').RetryOptions][]} */
      const cells = [
        ['[data-backoff=fibonacci][data-jitter=none]', { backoff: 'fibonacci', jitter: 'none' }],
        [
          '[data-backoff=linear][data-jitter=proportional]',
          { backoff: 'linear', jitter: { type: 'proportional', ratio: 0.5 } },
        ],
        ['[data-jitter=additiveRatio]', { backoff: 'linear', jitter: { type: 'additive', ratio: 0.5 } }],
        ['[data-jitter=additiveMax]', { backoff: 'linear', jitter: { type: 'additive', maxMs: 100 } }],
        ['[data-jitter=decorrelated]', { jitter: 'decorrelated' }],
        ['[data-jitter=decorrelatedBounded]', { jitter: 'decorrelatedBounded' }],
        ['[data-jitter=slotted]', { jitter: 'slotted', truncateAt: 4 }],
        ['[data-jitter=pollyV2]', { jitter: 'pollyV2' }],
      ];
      for (const [selector, options] of cells) {
        await page.locator(`.cell${selector}`).click();
        assert.equal(await page.locator('.cell[aria-checked=true]').count(), 1);
        const rows = (await tableOf(page, 'delays')).rows.slice(0, 9);
        const expected = plan({ baseMs: 100, capMs: 10_000, maxAttempts: 10, ...options });
        assert.deepEqual(
          column(rows, 'mean'),
          expected.map(({ meanMs }) => meanMs),
          selector,
        );
        assert.deepEqual(
          column(rows, 'at most'),
          expected.map(({ hiMs }) => hiMs),
          selector,
        );
        assert.ok(
          (await page.locator('.cell[aria-checked=true] svg :is(.shape, .spike, .slot)').count()) > 0,
          selector,
        );
      }

      // The keyboard reaches all of them, from the first cell through every row and the tall cell.
      await page.locator('.cell[data-backoff=fixed][data-jitter=none]').click();
      const here = () =>
        page.evaluate(() =>
          [
            document.activeElement?.getAttribute('data-backoff'),
            document.activeElement?.getAttribute('data-jitter'),
          ].join(),
        );
      const seen = new Set([await here()]);
      for (let row = 0; row < 6; row++) {
        for (let i = 0; i < 5; i++) {
          await page.keyboard.press('ArrowRight');
          seen.add(await here());
        }
        await page.keyboard.press('ArrowDown');
        seen.add(await here());
      }
      assert.equal(seen.size, 26, [...seen].join(' '));
      // Out of the tall cell, back to the row that led into it.
      await page.locator('.cell[data-backoff=linear][data-jitter=proportional]').click();
      await page.keyboard.press('ArrowRight');
      assert.equal(await here(), ',decorrelated');
      await page.keyboard.press('ArrowLeft');
      assert.equal(await here(), 'linear,proportional');
    }));

  test('the presets of the package are in the menu, and drawn exactly', () =>
    withPage(async (page) => {
      await drawn(page, 'delays');
      const groups = await page
        .locator('#preset optgroup')
        .evaluateAll((all) => all.map((group) => [group.getAttribute('label'), group.children.length]));
      assert.deepEqual(groups, [
        ['Advice', 4],
        ['What others use', 12],
      ]);
      for (const [label, preset] of /** @type {const} */ ([
        ['Polly 8', polly],
        ['p-retry, randomize', pRetryRandomized],
        ['cenkalti/backoff', cenkalti],
        ['jpillora/backoff', jpillora],
        ['AWS SDKs (2020)', awsSdk2020],
      ])) {
        await page.selectOption('#preset', { label });
        await drawn(page, 'delays');
        assert.equal(await page.locator('#preset option:checked').textContent(), label);
        const policy = new RetryPolicy(preset);
        const { rows } = await tableOf(page, 'delays');
        const attempts = Number(policy.toJSON().maxAttempts);
        const count = attempts < 12 ? attempts - 1 : 12;
        const mean = (/** @type {number} */ k) => plan(policy, count)[k]?.meanMs;
        assert.deepEqual(
          column(rows.slice(0, count), 'mean'),
          Array.from({ length: count }, (_, k) => mean(k)),
          label,
        );
        await drawn(page, 'success');
      }
    }));

  test('draws an atom at the cap as a lollipop with its share, for decorrelated jitter and a clipped draw', () =>
    withPage(async (page, url) => {
      for (const [query, share] of [
        ['?jitter=decorrelated&baseMs=1000&capMs=5000&maxAttempts=10', '58%'],
        ['?baseMs=300&capMs=1000&capRule=draw&maxAttempts=6', '79%'],
      ]) {
        await page.goto(url + query);
        await drawn(page, 'delays');
        assert.ok(
          (await page.locator('#delays .atom-label').allTextContents()).includes(`${share} wait exactly the cap`),
          share,
        );
        assert.match(
          (await page.locator('#delays .note').textContent()) ?? '',
          new RegExp(`${share} of the clients wait exactly`),
        );
        const rows = await page.locator('#delays .row').evaluateAll((all) =>
          all.flatMap((row) => {
            const head = row.querySelector('g:not(.compared) > .atom');
            if (!head) return [];
            const label = /** @type {Element} */ (row.querySelector('.atom-label'));
            const [a, b, c] = [
              head,
              label,
              /** @type {Element} */ (row.querySelector('g:not(.compared) > .shape')),
            ].map((element) => element.getBoundingClientRect());
            return [
              {
                share: parseFloat(label.textContent ?? ''),
                over: Number(c?.top) - Number(a?.top),
                gap: Number(a?.top) - Number(b?.bottom),
              },
            ];
          }),
        );
        // Taller than the densest shape, and the words do not cover the head.
        for (const { share: percent, over, gap } of rows) {
          if (percent >= 25) assert.ok(over > 4, `${percent}%: ${over} pixels above the shape`);
          assert.ok(gap > -4, `${percent}%: label ${gap} pixels above the head`);
        }
        assert.ok(rows.length >= 3);
      }
    }));

  test('50% and 95% are shares of all calls: in the figure, in the summary, in words and in the table', () =>
    withPage(async (page, url) => {
      await drawn(page, 'success');
      const beside = async () => Promise.all(['half-succeed', 'most-succeed'].map((id) => page.textContent(`#${id}`)));
      const [half, most] = await beside();
      const head = (await page.locator('#success svg > text').allTextContents()).join(' ');
      assert.ok(head.includes(`50% of calls in ${half}, 95% in ${most}`), head);
      assert.ok(
        ((await page.locator('#success-desc').textContent()) ?? '').includes(`50% of calls in ${half}, 95% in ${most}`),
      );
      // The marks are where the axis says 50% and 95%.
      const heights = await page.locator('#success').evaluate((figure) => {
        const middle = (/** @type {Element | null | undefined} */ element) => {
          const { top, bottom } = /** @type {Element} */ (element).getBoundingClientRect();
          return (top + bottom) / 2;
        };
        const tick = (/** @type {string} */ text) =>
          middle([...figure.querySelectorAll('.axis text')].find((one) => one.textContent === text));
        return ['50%', '95%'].map((text, i) => middle(figure.querySelectorAll('.percentile circle')[i]) - tick(text));
      });
      for (const height of heights) assert.ok(Math.abs(height) <= 3, heights.join());
      const { rows } = await tableOf(page, 'success');
      const times = rows
        .filter((row) => /^p/.test(String(row['percentile of all calls'])))
        .slice(0, 2)
        .map(({ time }) => time);
      assert.deepEqual(
        times,
        await Promise.all(
          ['half-succeed', 'most-succeed'].map(async (id) =>
            Number(await page.locator(`#${id}`).getAttribute('data-ms')),
          ),
        ),
      );

      // Where fewer than 95% succeed at all, there is no such time.
      await page.goto(`${url}?failureRate=0.8&maxAttempts=6`);
      await drawn(page, 'success');
      assert.equal((await beside())[1], 'never');
      assert.match(
        (await page.locator('#success-desc').textContent()) ?? '',
        /95% never\. 74% of all calls succeed, 26% give up\./,
      );
    }));

  test('numbers can be typed; what the package does not take is said in its words', () =>
    withPage(async (page) => {
      const number = (/** @type {string} */ id) => page.locator(`#set-${id}-number`);
      const type = async (/** @type {string} */ id, /** @type {string} */ text) => {
        await number(id).fill(text);
        await number(id).press('Enter');
      };
      await type('baseMs', '333');
      await type('capMs', '4.5 s');
      await type('failureRate', '37');
      await summaryIs(page, /^Exponential · full · 333\u00a0ms to 4\.5\u00a0s/);
      assert.equal(await number('failureRate').inputValue(), '37%');
      await type('baseMs', '5000');
      const error = page.locator('#set-baseMs-error');
      assert.equal(await error.textContent(), 'capMs must be at least baseMs (5000), got 4500');
      assert.ok(await error.isVisible());
      assert.match((await page.locator('#strategy-summary').textContent()) ?? '', /333\u00a0ms/);
      await number('baseMs').press('Escape');
      assert.ok(await error.isHidden());
      assert.equal(await number('baseMs').inputValue(), '333\u00a0ms');
      await type('maxAttempts', '2.5');
      assert.match(
        (await page.locator('#set-maxAttempts-error').textContent()) ?? '',
        /^maxAttempts must be a positive integer/,
      );
      await number('maxAttempts').press('Escape');
      await type('maxAttempts', 'unlimited');
      await type('capMs', 'none');
      await summaryIs(page, /333\u00a0ms without a cap · unlimited attempts$/);
      await drawn(page, 'delays');
      assert.match(
        (await page.locator('#delays .note').textContent()) ?? '',
        /^There is no cap\. .*Nothing limits the number of attempts/,
      );
      assert.equal(await page.textContent('#total-worst'), 'unlimited');
      await type('maxAttempts', '1');
      await drawn(page, 'delays');
      assert.match((await page.locator('#delays .note').textContent()) ?? '', /^There is only one attempt/);
      await drawn(page, 'landing');
      assert.equal(await page.locator('.error:visible').count(), 0);
    }));

  test('two cells are compared by touch', () =>
    withPage(
      async (page) => {
        await drawn(page, 'delays');
        const compare = page.getByRole('button', { name: 'Compare' });
        await compare.click();
        assert.equal(await compare.getAttribute('aria-pressed'), 'true');
        await page.locator('.cell[data-jitter=pollyV2]').click();
        assert.equal(await compare.getAttribute('aria-pressed'), 'false');
        assert.equal(await page.locator('.cell.is-compared').getAttribute('data-jitter'), 'pollyV2');
        assert.ok(await page.locator('.cell[data-backoff=exponential][data-jitter=full]').getAttribute('aria-checked'));
        await drawn(page, 'delays');
        assert.equal(
          await page.locator('#delays .subtitle').textContent(),
          'Exponential · full jitter vs Polly jitter',
        );
        await page.waitForURL(/comparedJitter=pollyV2/);
      },
      { viewport: { width: 390, height: 844 } },
    ));

  for (const width of [390, 345, 320]) {
    test(`at ${width} pixels nothing is cut off: cells, labels of figures`, () =>
      withPage(
        async (page) => {
          for (const id of ['delays', 'success', 'landing']) await drawn(page, id);
          assert.equal(await overflow(page), 0);
          const cut = await page.evaluate(() =>
            [...document.querySelectorAll('#delays-body figure')].flatMap((figure) => {
              const card = figure.getBoundingClientRect();
              const texts = [...figure.querySelectorAll('.drawing text')].map((text) => ({
                words: text.textContent ?? '',
                box: text.getBoundingClientRect(),
              }));
              const out = texts
                .filter(({ box }) => box.left < card.left || box.right > card.right)
                .map(({ words }) => `${figure.id}: ${words} leaves the card`);
              const over = texts.flatMap((a, i) =>
                texts
                  .slice(i + 1)
                  .filter(
                    (b) =>
                      a.box.left < b.box.right - 1 &&
                      b.box.left < a.box.right - 1 &&
                      a.box.top < b.box.bottom - 5 &&
                      b.box.top < a.box.bottom - 5,
                  )
                  .map((b) => `${figure.id}: ${a.words} over ${b.words}`),
              );
              return [...out, ...over];
            }),
          );
          assert.deepEqual(cut, []);
          const cells = await page
            .locator('.grid .cell')
            .evaluateAll((all) =>
              all
                .filter((cell) => cell.scrollWidth > cell.clientWidth + 1)
                .map((cell) => cell.getAttribute('aria-label')),
            );
          assert.deepEqual(cells, []);
        },
        {
          viewport: { width, height: 844 },
          query: '?jitter=decorrelatedBounded&comparedJitter=decorrelated&capMs=3000&maxAttempts=8',
        },
      ));
  }

  test('retries land on an axis that starts at zero', () =>
    withPage(
      async (page) => {
        await drawn(page, 'landing');
        const ticks = await page.locator('#landing .axis').first().locator('text:not(.axis-title)').allTextContents();
        assert.equal(ticks[0], '0');
        // The height of a tick is its number: the axis is not a log scale.
        const places = await page
          .locator('#landing .axis')
          .first()
          .locator('text:not(.axis-title)')
          .evaluateAll((all) =>
            all.map((text) => [Number((text.textContent ?? '').replace(',', '')), Number(text.getAttribute('y'))]),
          );
        const [[, zero = NaN] = [], [first = NaN, y1 = NaN] = []] = places;
        for (const [value = NaN, y = NaN] of places)
          assert.ok(Math.abs(zero - y - ((zero - y1) * value) / first) <= 2, places.join(' '));
        if (engine === 'chromium') assert.equal(await overflow(page), 0);
      },
      { viewport: DESKTOP },
    ));
});
