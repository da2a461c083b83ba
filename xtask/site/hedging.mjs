// The picture of "When hedging kills": servers that also do the work of hedges, from nearly idle to nearly full.
// Computed when the site is built, by the package that the page has installed.

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const UTILISATIONS = Array.from({ length: 16 }, (_, i) => (20 + 5 * i) / 100);
const SERIES = [
  { name: 'no hedge', dash: '2 4' },
  { name: 'maxRatio 0.1', maxRatio: 0.1, hue: 'accent' },
  { name: 'no limit', maxRatio: Infinity, dash: '6 4' },
];
const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [720, 330, 60, 110, 54, 44];

/** The 99th percentile with each kind of hedges; undefined where requests and hedges need more than the servers have. */
function points({ simulateHedging }) {
  return SERIES.map(({ maxRatio }) =>
    UTILISATIONS.map((utilisation) => {
      const simulation = simulateHedging({
        requests: 100_000,
        service: { meanMs: 10, slowShare: 0 },
        ...(maxRatio !== undefined && { hedge: { delayMs: 50, maxRatio } }),
        load: { servers: 10, utilisation },
        seed: 42,
      });
      simulation.step();
      const { p99Ms, totals } = simulation.result();
      simulation.free();
      return utilisation * (1 + totals.hedges / totals.requests) < 1 ? p99Ms : undefined;
    }),
  );
}

/** Text and lines in the colours of the page around it. */
export async function picture() {
  const lab = createRequire(new URL('../../www/package.json', import.meta.url)).resolve('rejitter/lab');
  const all = points(await import(pathToFileURL(lab)));
  const times = all.flat().filter((ms) => ms !== undefined);
  const [least, most] = [Math.min(...times) / 1.2, Math.max(...times) * 1.2];
  const x = (share) => LEFT + ((share - 0.2) / 0.75) * (WIDTH - LEFT - RIGHT);
  const y = (ms) => HEIGHT - BOTTOM - (Math.log(ms / least) / Math.log(most / least)) * (HEIGHT - TOP - BOTTOM);
  const text = (at, top, words, more = '') =>
    `<text x="${at.toFixed(1)}" y="${top.toFixed(1)}" fill="var(--muted)" ${more}>${words}</text>`;
  const rows = [20, 38];
  const grid = [20, 50, 100, 200, 500, 1000].filter((ms) => ms > least && ms < most);
  const lines = SERIES.map(({ name, dash, hue = 'text' }, i) => {
    const own = all[i].flatMap((ms, k) => (ms === undefined ? [] : [[x(UTILISATIONS[k]), y(ms)]]));
    const over = all[i].flatMap((ms, k) => (ms === undefined ? [x(UTILISATIONS[k])] : []));
    const [endX, endY] = own.at(-1);
    const path = own.map(([px, py]) => `${px.toFixed(1)},${py.toFixed(1)}`).join(' ');
    return `<polyline points="${path}" fill="none" stroke="var(--${hue})" stroke-width="2" ${dash ? `stroke-dasharray="${dash}"` : ''}/>
      ${text(endX + 8, endY + 4 + (i === 1 ? 14 : 0), name, `style="fill: var(--${hue}); font-weight: 600"`)}
      ${over.length > 0 ? text(over[0] - 10, rows[i - 1] + 4, `overloaded, ${name}`, 'text-anchor="end"') : ''}
      ${over.map((at) => `<circle cx="${at.toFixed(1)}" cy="${rows[i - 1]}" r="4" fill="var(--failed)"/>`).join('')}`;
  });
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${caption(all)}" style="width: 100%; font-size: 12px">
    ${grid.map((ms) => `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(ms)}" y2="${y(ms)}" stroke="var(--line)"/>${text(LEFT - 8, y(ms) + 4, ms < 1000 ? `${ms} ms` : '1 s', 'text-anchor="end"')}`).join('')}
    ${[0.2, 0.4, 0.6, 0.8].map((share) => text(x(share), HEIGHT - 24, `${100 * share}%`, 'text-anchor="middle"')).join('')}
    ${text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, 'utilisation of the servers without hedges', 'text-anchor="middle"')}
    ${text(0, TOP - 4, '99% take less than (log scale)')}
    ${lines.join('\n')}
  </svg>`;
}

/** The picture in words: up to which utilisation hedges pay, and from where on they overload the servers. */
function caption([none, limited, unlimited]) {
  const percent = (k) => `${Math.round(100 * UTILISATIONS[k])}%`;
  const worse = limited.findIndex((ms, k) => ms === undefined || ms >= none[k]);
  const over = (series) => (series.includes(undefined) ? `from ${percent(series.indexOf(undefined))} on` : 'nowhere');
  return (
    `Hedges with maxRatio 0.1 shorten the slowest percent below ${percent(worse)} utilisation. They overload the servers ` +
    `${over(limited)}, without the limit ${over(unlimited)}.`
  );
}
