/**
 * The built pages in real browsers: the scene by mouse, keyboard and address, the grid, the steps, the links between
 * the pages, pictures, and what the pages may weigh.
 */
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { DESKTOP, DIST, NIGHT, PHONE, inEachEngine } from './lib/built-page.mjs';
import {
  ADVICE,
  COLOURS,
  PAGES,
  background,
  codeOf,
  drawAll,
  drawn,
  headlineIs,
  picture,
  says,
  text,
  word,
} from './lib/page.mjs';
import { CONTENT_SECURITY_POLICY } from './page-policy.mjs';

/** Limits of the first page: words, stops of the Tab key, screens. */
const MOST = { words: 1200, stops: 40, desktop: 4.5, phone: 7 };
/** Bytes of all scripts, styles and fonts of both pages, compressed. */
const MOST_BYTES = 220_000;
/** Each frame that is drawn takes half as long. */
const LITTLE = { width: 900, height: 600 };
const EQUAL = '?backoff=exponential&jitter=equal';
const PARTS = `${ADVICE}&protection=cooldown,hedge`;

/**
 * Notes in each frame the place of the playhead, and whether the sentence is there. For the page, no frame is more than
 * 33 ms after the one before, however late it is: a busy machine skips nothing. Runs in the page.
 */
function watch() {
  const noted = [];
  Object.assign(globalThis, { noted });
  const inFrame = requestAnimationFrame.bind(globalThis);
  let now = performance.now();
  globalThis.requestAnimationFrame = (step) => inFrame(() => step((now = Math.min(now + 33, performance.now()))));
  const look = () => {
    const head = document.querySelector('.scene-moment');
    const why = document.querySelector('.scene-why');
    if (head && why) noted.push([head.valueAsNumber, getComputedStyle(why).visibility === 'visible']);
    inFrame(look);
  };
  inFrame(look);
}
const seen = (page) => page.evaluate(() => globalThis.noted.splice(0));

