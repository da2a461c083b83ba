/** The bar at the top and its buttons: sections, seed, link, `npm i`. */
import { SAID_MS, isCopied } from '../charts/clipboard';
import { byId, html, linked } from '../charts/dom';
import { duration, plural } from '../charts/format';
import { INITIAL_STATE } from '../state/state';
import { linkTo, type Store } from '../state/store';
import { capitalised, curveActs, jitterName, type Strategy } from '../state/strategy';

export function mountHeader(store: Store): void {
  byId('new-seed').addEventListener('click', () =>
    store.set({ seed: crypto.getRandomValues(new Uint16Array(1))[0] ?? 0 }),
  );
  byId('reset').addEventListener('click', () => store.set(INITIAL_STATE));
  mountCopy(byId<HTMLButtonElement>('copy-link'), () => new URL(linkTo(store.get()), location.href).href);
  mountCopy(byId<HTMLButtonElement>('install'), () => 'npm i rejitter');
  mountPanel();
  store.subscribe(({ strategy, seed }) => {
    document.documentElement.dataset.jitter = strategy.jitter;
    byId('seed').textContent = String(seed);
    byId('strategy-summary').textContent = summary(strategy);
  });
}

/** A link to each section, next to its heading. */
export function mountHeadings(): void {
  for (const heading of document.querySelectorAll<HTMLElement>('main > section > h2')) {
    const place = document.createComment('');
    heading.replaceWith(place);
    place.replaceWith(linked(heading, heading.id));
  }
}

/** Copies when it is pressed, and says so; where the clipboard is closed, shows the text to copy. */
function mountCopy(button: HTMLButtonElement, text: () => string): void {
  const done = html('span', { class: 'copied', role: 'status' });
  button.after(done);
  button.addEventListener('click', async () => {
    if (!(await isCopied(text()))) {
      prompt('Copy:', text());
      return;
    }
    done.textContent = 'Copied';
    setTimeout(() => (done.textContent = ''), SAID_MS);
  });
}

/** On a phone the controls open from the bar that sums them up. */
function mountPanel(): void {
  const button = byId<HTMLButtonElement>('edit-strategy');
  button.addEventListener('click', () => {
    const open = button.getAttribute('aria-expanded') !== 'true';
    button.setAttribute('aria-expanded', String(open));
    button.textContent = open ? 'Done' : 'Edit';
    byId('controls').classList.toggle('open', open);
  });
}

function summary(chosen: Strategy): string {
  const { backoff, baseMs, capMs, maxAttempts } = chosen;
  const kind = curveActs(chosen) ? `${capitalised(backoff)} · ${jitterName(chosen)}` : capitalised(jitterName(chosen));
  const range =
    backoff === 'list' && curveActs(chosen)
      ? chosen.list.map(duration).join(', ')
      : `${duration(baseMs)} ${capMs === Infinity ? 'without a cap' : `to ${duration(capMs)}`}`;
  return `${kind} · ${range} · ${plural(maxAttempts, 'attempt')}`;
}
