// WebKitGTK, with as much of Playwright's interface as the browser tests use.

import { startWebKit, withSession } from '../../../www/demo/lib/webdriver.mjs';

export async function launchWebKit() {
  const webkit = await startWebKit();
  return { withPage: (use) => withSession(webkit.session, (session) => use(pageOf(session))), close: webkit.close };
}

function pageOf(session) {
  const listeners = [];
  let reported = 0;
  return {
    /** Complaints of the console come as errors of the page: one listener is enough for both. */
    on(event, listener) {
      if (event === 'pageerror') listeners.push(listener);
    },
    goto: (url) => session.goto(url),
    async waitForFunction(fn) {
      const value = await session.wait(fn);
      return { jsonValue: async () => value };
    },
    async evaluate(fn) {
      const value = await session.run(fn);
      const complaints = await session.run(() => globalThis.complaints);
      for (const complaint of complaints.slice(reported)) for (const listener of listeners) listener(complaint);
      reported = complaints.length;
      return value;
    },
  };
}
