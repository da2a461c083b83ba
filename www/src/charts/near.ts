/** Whether an element is on the screen, or nearly: what is not is neither computed nor drawn. */

const NEAR = '300px';

/** Calls back whenever `element` comes near or goes away. */
export function onNear(element: Element, changed: (near: boolean) => void): void {
  new IntersectionObserver((entries) => changed(entries.at(-1)?.isIntersecting ?? false), { rootMargin: NEAR }).observe(
    element,
  );
}
