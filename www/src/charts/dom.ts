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

/** A text of a figure. Of its classes, `middle` and `end` say which part of it is at the place; `hue` is a jitter. */
export function label(x: number, y: number, text: string, classes = '', more: Attributes = {}): SVGTextElement {
  return svg('text', { x, y, class: classes || undefined, ...more }, text);
}

export function rule(x1: number, y1: number, x2: number, y2: number, classes: string): SVGLineElement {
  return svg('line', { x1, y1, x2, y2, class: classes || undefined });
}

export function rect(x: number, y: number, width: number, height: number, classes = '', rx?: number): SVGRectElement {
  return svg('rect', { x, y, width, height, rx, class: classes || undefined });
}

export function path(d: string | null, classes: string): SVGPathElement {
  return svg('path', { d: d ?? '', class: classes });
}

/** Appends markup of this page, and returns its elements by their `data-as`. */
export function place<P>(root: Element, markup: string): P {
  const made = document.createRange().createContextualFragment(markup);
  const named = [...made.querySelectorAll<HTMLElement>('[data-as]')];
  root.append(made);
  return Object.fromEntries(named.map((element) => [element.dataset.as, element])) as P;
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

/** Calls back whenever `element` comes near the screen or goes away: what is far is neither computed nor drawn. */
export function onNear(element: Element, changed: (near: boolean) => void): void {
  new IntersectionObserver((entries) => changed(entries.at(-1)?.isIntersecting ?? false), {
    rootMargin: '300px',
  }).observe(element);
}

let timer: ReturnType<typeof setTimeout> | undefined;

/** Says something for a moment, wherever the reader is on the page. */
export function say(text: string): void {
  const said = byId('said');
  said.textContent = text;
  clearTimeout(timer);
  timer = setTimeout(() => (said.textContent = ''), 1500);
}

/** Has a button copy a text. Where the clipboard is closed to the page, it shows the text. */
export function copies(
  button: HTMLElement,
  textOf: () => string,
  show = (text: string): void => void prompt('Copy:', text),
): void {
  button.addEventListener('click', async () => {
    const text = textOf();
    const isCopied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    if (isCopied) say('Copied');
    else show(text);
  });
}
