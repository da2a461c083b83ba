/** The first screen: two strips, and what became of the clients in words. */
import { onColors } from '../charts/colors';
import { html } from '../charts/dom';
import type { Computer } from '../compute/client';
import type { HerdResult } from '../compute/herd';
import { heroChoices, herdSource } from '../compute/herd-source';
import { heroRow, heroSentence, heroStrip, outcomeOf } from '../figures/hero';
import type { Store } from '../state/store';
import { sameChoice } from '../state/strategy';

export function mountHero(root: HTMLElement, store: Store, computer: Computer): void {
  const sentence = html('p', { class: 'hero-sentence' });
  const rows = html('div', { class: 'hero', 'aria-busy': 'true' });
  root.append(sentence, rows);
  rows.append(...heroChoices(store.get().strategy).map((choice) => heroRow(choice).row));
  let shown: HerdResult | undefined;

  function draw(result: HerdResult): void {
    shown = result;
    sentence.textContent = heroSentence(result.input.herd);
    rows.replaceChildren(
      ...heroChoices(result.input.strategy).map((choice) => {
        const { row, strip, outcome } = heroRow(choice);
        const run = result.runs.find((one) => sameChoice(one.choice, choice));
        if (run) {
          const { text, isBad } = outcomeOf(run);
          strip.append(heroStrip(result, run));
          outcome.append(text);
          outcome.classList.toggle('bad', isBad);
        }
        return row;
      }),
    );
    rows.setAttribute('aria-busy', 'false');
  }

  sentence.textContent = heroSentence(store.get().herd);
  onColors(() => shown && draw(shown));
  herdSource(store, computer).subscribe({
    show: draw,
    busy: () => rows.setAttribute('aria-busy', 'true'),
    fail: (message) => rows.replaceChildren(html('p', { class: 'error' }, message)),
  });
}
