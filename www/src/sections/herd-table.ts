/** The herd table with what can be pressed on it: its column heads sort, its rows choose the strategy. */
import { html, onWidth } from '../charts/dom';
import { mountFigure } from '../charts/figure';
import type { Figure } from '../charts/spec';
import type { HerdResult } from '../compute/herd';
import { herd, nameOf, rowInWords } from '../figures/herd';
import { layoutOf, orderOf, runOf, type HerdLayout, type Sort, type SortKey } from '../figures/herd-layout';
import type { Store } from '../state/store';
import { sameChoice, type Choice } from '../state/strategy';

const SPOKEN: Record<SortKey, string> = {
  strategy: 'strategy',
  served: 'served clients',
  gaveUp: 'clients that gave up',
  peakPerS: 'peak after recovery',
  timeTo99Ms: 'time until 99% are served',
  rejectedShare: 'rejected calls',
};

export function mountHerdTable(root: Element, store: Store): Figure<HerdResult> {
  // Transparent, over the drawing: a picture has nothing that can be pressed.
  const heads = html('div', { role: 'group', 'aria-label': 'Sort' });
  const rows = html('div', { role: 'radiogroup', 'aria-label': 'Strategy' });
  const figure = mountFigure(root, herd, html('div', { class: 'spots' }, heads, rows));
  const drawing = figure.card.querySelector('.drawing');
  let result: HerdResult | undefined;
  let sort: Sort = { key: 'strategy', descending: false };
  let width = 0;

  const choose = (choice: Choice): void => store.set({ strategy: { ...store.get().strategy, ...choice } });

  function place(): void {
    if (!result || width === 0) return;
    const order = orderOf(result.runs, sort);
    const layout = layoutOf(width, order, sort.key === 'strategy');
    placeHeads(layout);
    placeRows(layout, order);
  }

  function placeHeads({ columns }: HerdLayout): void {
    const had = [...heads.children].indexOf(document.activeElement as Element);
    heads.replaceChildren(
      ...columns.map(({ key, from, to, y }) => {
        const isSorted = key === sort.key;
        const direction = isSorted ? (sort.descending ? ', descending' : ', ascending') : '';
        const spot = html('button', {
          type: 'button',
          class: 'spot',
          'aria-pressed': String(isSorted),
          'aria-label': `Sort by ${SPOKEN[key]}${direction}`,
        });
        Object.assign(spot.style, { left: `${from}px`, width: `${to - from}px`, top: `${y - 16}px`, height: '24px' });
        spot.addEventListener('click', () => {
          sort = { key, descending: isSorted && !sort.descending };
          show();
        });
        return spot;
      }),
    );
    (heads.children[had] as HTMLElement | undefined)?.focus();
  }

  function placeRows({ rows: places, rowHeight }: HerdLayout, order: readonly Choice[]): void {
    const { strategy } = store.get();
    const had = rows.contains(document.activeElement);
    rows.replaceChildren(
      ...places.map(({ choice, y }, i) => {
        const isChosen = sameChoice(choice, strategy);
        const run = result && runOf(result.runs, choice);
        const spot = html('button', {
          type: 'button',
          class: 'spot',
          role: 'radio',
          'aria-checked': String(isChosen),
          'aria-label': result && run ? rowInWords(run, result) : nameOf(choice),
          tabindex: isChosen ? 0 : -1,
        });
        Object.assign(spot.style, { left: '-6px', right: '-6px', top: `${y - 2}px`, height: `${rowHeight + 4}px` });
        spot.addEventListener('click', () => choose(choice));
        spot.addEventListener('keydown', (event) => {
          const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
          if (step === undefined) return;
          event.preventDefault();
          const next = order.at((i + step) % order.length);
          if (next) choose(next);
        });
        if (isChosen && had) queueMicrotask(() => spot.focus());
        return spot;
      }),
    );
  }

  function show(): void {
    if (result) figure.show({ result, sort });
    place();
  }

  if (drawing)
    onWidth(drawing, (now) => {
      width = now;
      place();
    });
  // Not waiting for the numbers: the focus goes where the arrow key sent it.
  store.subscribe(place);

  return {
    ...figure,
    show(next) {
      result = next;
      show();
    },
  };
}
