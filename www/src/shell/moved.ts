/** Where a link leads that was made when all sections were on one page. */

/** The page of each section and figure that is not on the first page any more, by its id. */
const MOVED: Readonly<Record<string, string>> = {
  'herd-heading': 'lab/',
  herd: 'lab/',
  arrivals: 'lab/#herd',
  lanes: './#main',
  hero: './#main',
  'story-heading': './#main',
  success: './#delays',
  landing: './#delays',
  peaks: './#cost',
  'import-heading': './#today-heading',
  'import-waits': './#today-heading',
  'how-heading': 'lab/',
  'budget-heading': 'protection/',
  recovery: 'protection/',
  load: 'protection/',
  budgets: 'protection/#load',
  'rate-limit': 'protection/',
  tail: 'protection/',
  hedging: 'hedging/',
};

/** The id that a fragment names; as it stands if it is no valid encoding. */
export function idIn(hash: string): string {
  try {
    return decodeURIComponent(hash.slice(1));
  } catch {
    return hash.slice(1);
  }
}

/** Undefined if the link is one of today's. Only the first page gets old links. */
export function movedTo({
  pathname,
  search,
  hash,
}: Pick<Location, 'pathname' | 'search' | 'hash'>): string | undefined {
  if (/\/(?:protection|lab|hedging)\/(?:index\.html)?$/.test(pathname)) return undefined;
  const query = new URLSearchParams(search);
  const figure = query.get('figure');
  const id = figure ?? idIn(hash);
  const place = MOVED[id];
  if (place === undefined) return undefined;
  const [page = './', target = id] = place.split('#');
  // A figure that is gone is not embedded, but the section that says the same is shown.
  if (figure !== null && place.includes('#')) {
    if (target === 'main' || target.endsWith('-heading')) query.delete('figure');
    else query.set('figure', target);
  }
  const folder = pathname.replace(/[^/]*$/, '');
  const rest = query.size > 0 ? `?${query}` : '';
  const to = `${folder}${page === './' ? '' : page}${rest}${query.has('figure') ? '' : `#${target}`}`;
  return to === `${pathname}${search}${hash}` ? undefined : to;
}
