/** The bar at the top and its buttons: pages, seed, link. */
import { SAID_MS, isCopied } from '../charts/clipboard';
import { byId, html } from '../charts/dom';
import { duration, plural } from '../charts/format';
import { INITIAL_STATE } from '../state/state';
import { toQuery } from '../state/permalink';
import { linkTo, type Store } from '../state/store';
import { curveActs, nameOf, type Strategy } from '../state/strategy';

export function mountHeader(store: Store): void {
  byId('new-seed').addEventListener('click', () =>
    store.set({ seed: crypto.getRandomValues(new Uint16Array(1))[0] ?? 0 }),
  );
  mountCopy(byId<HTMLButtonElement>('copy-link'), () => new URL(linkTo(store.get()), location.href).href);
  const pages = [...document.querySelectorAll<HTMLAnchorElement>('a[data-page]')];
  const addresses = pages.map((link) => link.getAttribute('href') ?? '');
  store.subscribe((state) => {
    document.documentElement.dataset.jitter = state.strategy.jitter;
    byId('seed').textContent = String(state.seed);
    // Other pages show the same settings.
    for (const [i, link] of pages.entries()) {
      const [address = '', hash] = addresses[i]?.split('#') ?? [];
      link.href = address + toQuery(state) + (hash ? `#${hash}` : '');
    }
  });
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

/** The controls of the lab: on a phone they open from the bar that sums them up. */
export function mountPanel(store: Store): void {
  byId('reset').addEventListener('click', () => store.set(INITIAL_STATE));
  store.subscribe(({ strategy }) => (byId('strategy-summary').textContent = summary(strategy)));
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
  const range =
    backoff === 'list' && curveActs(chosen)
      ? chosen.list.map(duration).join(', ')
      : `${duration(baseMs)} ${capMs === Infinity ? 'without a cap' : `to ${duration(capMs)}`}`;
  return `${nameOf(chosen)} · ${range} · ${plural(maxAttempts, 'attempt')}`;
}
