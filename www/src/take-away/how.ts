/** How the numbers of the page come about: the module, the seed, the formulas, the models. */
import { version } from 'rejitter/package.json';
import { wasmSizes } from 'virtual:wasm-sizes';
import { html } from '../charts/dom';
import type { Store } from '../state/store';
import { capitalised, curveActs, type Backoff, type Jitter } from '../state/strategy';

const FILES: Readonly<Record<string, string>> = {
  'core.wasm': 'decides each wait; inlined in every entry',
  'http.wasm': 'reads Retry-After; in rejitter/fetch',
  'lab.wasm': 'computes the figures; in rejitter/lab',
};

/** A formula in words: italic names, `^{…}` raised. */
const BACKOFF_FORMULAS: Readonly<Record<Backoff, string>> = {
  fixed: '_base_',
  linear: '_base_ · _k_',
  exponential: '_base_ · _factor_^{_k_ − 1}',
  truncated: '_base_ · 2^{min(_k_, _N_) − 1}',
};

const JITTER_FORMULAS: Readonly<Record<Jitter, string>> = {
  none: '_c_',
  full: '_r_ · _c_',
  equal: '_c_ ⁄ 2 + _r_ · _c_ ⁄ 2',
  decorrelated: 'min(_cap_, _base_ + _r_ · (3 · _previous_ − _base_))',
};

const AWS = 'https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/';
const ETHERNET = 'https://doi.org/10.1145/360248.360253';
const METASTABLE = 'https://doi.org/10.1145/3458336.3465286';

export function mountHow(root: HTMLElement, store: Store): void {
  const seed = html('b');
  const backoffs = table('Backoff: the ceiling of wait k', 'c = min(cap, …)', BACKOFF_FORMULAS);
  const jitters = table('Jitter: the wait itself', 'wait', JITTER_FORMULAS);

  root.append(
    html(
      'div',
      { class: 'how' },
      part(
        'The module',
        html('p', {}, `Everything is computed by rejitter ${version}, installed from npm, in a worker of this page.`),
        sizesTable(),
      ),
      part(
        'The formulas',
        html('div', { class: 'how-formulas' }, backoffs.element, jitters.element),
        html('p', {}, ...formula('Wait _k_ follows failed attempt _k_. _r_ is uniform on [0, 1): 53 bits, drawn from seed, operation and attempt. _previous_ is the wait before, at first _base_; so decorrelated jitter has no use for a backoff.')),
      ),
      part(
        'Exact or sampled',
        html('p', {}, 'Exact: the shapes, percentiles and longest cases of single waits, in closed form; of decorrelated jitter numerically, with an error below 10', html('sup', {}, '−6'), '.'),
        html('p', {}, 'Sampled or simulated, with seed ', seed, ': sums of waits, the time until a call succeeds, and everything with a server in it. The same link gives the same numbers in every browser, and in Node.'),
      ),
      part(
        'The models',
        html('p', {}, 'Herd: clients that do not know of each other call a server that is down, then serves so many calls a second and rejects the rest. A rejected call is retried by the policy. With independent arrivals new requests keep coming, whatever became of the old ones; then only a retry budget lets a server recover (', link(METASTABLE, 'Bronson et al., HotOS 2021'), ').'),
        html('p', {}, ...formula('Contention: _N_ clients change one row under optimistic locking, over a network with hops of |Normal(10, 2)| ms, as in '), link(AWS, 'Exponential Backoff And Jitter'), ' (AWS Architecture Blog, 2015), where full, equal and decorrelated jitter come from. Truncated backoff is that of ', link(ETHERNET, 'Ethernet'), ' (Metcalfe and Boggs, 1976).'),
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

/** The formula of each kind; `mark` says which one acts. */
function table<K extends string>(caption: string, result: string, formulas: Readonly<Record<K, string>>): { element: HTMLTableElement; mark(kind: K | undefined): void } {
  const rows = Object.entries<string>(formulas).map(([kind, text]) => ({
    kind,
    row: html('tr', { 'data-jitter': kind in JITTER_FORMULAS ? kind : undefined }, html('th', { scope: 'row' }, capitalised(kind)), html('td', {}, ...formula(text))),
  }));
  const head = html('tr', {}, html('th', { scope: 'col' }, 'Kind'), html('th', { scope: 'col' }, ...formula(result.replace(/\b(c|cap)\b/g, '_$1_'))));
  return {
    element: html('table', {}, html('caption', {}, ...formula(caption.replace(/\bk\b/, '_k_'))), html('thead', {}, head), html('tbody', {}, ...rows.map(({ row }) => row))),
    mark(chosen) {
      for (const { kind, row } of rows) {
        if (kind === chosen) row.setAttribute('aria-current', 'true');
        else row.removeAttribute('aria-current');
      }
    },
  };
}

/** `_name_` in italics and `^{…}` raised. */
function formula(text: string): (Node | string)[] {
  return text.split(/(\^\{[^}]*\}|_\w+_)/).map((piece) => {
    if (piece.startsWith('^')) return html('sup', {}, ...formula(piece.slice(2, -1)));
    return piece.startsWith('_') ? html('var', {}, piece.slice(1, -1)) : piece;
  });
}

function link(address: string, text: string): HTMLAnchorElement {
  return html('a', { href: address }, text);
}
