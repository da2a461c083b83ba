/** How the numbers of the page come about: the module, the seed, the formulas, the models. */
import { version } from 'rejitter/package.json';
import { wasmSizes } from 'virtual:wasm-sizes';
import { html } from '../charts/dom';
import type { Store } from '../state/store';
import { BACKOFFS, JITTERS, capitalised, curveActs, curveFormula, jitterFormula, type Backoff, type Jitter } from '../state/strategy';

const FILES: Readonly<Record<string, string>> = {
  'core.wasm': 'decides each wait; inlined in every entry',
  'lab.wasm': 'computes the figures; in rejitter/lab',
};

const AWS = 'https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/';
const ETHERNET = 'https://doi.org/10.1145/360248.360253';
const METASTABLE = 'https://doi.org/10.1145/3458336.3465286';

export function mountHow(root: HTMLElement, store: Store): void {
  const seed = html('b');
  const backoffs = table(['Backoff: ', ...typeset('c = min(cap, …)'), ' with'], BACKOFFS, curve);
  const jitters = table(['Jitter: the wait is'], JITTERS, draw);

  root.append(
    html(
      'div',
      { class: 'how' },
      part(
        'The formulas',
        html('div', { class: 'how-formulas' }, backoffs.element, jitters.element),
        html('p', {}, 'Wait ', v('k'), ' follows failed attempt ', v('k'), '. ', v('r'), ' is uniform on [0,\u00a01), drawn anew from seed, operation and attempt. ', v('N'), ' is where truncation begins. ', v('prev'), ' is the wait before, at first ', v('base'), ': decorrelated jitter has no use for a backoff.'),
      ),
      part(
        'The module',
        html('p', {}, `Everything is computed by rejitter ${version}, the package that you install, in workers of this page.`),
        sizesTable(),
      ),
      part(
        'Exact or sampled',
        html('p', {}, 'Exact: the shapes, percentiles and longest cases of single waits, in closed form; of decorrelated jitter numerically, with an error below 10', html('sup', {}, '−6'), '.'),
        html('p', {}, 'Sampled or simulated, with seed ', seed, ': sums of waits, the time until a call succeeds, and everything with a server in it. The same link gives the same numbers in every browser, and in Node.'),
      ),
      part(
        'The models',
        html('p', {}, 'Herd: clients that do not know of each other call a server that is down, then serves so many calls a second and rejects the rest. A rejected call is retried by the policy. If new requests keep coming, whatever became of the old ones, only a retry budget lets a server recover (', link(METASTABLE, 'Bronson et al., HotOS 2021'), ').'),
        html('p', {}, 'Contention: many clients change one row under optimistic locking, over a network with hops of |Normal(10, 2)|\u00a0ms, as in ', link(AWS, 'Exponential Backoff And Jitter'), ' (AWS Architecture Blog, 2015), where full, equal and decorrelated jitter come from. Truncated backoff is that of ', link(ETHERNET, 'Ethernet'), ' (Metcalfe and Boggs, 1976).'),
      ),
    ),
  );

  store.subscribe((state) => {
    seed.textContent = String(state.seed);
    backoffs.mark(curveActs(state.strategy) ? state.strategy.backoff : undefined);
    jitters.mark(state.strategy.jitter);
  });
}

function part(heading: string, ...children: (Node | string)[]): HTMLElement {
  return html('div', { class: 'card' }, html('h3', {}, heading), ...children);
}

function sizesTable(): HTMLTableElement {
  const bytes = (n: number) => `${n.toLocaleString('en-US')}\u00a0B`;
  const head = html('tr', {}, html('th', { scope: 'col' }, 'File'), html('th', { scope: 'col' }, 'Bytes'), html('th', { scope: 'col' }, 'Brotli'));
  const rows = wasmSizes.map(({ file, raw, brotli }) =>
    html('tr', {}, html('th', { scope: 'row' }, html('code', {}, file), html('span', {}, FILES[file])), html('td', {}, bytes(raw)), html('td', {}, bytes(brotli))),
  );
  return html('table', { class: 'how-sizes' }, html('thead', {}, head), html('tbody', {}, ...rows));
}

interface Formulas<K> {
  readonly element: HTMLTableElement;
  /** Says which one acts. */
  mark(kind: K | undefined): void;
}

function table<K extends Backoff | Jitter>(caption: (Node | string)[], kinds: readonly K[], cell: (kind: K) => Node[]): Formulas<K> {
  const hue = (kind: K) => JITTERS.find((jitter) => jitter === kind);
  const rows = kinds.map((kind) => ({
    kind,
    row: html('tr', { 'data-jitter': hue(kind) }, html('th', { scope: 'row' }, capitalised(kind)), html('td', {}, ...cell(kind))),
  }));
  return {
    element: html('table', {}, html('caption', {}, ...caption), html('tbody', {}, ...rows.map(({ row }) => row))),
    mark(chosen) {
      for (const { kind, row } of rows) {
        if (kind === chosen) row.setAttribute('aria-current', 'true');
        else row.removeAttribute('aria-current');
      }
    },
  };
}

function curve(backoff: Backoff): Node[] {
  const { base, exponent } = curveFormula(backoff);
  return [...typeset(base), ...(exponent === undefined ? [] : [html('sup', {}, ...typeset(exponent))])];
}

function draw(jitter: Jitter): Node[] {
  const drawn = jitterFormula(jitter);
  return typeset(curveActs({ backoff: 'exponential', jitter }) ? drawn : `min(cap, ${drawn})`);
}

/** Names in italics, functions upright, thin spaces around what binds and wider ones around sums. */
function typeset(text: string): Node[] {
  const spaced = text.replace(/\s*·\s*/g, '\u2009·\u2009').replace(/\s*−\s*/g, '\u2009−\u2009').replace(/,\s*/g, ',\u2009');
  return spaced.split(/([A-Za-z]+)/).map((piece) => (/^[A-Za-z]/.test(piece) && piece !== 'min' ? v(piece) : document.createTextNode(piece)));
}

function v(name: string): HTMLElement {
  return html('var', {}, name);
}

function link(address: string, text: string): HTMLAnchorElement {
  return html('a', { href: address }, text);
}
