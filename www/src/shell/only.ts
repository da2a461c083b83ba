/** `?figure=ID`: one figure of the page and nothing else, for other pages to embed. */
import { html } from '../charts/dom';
import { store } from '../state/page';
import { linkTo } from '../state/store';

/** Everything but the figure is taken out of sight, and its surroundings keep their styles. */
export function showOnly(id: string, found: HTMLElement | null): void {
  const figure = found?.closest<HTMLElement>('figure.card, [data-figure]');
  const shown = figure ?? html('p', { class: 'error' }, `This page has no figure “${id}”.`);
  if (!figure) document.querySelector('main')?.append(shown);
  for (let part: Element = shown; part.parentElement && part !== document.body; part = part.parentElement) {
    for (const other of part.parentElement.children) if (other !== part) other.setAttribute('data-aside', '');
    part.setAttribute('data-around', '');
  }
  const title = figure?.querySelector('h3');
  // The only heading of this page.
  title?.setAttribute('aria-level', '1');
  if (title) document.title = `${title.textContent} · rejitter`;
  // An embedded page must not lead its visitors away from the page around it.
  const target = window === window.top ? undefined : '_blank';
  const link = html('a', { target }, 'See the whole page: what retries do to a server');
  store.subscribe((state) => (link.href = linkTo(state, { figure: '', hash: figure ? `#${id}` : '' })));
  document.body.append(html('footer', { class: 'back' }, link));
}
