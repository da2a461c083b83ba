/** The bar at the top, with the seed; and what is wrong with the page's own link. */
import { byId, copies, html } from '../charts/dom';
import { readQuery } from '../state/permalink';
import { store } from '../state/store';

export function mountHeader(): void {
  byId('new-seed').addEventListener('click', () =>
    store.set({ seed: crypto.getRandomValues(new Uint16Array(1))[0] ?? 0 }),
  );
  copies(byId('copy-link'), () => new URL(store.linkTo(), location.href).href);
  mountLinkNotice(byId('main'));
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

/** Says which values of the link in the address bar are invalid. */
function mountLinkNotice(root: HTMLElement): void {
  const notice = html('p', { class: 'link-notice', role: 'status' });
  root.prepend(notice);
  const read = (): void => {
    const { problems } = readQuery(location.search, store.defaults);
    const are =
      problems.length === 1 ? 'an invalid value, and the page ignores it' : 'invalid values, and the page ignores them';
    notice.hidden = problems.length === 0;
    notice.textContent = `The link has ${are}: ${problems.join('; ')}.`;
  };
  read();
  // The store listens before this does: it has read the new address.
  addEventListener('popstate', read);
  store.subscribe((_, before) => {
    // The next link has valid values only.
    if (before) notice.hidden = true;
  });
}
