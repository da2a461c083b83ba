/** Which strategy to pick: a verdict over many seeds. */
import { place } from '../charts/dom';
import { follow } from '../compute/client';
import { outageInput } from '../compute/outage';
import { store } from '../state/store';
import { title, withChoice, type Choice } from '../state/strategy';
import { SEEDS } from './compute';
import { verdictWords } from './words';
import './styles.css';

export function mountVerdict(root: HTMLElement): void {
  type Parts = Record<'card' | 'headline' | 'seeds' | 'use' | 'reason' | 'scope', HTMLElement>;
  const { card, headline, seeds, use, reason, scope } = place<Parts>(
    root,
    `<div class="card verdict" id="verdict" role="group" aria-labelledby="verdict-title" aria-busy="true" data-as="card">
      <div class="verdict-head">
        <h3 id="verdict-title" data-as="headline">Computing …</h3>
        <div class="run"><span data-as="seeds"></span><button type="button" data-as="use" hidden></button></div>
      </div>
      <p class="reason" data-as="reason"></p><p class="note" data-as="scope"></p>
    </div>`,
  );
  let picked: Choice | undefined;
  use.addEventListener('click', () => picked && store.set({ strategy: withChoice(store.get().strategy, picked) }));

  function say(text: string, isBusy: boolean): void {
    card.setAttribute('aria-busy', String(isBusy));
    seeds.textContent = text;
  }
  const progress = (done: number): void => say(`${done} of ${SEEDS} seeds computed`, true);
  const figure = { busy: () => progress(0), fail: (message: string) => say(message, false) };
  follow(card, [figure], 'verdict', outageInput, (result, _, whole) => {
    if (!whole) return progress(result.seeds);
    const words = verdictWords(result);
    picked = words.use;
    headline.textContent = words.headline;
    reason.textContent = words.reason;
    scope.textContent = words.scope;
    use.hidden = !picked;
    use.textContent = picked ? `Use ${title(picked)}` : '';
    const few = `Only ${result.seeds} seeds, because these clients make too many calls for more.`;
    say(result.seeds === SEEDS ? '' : few, false);
  });
}
