/** Links: the bar at the top, with seed and colours; what is wrong with the page's own link; and links to other states. */
import { SAID_MS, byId, html, isCopied } from '../charts/dom';
import { readQuery } from '../state/permalink';
import type { State } from '../state/state';
import { store } from '../state/store';

export function mountHeader(): void {
  byId('new-seed').addEventListener('click', () =>
    store.set({ seed: crypto.getRandomValues(new Uint16Array(1))[0] ?? 0 }),
  );
  mountCopy(byId('copy-link'));
  mountTheme();
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

/** Copies the page's link, and says so; where the clipboard is closed, shows it. */
function mountCopy(button: HTMLElement): void {
  const done = html('span', { class: 'copied', role: 'status' });
  button.after(done);
  button.addEventListener('click', async () => {
    const { href } = new URL(store.linkTo(), location.href);
    if (!(await isCopied(href))) return void prompt('Copy:', href);
    done.textContent = 'Copied';
    setTimeout(() => (done.textContent = ''), SAID_MS);
  });
}

/** Light or dark: the system's choice until the button is used, then the reader's. */
function mountTheme(): void {
  const KEY = 'rejitter-theme';
  const { style } = document.documentElement;
  const system = matchMedia('(prefers-color-scheme: dark)');
  const button = byId('theme');
  const isDark = (): boolean => (style.colorScheme ? style.colorScheme === 'dark' : system.matches);
  const label = (): void => button.setAttribute('aria-label', isDark() ? 'Use light colours' : 'Use dark colours');
  // Storage can be switched off, and then throws; the choice lasts until the page is left.
  const storage = (use: () => void): void => {
    try {
      use();
    } catch {}
  };
  storage(() => {
    const stored = localStorage.getItem(KEY);
    if (stored === 'light' || stored === 'dark') style.colorScheme = stored;
  });
  button.addEventListener('click', () => {
    style.colorScheme = isDark() ? 'light' : 'dark';
    storage(() => localStorage.setItem(KEY, style.colorScheme));
    label();
  });
  system.addEventListener('change', label);
  label();
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

/** Gives a link the address of the state with this part, and sets it without a new page; hides the link without one. */
export function leadTo(link: HTMLAnchorElement, part: Partial<State> | undefined, before?: () => void): void {
  link.hidden = part === undefined;
  if (!part) return;
  link.href = store.linkTo(part, '');
  link.onclick = (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    before?.();
    store.set(part);
  };
}
