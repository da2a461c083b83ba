/** The first screen: two strips, and what became of the clients in words. */
import { onColors } from '../charts/colors';
import { html, onWidth } from '../charts/dom';
import type { Computer } from '../compute/client';
import { span, type HerdResult } from '../compute/herd';
import { heroChoices, herdSource } from '../compute/herd-source';
import { heroLabel, heroSentence, heroStrip, limitsSentence, outcomeOf, whyOf } from '../figures/hero';
import type { Store } from '../state/store';
import { sameChoice } from '../state/strategy';

export function mountHero(root: HTMLElement, store: Store, computer: Computer): void {
  const sentence = html('p', { class: 'hero-sentence' });
  const rows = html('div', { class: 'hero', 'aria-busy': 'true' });
  const limits = html('span');
  const change = html('button', { type: 'button', class: 'link' });
  const error = html('p', { class: 'error' });
  root.append(sentence, rows, html('p', { class: 'hero-limits' }, limits, ' ', change));
  const parts = [0, 1].map(() => {
    const label = html('b', { class: 'hero-label hued' });
    const strip = html('div', { class: 'hero-strip' });
    const outcome = html('b', { class: 'hero-outcome' });
    const rest = html('span', { class: 'hero-rest' });
    const why = html('p', { class: 'hero-why' });
    rows.append(
      html('div', { class: 'hero-row' }, label, strip, html('div', { class: 'hero-words' }, outcome, rest), why),
    );
    return { label, strip, outcome, rest, why };
  });
  let shown: HerdResult | undefined;
  let width = 0;

  function draw(): void {
    if (!shown || width === 0) return;
    const result = shown;
    sentence.textContent = heroSentence(result);
    for (const [i, choice] of heroChoices(result.input.strategy).entries()) {
      const part = parts[i];
      const run = result.runs.find((one) => sameChoice(one.choice, choice));
      if (!part || !run) continue;
      const { text, rest, isBad } = outcomeOf(run, result);
      part.label.textContent = heroLabel(choice);
      part.label.dataset.jitter = choice.jitter;
      part.strip.replaceChildren(heroStrip(result, run, width));
      part.outcome.textContent = text;
      part.outcome.classList.toggle('bad', isBad);
      part.rest.textContent = rest;
      part.why.textContent = whyOf(run);
    }
    limits.textContent = limitsSentence(result);
    rows.setAttribute('aria-busy', 'false');
  }

  change.addEventListener('click', () => {
    const { herd } = store.get();
    store.set({ herd: { ...herd, limits: herd.limits === 'set' ? 'served' : 'set' } });
  });
  store.subscribe(({ strategy, herd }) => {
    change.textContent = herd.limits === 'set' ? 'Retry until served' : 'Retry as set';
    if (shown) return;
    sentence.textContent = heroSentence({
      input: { strategy, herd, seed: 0, choices: [] },
      ...span({ strategy, herd }),
    });
    for (const [i, choice] of heroChoices(strategy).entries()) {
      const label = parts[i]?.label;
      if (!label) continue;
      label.textContent = heroLabel(choice);
      label.dataset.jitter = choice.jitter;
    }
  });
  onColors(draw);
  const [first] = parts;
  if (first)
    onWidth(first.strip, (now) => {
      width = now;
      draw();
    });
  herdSource(store, computer).subscribe({
    show(result) {
      shown = result;
      error.remove();
      draw();
    },
    busy: () => rows.setAttribute('aria-busy', 'true'),
    fail: (message) => {
      error.textContent = message;
      rows.after(error);
    },
  });
}