inEachEngine(({ pageTest }) => {
  pageTest('the scene by mouse: each word is a control, and its answer stands at once', {}, async (page) => {
    await headlineIs(page, '0 of 1,000 served');
    for (const [name, served] of [
      ['after 1 s', '446 of 1,000 served'],
      ['at random times', '1,000 of 1,000 served'],
      ['after doubling waits', '1,000 of 1,000 served'],
      ['6 attempts', '88 of 1,000 served'],
    ]) {
      await word(page, `${name}`).click();
      await headlineIs(page, `${served}`);
    }
    await page.getByRole('button', { name: 'Try 10 attempts' }).click();
    await headlineIs(page, '99');
    // Two million events: known from the build.
    for (const name of ['never', 'in step', 'at once']) await word(page, name).click();
    await headlineIs(page, '0 of');
    // What changes nothing says why.
    await word(page, 'at random times').click();
    await says(page, '[data-scene=why]', /There is no wait to draw/);
  });

  pageTest('the scene by keyboard, and that it does not move by itself', { init: watch }, async (page) => {
    await page.locator('.words input:checked').first().focus();
    await page.keyboard.press('ArrowRight');
    await headlineIs(page, '446 of 1,000 served');
    const next = page.locator('[data-scene=next]');
    await next.focus();
    for (const [served, step] of [
      ['60 of 1,000 served', '3 of 4'],
      ['1,000 of 1,000 served', '4 of 4'],
    ]) {
      const { href } = new URL(`${await next.getAttribute('href')}`, page.url());
      await page.keyboard.press('Enter');
      await headlineIs(page, `${served}`);
      assert.equal(await text(page, '[data-scene=step]'), step);
      await page.waitForURL(href);
    }
    assert.ok((await seen(page)).every(([place, said]) => place === 400 && said));
    assert.match(page.url(), /\?backoff=exponential&jitter=full&maxAttempts=Infinity$/);
    await page.reload();
    await headlineIs(page, '1,000 of 1,000 served');
    await page.locator('[data-scene=back]').click();
    await headlineIs(page, '60 of 1,000 served');
    const moment = page.getByRole('slider', { name: 'Moment' });
    await moment.focus();
    await page.keyboard.press('Home');
    assert.match(await text(page, 'output'), /^0.ms: down/);
    await page.keyboard.press('ArrowRight');
    assert.match(`${await moment.getAttribute('aria-valuetext')}`, /^100.ms: down, rejects/);
  });

  pageTest(
    'the scene plays once, and each step, and says why in time; at night',
    { ...NIGHT, viewport: LITTLE, init: watch },
    async (page) => {
      await headlineIs(page, '0 of 1,000 served');
      assert.equal(await background(page), COLOURS.dark, 'dark is what the system says');
      const load = await seen(page);
      const places = new Set(load.map(([place]) => place));
      assert.ok(places.size > 20, `${places.size} places`);
      const [first] = load.find(([place, said]) => said && place < 399) ?? [NaN];
      assert.ok(first > 40 && first < 200, `the sentence comes at ${first} of 400`);
      assert.ok(load.some(([place, said]) => place < first && !said));
      // Once: it stands still, and a word's answer stands at once.
      await word(page, 'after 1 s').click();
      await headlineIs(page, '446 of 1,000 served');
      assert.ok((await seen(page)).slice(5).every(([place]) => place === 400 || place === load.at(-1)?.[0]));
      await page.locator('[data-scene=next]').click();
      await page.locator('#scene-body[data-playing]').waitFor();
      await says(page, '[data-scene=headline]', /^60 of 1,000 served/);
    },
  );

  pageTest('the grid chooses; scene, outline, code and link follow', { query: `${ADVICE}&vs=ky` }, async (page) => {
    await drawn(page, 'waits');
    await page.locator('.cell[data-backoff=fixed][data-jitter=equal]').click();
    for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowRight');
    await page.locator('.cell [aria-label^="Linear · full jitter: 121 of 1,000 served"]:checked').waitFor();
    await headlineIs(page, '0 → 121 of 1,000 served');
    await says(page, '#waits .subtitle', /^\s*Linear · full jitter .* outline: ky 2\.1\.0$/);
    assert.equal(await page.locator('#waits .old').count(), 2);
    await page.waitForURL(/\?backoff=linear&jitter=full&vs=ky$/);
    assert.match(await text(page, '.scene-sentence'), /after waits that grow by 100.ms/);
    await page.locator('.cell[data-backoff=exponential][data-jitter=equal]').click();
    await page.waitForURL(/\?backoff=exponential&jitter=equal&vs=ky$/);
    await page.reload();
    await headlineIs(page, '0 → 1,000 of 1,000 served');
    const code = await codeOf(page);
    assert.match(code, /backoff: 'exponential',\n {2}jitter: 'equal'/);
    assert.doesNotMatch(code, /rejitter\/protection/, 'parts that nobody has chosen');
    await page.selectOption('#code', 'grpc');
    await says(page, '#code-body .said', /^Service config of a client\. What is lost:.*gRPC/);
    // Drawn from a data: address, saved from a blob: one.
    await picture(page, 'waits');
  });

  pageTest('protection: steps, switches, figures, code and link', { query: 'protection/' }, async (page, { url }) => {
    await drawn(page, 'load');
    const why = '#protection-body .scene-why';
    const next = page.locator('#protection-body .button.primary');
    for (const [name, words] of [
      ['none', /half idle pauses once, and 6,\d+ fail of 7,200/],
      ['single', /^Without retries \d+ fail/],
      ['breaker', /^With a breaker \d+ fail/],
      ['single', /^5% of the answers/],
      ['budget', /with a budget \d+ fail/],
      ['budget', /a budget has nothing left/],
    ]) {
      await says(page, why, words);
      assert.equal(await page.getAttribute('#load .row.chosen', 'data-row'), name);
      if (await next.isVisible()) await next.click();
    }
    await page.waitForURL(/\?failing=0\.4&protection=budget$/);
    await page.reload();
    await says(page, why, /a budget has nothing left/);
    await page.goto(`${url}protection/`);
    await drawAll(page);
    for (const [part, figure, words] of [
      ['budget', 'recovery', /^Retries with a budget: /],
      ['breaker', 'recovery', /^Both: /],
      ['cooldown', 'rate-limit', / 94 fail with a shared cooldown, and none fails with a limiter\.$/],
      ['limiter', 'rate-limit', / none fails with a limiter\.$/],
      ['hedge', 'tail', /^A hedge after 60.ms sends 9\.7% more requests/],
    ]) {
      await drawn(page, figure);
      await page.getByRole('switch', { name: part }).click();
      assert.ok(await page.getByRole('switch', { name: part }).isChecked());
      await says(page, `#${figure} .finding`, words);
    }
    const code = await codeOf(page);
    const limiter = /limiter\(\{ limit: 100, perMs: 10_000 \}\)/;
    assert.match(code, new RegExp(`protect\\(budget\\(\\), breaker\\(\\), cooldown\\(\\), ${limiter.source}, hedge`));
    await page.waitForURL(/protection=budget%2Cbreaker%2Ccooldown%2Climiter%2Chedge$/);
    await page.reload();
    await drawAll(page);
    assert.equal(await codeOf(page), code);
  });
});

