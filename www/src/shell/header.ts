/** The bar at the top and its buttons: pages, seed, link. */
import { SAID_MS, isCopied } from '../charts/clipboard';
import { byId, html } from '../charts/dom';
import type { Store } from '../state/store';

export function mountHeader(store: Store): void {
  byId('new-seed').addEventListener('click', () =>
    store.set({ seed: crypto.getRandomValues(new Uint16Array(1))[0] ?? 0 }),
  );
  mountCopy(byId<HTMLButtonElement>('copy-link'), () => new URL(store.linkTo(), location.href).href);
  const pages = [...document.querySelectorAll<HTMLAnchorElement>('a[data-page]')];
  const addresses = pages.map((link) => link.getAttribute('href') ?? '');
  store.subscribe((state) => {
    document.documentElement.dataset.jitter = state.strategy.jitter;
    byId('seed').textContent = String(state.seed);
    // Other pages show the same settings.
    for (const [i, link] of pages.entries()) {
      const [address = '', hash] = addresses[i]?.split('#') ?? [];
      link.href = address + store.query() + (hash ? `#${hash}` : '');
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
