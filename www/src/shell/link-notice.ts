/** Says which values of the link in the address bar are invalid. */
import { html } from '../charts/dom';
import { defaults } from '../state/page';
import { readQuery } from '../state/permalink';
import type { Store } from '../state/store';

const MOST_PROBLEMS = 3;

export function mountLinkNotice(root: HTMLElement, store: Store): void {
  const notice = html('p', { class: 'link-notice', role: 'status' });
  root.prepend(notice);

  function read(): void {
    const { problems } = readQuery(location.search, defaults);
    notice.hidden = problems.length === 0;
    notice.textContent = noticeOf(problems);
  }

  read();
  // The store listens before this does: it has read the new address.
  addEventListener('popstate', read);
  store.subscribe((_, before) => {
    // The next link has valid values only.
    if (before) notice.hidden = true;
  });
}

export function noticeOf(problems: readonly string[]): string {
  const more = problems.length - MOST_PROBLEMS;
  const list = problems.slice(0, MOST_PROBLEMS).join('; ') + (more > 0 ? `; and ${more} more` : '');
  return problems.length === 1
    ? `The link has an invalid value, and the page ignores it: ${list}.`
    : `The link has invalid values, and the page ignores them: ${list}.`;
}
