/** How the numbers of the page come about: the module, the seed, the formulas, the models. */
import { version } from 'rejitter/package.json';
import { wasmSizes } from 'virtual:wasm-sizes';
import { html } from '../charts/dom';
import type { Store } from '../state/store';
import {
  ALL_BACKOFFS,
  ALL_JITTERS,
  capitalised,
  curveActs,
  curveFormula,
  jitterFormula,
  jitterName,
  type Backoff,
  type Jitter,
} from '../state/strategy';

const FILES: Readonly<Record<string, string>> = {
  'core.wasm': 'decides each wait; inlined in every entry',
  'lab.wasm': 'computes the figures; in rejitter/lab',
};

const AWS = 'https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/';
const ETHERNET = 'https://doi.org/10.1145/360248.360253';
const TAIL = 'https://doi.org/10.1145/2408776.2408794';
const METASTABLE = 'https://doi.org/10.1145/3458336.3465286';

export function mountHow(root: HTMLElement, store: Store): void {
  const seed = html('b');
  const backoffs = table(['Backoff: ', ...typeset('c = min(cap, …)'), ' with'], ALL_BACKOFFS, curve);
  const jitters = table(['Jitter: the wait is'], ALL_JITTERS, draw);

  root.append(
    html(
      'div',
      { class: 'how' },
      part(
        'The formulas',
        html('div', { class: 'how-formulas' }, backoffs.element, jitters.element),
        html(
          'p',
          {},
          'Wait ',
          v('k'),
          ' follows failed attempt ',
          v('k'),
          '. ',
          v('r'),
          ' is a random number from [0,\u00a01), new for each wait: the seed, the operation and the attempt ' +
            'determine it. ',
          v('N'),
          ' is the wait at which truncated backoff stops growing. ',
          v('prev'),
          ' is the previous wait, or ',
          v('base'),
          ' before the first: decorrelated jitter does not use the backoff.',
        ),
      ),
      part(
        'The module',
        html(
          'p',
          {},
          `rejitter ${version}, the package that you install, computes everything in a worker of this page.`,
        ),
        sizesTable(),
      ),
      part(
        'Exact or sampled',
        html(
          'p',
          {},
          'Exact: shapes, percentiles and longest values of single waits, and the tail with a hedge, in closed form. ' +
            'For decorrelated jitter waits are computed numerically, with an error below 10',
          html('sup', {}, '−6'),
          '.',
        ),
        html(
          'p',
          {},
          'Sampled or simulated, with seed ',
          seed,
          ': sums of waits, the time until a call succeeds, and everything that involves a server. The same link ' +
            'gives the same numbers in every browser and in Node.',
        ),
      ),
      part(
        'The models',
        html(
          'p',
          {},
          'Herd: independent clients call a server that is down. When it is back, it serves calls up to its ' +
            'capacity and rejects the rest. A rejected call uses a part of the capacity as well, and the policy ' +
            'retries it. Where new requests keep coming, retries alone can keep a server overloaded for good, and ' +
            'a budget or a breaker lets it recover (',
          link(METASTABLE, 'Bronson et al., HotOS 2021'),
          ').',
        ),
        html(
          'p',
          {},
          'Hedging: if a share ',
          ...typeset('S(t)'),
          ' of the attempts takes longer than ',
          v('t'),
          ', and a hedge starts after ',
          v('d'),
          ', a share ',
          ...typeset('S(t)·S(t − d)'),
          ' of the requests takes longer than ',
          v('t'),
          ', for ',
          ...typeset('S(d)'),
          ' more requests (',
          link(TAIL, 'Dean and Barroso, 2013'),
          '). With servers, each of which works on one attempt after the other, it is simulated.',
        ),
        html(
          'p',
          {},
          'Contention: many clients change one row under optimistic locking, over a network with hops of ' +
            '|Normal(10, 2)|\u00a0ms, as in ',
          link(AWS, 'Exponential Backoff And Jitter'),
          ' (AWS Architecture Blog, 2015). That post introduced full, equal and decorrelated jitter. Truncated ' +
            'backoff comes from ',
          link(ETHERNET, 'Ethernet'),
          ' (Metcalfe and Boggs, 1976).',
        ),
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
  const head = html(
    'tr',
    {},
    html('th', { scope: 'col' }, 'File'),
    html('th', { scope: 'col' }, 'Bytes'),
    html('th', { scope: 'col' }, 'Brotli'),
  );
  const rows = wasmSizes.map(({ file, raw, brotli }) =>
    html(
      'tr',
      {},
      html('th', { scope: 'row' }, html('code', {}, file), html('span', {}, FILES[file])),
      html('td', {}, bytes(raw)),
      html('td', {}, bytes(brotli)),
    ),
  );
  return html('table', { class: 'how-sizes' }, html('thead', {}, head), html('tbody', {}, ...rows));
}

interface Formulas<K> {
  readonly element: HTMLTableElement;
  /** Says which one acts. */
  mark(kind: K | undefined): void;
}

function table<K extends Backoff | Jitter>(
  caption: (Node | string)[],
  kinds: readonly K[],
  cell: (kind: K) => Node[],
): Formulas<K> {
  const jitterOf = (kind: K): Jitter | undefined => ALL_JITTERS.find((jitter) => jitter === kind);
  const nameOf = (kind: K, jitter = jitterOf(kind)): string =>
    jitter ? jitterName({ backoff: 'exponential', jitter }) : kind;
  const rows = kinds.map((kind) => ({
    kind,
    row: html(
      'tr',
      { 'data-jitter': jitterOf(kind) },
      html('th', { scope: 'row' }, capitalised(nameOf(kind))),
      html('td', {}, ...cell(kind)),
    ),
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
  const spaced = text
    .replace(/\s*·\s*/g, '\u2009·\u2009')
    .replace(/\s*−\s*/g, '\u2009−\u2009')
    .replace(/,\s*/g, ',\u2009');
  return spaced
    .split(/([A-Za-z]+)/)
    .map((piece) => (/^[A-Za-z]/.test(piece) && piece !== 'min' ? v(piece) : document.createTextNode(piece)));
}

function v(name: string): HTMLElement {
  return html('var', {}, name);
}

function link(address: string, text: string): HTMLAnchorElement {
  return html('a', { href: address }, text);
}
