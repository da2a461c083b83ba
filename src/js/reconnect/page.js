// What in a page says that another attempt is worth it now.

/**
 * Calls `wake` when the network may be back: `online`, a page that is visible again, or that comes out of the
 * back/forward cache or of a freeze. `navigator.onLine` is not read, which is wrong both ways.
 * @param {() => void} wake
 * @returns {() => void} ends this
 */
export function onPageEvents(wake) {
  const page = globalThis.document;
  if (!page?.addEventListener || !globalThis.addEventListener) return () => {};
  const seen = () => page.visibilityState === 'visible' && wake();
  // A page that was just loaded is shown, too, which says nothing.
  const shown = (/** @type {any} */ { persisted }) => persisted && wake();
  const change = (/** @type {'addEventListener' | 'removeEventListener'} */ how) => {
    globalThis[how]('online', wake);
    globalThis[how]('pageshow', shown);
    page[how]('visibilitychange', seen);
    page[how]('resume', wake);
  };
  change('addEventListener');
  return () => change('removeEventListener');
}
