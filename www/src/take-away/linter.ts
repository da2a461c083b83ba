/** The package's own `explain()` about the chosen strategy: warnings first. */
import type { Note } from 'rejitter/lab';
import { html, svg } from '../charts/dom';
import { plural } from '../charts/format';
import type { Computer } from '../compute/client';
import { partsIn } from '../state/state';
import type { Store } from '../state/store';
import { prose } from './prose';

export function mountLinter(root: HTMLElement, store: Store, computer: Computer): void {
  const heading = html('h3');
  const list = html('ul', { class: 'lint' });
  const card = html('div', { class: 'card lint-card', 'aria-busy': 'true' }, heading, list);
  root.append(card);

  const channel = computer.channel('notes', show, (message) => {
    heading.textContent = 'The policy could not be analysed';
    list.replaceChildren(html('li', { class: 'error' }, message));
    card.setAttribute('aria-busy', 'false');
  });

  function show(notes: readonly Note[]): void {
    const warnings = notes.filter(({ severity }) => severity === 'warning').length;
    heading.textContent = warnings === 0 ? 'Nothing to warn about' : plural(warnings, 'warning');
    list.replaceChildren(...notes.map(item));
    card.setAttribute('aria-busy', 'false');
  }

  store.subscribe(({ strategy, protection }, before) => {
    if (strategy === before?.strategy && protection === before.protection) return;
    const hasBudget = partsIn(protection.parts).includes('budget');
    if (channel.order({ strategy, hasBudget })) card.setAttribute('aria-busy', 'true');
  });
}

function item({ code, severity, text }: Note): HTMLLIElement {
  // An option's name keeps its small letter.
  const sentence = `${text.replace(/^[a-z](?=[a-z]*\b)/, (letter) => letter.toUpperCase())}.`;
  const label = html('span', { class: 'visually-hidden' }, severity === 'warning' ? 'Warning: ' : 'Good to know: ');
  return html(
    'li',
    { 'data-severity': severity },
    icon(severity),
    html('span', {}, label, ...prose(sentence)),
    html('code', { class: 'code' }, code),
  );
}

function icon(severity: Note['severity']): SVGSVGElement {
  const shape =
    severity === 'warning'
      ? svg('path', { d: 'M8 1.5 15.5 14.5H.5Z', class: 'plate' })
      : svg('circle', { cx: 8, cy: 8, r: 7, class: 'plate' });
  const mark = severity === 'warning' ? 'M8 6v4M8 11.6v1' : 'M8 7.2v4.3M8 4.2v1';
  return svg(
    'svg',
    { viewBox: '0 0 16 16', width: 16, height: 16, 'aria-hidden': 'true' },
    shape,
    svg('path', { d: mark, class: 'mark' }),
  );
}
