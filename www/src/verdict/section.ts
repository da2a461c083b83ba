/** Which strategy to pick: a verdict over many seeds. */
import { html } from '../charts/dom';
import { onNear } from '../charts/near';
import type { Computer } from '../compute/client';
import { outageInput } from '../compute/outage';
import { follow } from '../shell/follow';
import type { Store } from '../state/store';
import { title, withChoice, type Choice } from '../state/strategy';
import { SEEDS } from './compute';
import { verdictWords } from './words';
import './styles.css';

export function mountVerdict(root: HTMLElement, store: Store, computer: Computer): void {
  const headline = html('h3', { id: 'verdict-title' }, 'Computing …');
  const reason = html('p', { class: 'reason' });
  const others = html('ul');
  const scope = html('p', { class: 'note' });
  const use = html('button', { type: 'button' });
  const bar = html('progress', { max: SEEDS, value: 0, 'aria-label': 'Seeds computed' });
  const seeds = html('span');
  const run = html('div', { class: 'run' }, html('span', { class: 'run-state' }, bar, seeds), use);
  const card = html(
    'div',
    { class: 'card verdict', id: 'verdict', role: 'group', 'aria-labelledby': headline.id, 'aria-busy': 'true' },
    html('div', { class: 'verdict-head' }, headline, run),
    reason,
    others,
    scope,
  );
  root.append(card);
  let picked: Choice | undefined;
  use.hidden = true;
  use.addEventListener('click', () => picked && store.set({ strategy: withChoice(store.get().strategy, picked) }));

  function progress(done: number): void {
    card.setAttribute('aria-busy', 'true');
    bar.hidden = false;
    bar.value = done;
    seeds.textContent = `${done} of ${SEEDS} seeds`;
  }
  const figure = {
    onNear: (changed: (near: boolean) => void): void => onNear(card, changed),
    busy: (): void => progress(0),
    fail(message: string): void {
      bar.hidden = true;
      seeds.textContent = message;
      card.setAttribute('aria-busy', 'false');
    },
  };
  follow(figure, store, computer, 'verdict', outageInput, (result, _, whole) => {
    if (!whole) return progress(result.seeds);
    const words = verdictWords(result);
    picked = words.use;
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
    use.hidden = !picked;
    use.textContent = picked ? `Use ${title(picked)}` : '';
    bar.hidden = true;
    seeds.textContent =
      result.seeds === SEEDS ? '' : `Only ${result.seeds} seeds, because these clients make too many calls for more.`;
    card.setAttribute('aria-busy', 'false');
  });
}
