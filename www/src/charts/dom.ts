/** Elements in one expression. `null` and `undefined` children are left out. */

type Child = Node | string | null | undefined;
type Attributes = Readonly<Record<string, string | number | undefined>>;

const SVG = 'http://www.w3.org/2000/svg';

export function html<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(name), attributes, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill<E extends Element>(element: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

/** The element of the page with this id; its absence is a mistake in index.html. */
export function byId<E extends Element = HTMLElement>(id: string): E {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no #${id}`);
  return found as Element as E;
}

/**
 * Calls `draw` with the width of `element` in whole pixels, in the next frame and whenever it changes. Not within the
 * observer: what is drawn may change the size of an element that it has already reported, which is an error of the
 * page.
 */
export function onWidth(element: Element, draw: (width: number) => void): void {
  let last = -1;
  new ResizeObserver(([entry]) => {
    const width = Math.floor(entry?.contentRect.width ?? 0);
    if (width === last || width === 0) return;
    last = width;
    requestAnimationFrame(() => draw(width));
  }).observe(element);
}