inEachEngine(
  ({ pageTest }) => {
    pageTest('pages keep settings, and #delays leads to the distributions', { query: EQUAL }, async (page) => {
      await page.getByRole('link', { name: 'Protection', exact: true }).first().click();
      await page.waitForURL(/\/protection\/\?backoff=exponential&jitter=equal$/);
      await page.getByRole('link', { name: 'Delays' }).click();
      await page.waitForURL(/\/\?backoff=exponential&jitter=equal#delays$/);
      await drawn(page, 'waits');
      assert.match(await text(page, '#waits .subtitle'), /^Exponential · equal jitter/);
      const licences = await page.getByRole('link', { name: /^Licences of the packages/ }).getAttribute('href');
      assert.equal((await page.request.get(new URL(`${licences}`, page.url()).href)).status(), 200);
    });

    pageTest('where the simulations do not load, each figure says so', {}, async (page, { url, errors }) => {
      await page.route('**/*.wasm', (route) => route.abort());
      await page.goto(`${url}${ADVICE}`);
      await says(page, '#waits .error', /^The simulations did not load \(TypeError.*\)\. Reload the page\.$/);
      errors.splice(0);
    });

    pageTest('pictures stand alone', { query: `protection/${PARTS}` }, async (page) => {
      for (const id of await drawAll(page))
        assert.equal(await picture(page, id), 1, `${id}: something is cut at its edge`);
    });

    pageTest('the first page is short, and the distributions start in its first view', {}, async (page) => {
      const bottomOf = (selector) => page.$eval(selector, (one) => one.getBoundingClientRect().bottom + scrollY);
      assert.ok((await bottomOf('#delays-heading')) <= DESKTOP.height);
      const files = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
      assert.equal(new Set(files.filter((name) => name.endsWith('.woff2'))).size, 1, files.join());
      await drawAll(page);
      const words = (await page.locator('main').innerText()).match(/\p{L}[\p{L}’'-]*/gu)?.length ?? Infinity;
      assert.ok(words <= MOST.words, `${words} words`);
      const all = page.locator('main :is(a[href], button, input, select, textarea, summary, [tabindex])');
      const stops = await all.evaluateAll((/** */ found) => {
        const isSeen = (one) => one.checkVisibility({ visibilityProperty: true });
        const reached = found.filter((one) => one.tabIndex >= 0 && isSeen(one) && !one.disabled);
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

test('before any script a page says what is missing, and the first one has its scene in words', async () => {
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
