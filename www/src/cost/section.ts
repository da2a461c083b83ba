/** Which strategy to pick: a verdict over many seeds, and its two costs. */
import { html } from '../charts/dom';
import { mountFigure } from '../charts/figure';
import type { Computer } from '../compute/client';
import { SEEDS } from './compute';
import { cost } from './figure';
import { costData, type CostData } from './data';
import { verdictWords } from './words';
import { follow, settingsOf } from '../shell/follow';
import type { Store } from '../state/store';
import { sameChoice, title } from '../state/strategy';
import './styles.css';

export function mountCost(root: HTMLElement, store: Store, computer: Computer): void {
  const box = mountVerdict(root, store);
  const figure = mountFigure(root, cost);
  const both = {
    onNear: figure.onNear,
    busy(): void {
      box.progress(0);
      figure.busy();
    },
    fail(message: string): void {
      box.fail(message);
      figure.fail(message);
    },
  };
  follow(both, store, computer, 'verdict', settingsOf, (result, _, whole) => {
    if (!whole) return box.progress(result.seeds);
    const data = costData(result);
    box.show(data);
    figure.show(data);
  });
}

/** The recommendation of the numbers, in words. */
function mountVerdict(root: HTMLElement, store: Store) {
  const headline = html('h3', { id: 'verdict-title' });
  const reason = html('p', { class: 'reason' });
  const others = html('ul');
  const scope = html('p', { class: 'note' });
  const use = html('button', { type: 'button' });
  const bar = html('progress', { max: SEEDS, value: 0, 'aria-label': 'Seeds computed' });
  const seeds = html('span');
  const state = html('div', { class: 'run' }, html('span', { class: 'run-state' }, bar, seeds), use);
  const head = html('div', { class: 'verdict-head' }, headline, state);
  const card = html(
    'div',
    { class: 'card verdict', id: 'verdict', role: 'group', 'aria-labelledby': headline.id, 'aria-busy': 'true' },
    head,
    reason,
    others,
    scope,
  );
  root.append(card);
  let picked: CostData['recommendation']['pick'];
  use.hidden = true;
  use.addEventListener('click', () => picked && store.set({ strategy: { ...store.get().strategy, ...picked.choice } }));

  return {
    progress(done: number): void {
      card.setAttribute('aria-busy', 'true');
      bar.hidden = false;
      bar.value = done;
      seeds.textContent = `${done} of ${SEEDS} seeds`;
    },
    show(data: CostData): void {
      const words = verdictWords(data);
      picked = data.recommendation.pick;
      headline.textContent = words.headline;
      reason.textContent = words.reason;
      others.replaceChildren(
        ...words.others.map(({ choice, text }) =>
          html(
            'li',
            { 'data-jitter': choice.jitter },
            html('span', { class: 'dot', 'aria-hidden': 'true' }),
            html('span', {}, text),
          ),
        ),
      );
      scope.textContent = words.scope;
      use.hidden = !picked || sameChoice(picked.choice, data.chosen);
      use.textContent = picked ? `Use ${title(picked.choice)}` : '';
      bar.hidden = true;
      seeds.textContent =
        data.seeds === SEEDS ? '' : `Only ${data.seeds} seeds, because this herd makes too many calls for more.`;
      card.setAttribute('aria-busy', 'false');
    },
    fail(message: string): void {
      bar.hidden = true;
      seeds.textContent = message;
      card.setAttribute('aria-busy', 'false');
    },
  };
}
