/** The numbers of the figure as a table. `data-ms` holds each number unrounded. */
import { html } from './dom';
import { duration, share } from './format';
import type { PolicySample, WaitSample } from './sampling';

const COLUMNS: readonly (readonly [string, (wait: WaitSample) => number])[] = [
  ['at least', (wait) => wait.lowestMs],
  ['5 %', (wait) => wait.p5Ms],
  ['median', (wait) => wait.p50Ms],
  ['mean', (wait) => wait.meanMs],
  ['95 %', (wait) => wait.p95Ms],
  ['at most', (wait) => wait.highestMs],
];

export function delaysTable({ waits }: PolicySample, caption: string): HTMLTableElement {
  const head = html('tr', {}, html('th', { scope: 'col' }, 'wait'));
  for (const [name] of COLUMNS) head.append(html('th', { scope: 'col' }, name));
  head.append(html('th', { scope: 'col' }, 'at one value'));
  const body = html('tbody');
  for (const wait of waits) {
    const row = html('tr', {}, html('th', { scope: 'row' }, String(wait.k)));
    for (const [name, value] of COLUMNS) {
      const ms = value(wait);
      row.append(html('td', { 'data-column': name, 'data-ms': ms }, duration(ms)));
    }
    const atoms = wait.atoms.map((atom) => `${share(atom.share)} at ${duration(atom.atMs)}`);
    const part = wait.atoms.reduce((sum, atom) => sum + atom.share, 0);
    row.append(html('td', { 'data-column': 'atoms', 'data-share': part }, atoms.join(', ') || 'none'));
    body.append(row);
  }
  return html('table', {}, html('caption', {}, caption), html('thead', {}, head), body);
}
