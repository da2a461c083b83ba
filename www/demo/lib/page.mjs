/** Actions of the page's tests. */
import assert from 'node:assert/strict';
import { keepNextFile, keptFile, onEdge } from './in-page.mjs';
import { until } from '../../../tests/package/lib/until.mjs';

/** The pages, by their paths. */
export const PAGES = ['', 'protection/'];
/** The strategy that the sections below the scene are tested with. */
export const ADVICE = '?backoff=exponential&jitter=full';
/** A link to few clients: everything is drawn as ever, and computed in half the time. */
export const SMALL = `${ADVICE}&clients=100&downMs=1000&maxAttempts=4&capacityPerS=60`;
/** The page's own, in both schemes. */
export const COLOURS = { light: 'rgb(246, 247, 249)', dark: 'rgb(11, 14, 19)' };
/** The text spacing of WCAG 1.4.12 stands for the wider fonts of other systems. */
const WIDER_TEXT = '* { letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }';
/** Widths of phones and of what a classic scrollbar leaves of them. */
const NARROW_WIDTHS = [390, 375, 361, 345, 320, 305];

/** The sections of figures that are loaded when they come near. */
const SECTIONS = { waits: 'delays-body', contention: 'aws-body', 'live-run': 'live-body' };

/** Waits until a figure shows what the controls say, for the width that it has. */
export const drawn = (page, id) =>
  until(`#${id} is drawn`, () => page.evaluate(isDrawn, { id, section: SECTIONS[id] ?? id }));

/** Brings a figure into view until it has at least this number of marks. */
export const has = (page, id, marks, least) =>
  until(`#${id} has ${least} ${marks}`, async () => {
    await drawn(page, id);
    return (await count(page, `#${id}${marks}`)) >= least;
  });

/** The number of elements. */
export const count = (page, selector) => page.evaluate((css) => document.querySelectorAll(css).length, selector);

/** Brings a figure into view and returns whether it is drawn. Runs in the page. */
async function isDrawn({ id, section }) {
  const element = document.getElementById(id) ?? document.getElementById(section);
  if (!element) throw new Error(`neither #${id} nor #${section} is in the page`);
  const { top, bottom } = element.getBoundingClientRect();
  if (top < 0 || bottom > innerHeight) element.scrollIntoView({ block: 'center', behavior: 'instant' });
  // The page's own observers are older, so they are called before this one: then the page knows the figure's size and
  // whether it is near, and has ordered what is outdated.
  await new Promise((resolve) => {
    const observer = new IntersectionObserver(() => {
      observer.disconnect();
      resolve(undefined);
    });
    observer.observe(element);
  });
  const now = element.getBoundingClientRect();
  const drawing = element.querySelector('.drawing');
  const width = drawing?.querySelector(':scope > svg')?.getAttribute('width');
  // Not clientWidth: it rounds up too, and the page rounds down.
  const place = Math.floor(drawing?.getBoundingClientRect().width ?? 0);
  const isOutdated = place > 0 && width != null && width !== `${place}`;
  const isReady = element.id === id && element.getAttribute('aria-busy') === 'false';
  return isReady && now.bottom > 0 && now.top < innerHeight && !isOutdated;
}

/** Brings a section into view and returns whether the page has replaced what the build drew. Runs in the page. */
function isLoaded(id) {
  const section = document.getElementById(id);
  const { top, bottom } = section.getBoundingClientRect();
  if (top < 0 || bottom > innerHeight) section.scrollIntoView({ block: 'center', behavior: 'instant' });
  return section.querySelector(':scope > *') !== null;
}

/** Brings a section into view until the page has loaded it. */
export const loaded = (page, id) => until(`#${id} is loaded`, () => page.evaluate(isLoaded, id));

/** The colour of the page. */
export const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

/** The text of an element. */
export const text = async (page, selector) => (await page.textContent(selector)) ?? '';

/** Waits until a text matches. */
export const says = (page, selector, words) =>
  until(`${selector} says ${words}`, async () => words.test(await text(page, selector)));

/** Waits until the scene shows what its words say, and returns its headline. */
export async function sceneSays(page) {
  await until('the scene', () => count(page, '#scene-body:not([data-playing]) .scene[aria-busy=false]'));
  return text(page, '[data-scene=headline]');
}

/** Waits for the scene's headline. */
export const headlineIs = (page, headline) => until(headline, async () => (await sceneSays(page)).startsWith(headline));

/** A word of the scene's sentence. */
export const word = (page, name) => page.getByRole('radio', { name, exact: true });

/** The program of the code section, once it is known which strategy is handed out. */
export async function codeOf(page) {
  await loaded(page, 'code-body');
  await until('the code', () => count(page, '.code-card[aria-busy=false]'));
  return text(page, '#code-body code');
}

/** Waits for the end of live calls, and until it is drawn: a figure that is far away is not. */
export async function runEnded(page) {
  await until('the end of the run', () => count(page, '#live-run[data-sent]'));
  await drawn(page, 'live-run');
}

/** Presses "Send" and returns the sentence at the end. */
export async function send(page) {
  await drawn(page, 'live-run');
  await page.click('#live-start');
  await runEnded(page);
  return text(page, '#live-sentence');
}

/** The ids of elements. */
const idsOf = (page, selector) =>
  page.evaluate((css) => [...document.querySelectorAll(css)].map(({ id }) => id), selector);

/** Scrolls through the page, so that everything is drawn. Returns the figures. */
export async function drawAll(page) {
  for (const id of await idsOf(page, 'main [id$="-body"]')) await loaded(page, id);
  const ids = await idsOf(page, 'figure.card');
  for (const id of ids) await drawn(page, id);
  await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
  return ids;
}

/**
 * How far the page can be scrolled sideways, once it is painted: until then WebKitGTK reports the width of what was
 * shown before.
 */
export const overflow = (page) =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    return document.documentElement.scrollWidth - document.documentElement.clientWidth;
  });

/**
 * Nothing scrolls sideways at the widths of phones, nor with wider fonts; with `wrong` it does: the check can fail.
 * @param {(px: number, css: string) => Promise<unknown>} narrow to this width
 */
export async function neverSideways(page, narrow, wrong) {
  for (const css of ['.top { letter-spacing: 0.04em; }', WIDER_TEXT, wrong]) {
    await page.evaluate((content) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(content);
      document.adoptedStyleSheets.push(sheet);
    }, css);
    await drawAll(page);
    for (const width of NARROW_WIDTHS) {
      await narrow(width, css);
      assert.equal((await overflow(page)) > 0, css === wrong, `${width} pixels: ${css}`);
    }
  }
}

/** Saves a figure as a picture, which must be whole and not empty, and returns the colours at its edge. */
export async function picture(page, id) {
  await drawn(page, id);
  await page.evaluate(keepNextFile);
  await page.click(`#${id} [aria-label^="PNG of"]`);
  const { name, base64 } = await until('a picture', () => page.evaluate(keptFile));
  const shown = await page.evaluate(
    (css) => document.querySelector(css)?.getAttribute('width'),
    `#${id} .drawing > svg`,
  );
  const width = Buffer.from(base64, 'base64').readUInt32BE(16);
  const { colours, edge } = await page.evaluate(onEdge, { base64, edge: 10 });
  assert.deepEqual([name, width], [`rejitter-${id}.png`, 2 * (Number(shown) + 48)]);
  assert.ok(colours > 10, `${id}: an empty picture`);
  return edge;
}
