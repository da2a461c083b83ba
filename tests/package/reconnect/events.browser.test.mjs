// Connections in real browsers: what wakes them, what is left of them, and a component that comes and goes.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { chromium, firefox } from 'playwright-core';
import { WebSocketServer } from 'ws';

import { launchersOf } from '../../../www/demo/lib/launch.mjs';
import { until } from '../../../www/demo/lib/until.mjs';
import { html, js, serve, withPages } from '../lib/browsers.mjs';
import { bundled } from '../lib/bundle.mjs';
import { pasted } from '../lib/pasted.mjs';
import { javaScript, program } from '../lib/programs.mjs';

/** Counts what is subscribed to, and starts a connection that is refused, and would wait for an hour. */
const PAGE = `
import { keepConnected } from 'rejitter/reconnect';
let subscribed = 0;
for (const target of [window, document])
  for (const [name, by] of [['addEventListener', 1], ['removeEventListener', -1]]) {
    const original = target[name];
    target[name] = function (type, ...rest) {
      if (/^(online|pageshow|visibilitychange|resume)$/.test(type)) subscribed += by;
      return original.call(this, type, ...rest);
    };
  }
globalThis.start = () => {
  const controller = new AbortController();
  const state = { starts: 0, persisted: false };
  globalThis.state = state;
  addEventListener('pageshow', ({ persisted }) => (state.persisted = persisted), { once: true });
  subscribed = 0; // that one goes by itself
  const kept = keepConnected(() => { state.starts++; throw new Error('refused'); },
    { signal: controller.signal, baseMs: 3_600_000, capMs: 3_600_000, jitter: 'none' });
  state.subscribed = subscribed;
  globalThis.stop = async () => { controller.abort(); await kept; return { ...state, left: subscribed }; };
};
globalThis.ready = true;
`;

/** The component of the guide, mounted twice by StrictMode, and then unmounted. */
const COMPONENT = `
import { StrictMode, createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { Feed } from './feed.mjs';
globalThis.mount = (url) => {
  const root = createRoot(document.body.appendChild(document.createElement('div')));
  root.render(createElement(StrictMode, null, createElement(Feed, { url, show() {}, fail: console.error })));
  globalThis.unmount = () => root.unmount();
};
globalThis.ready = true;
`;

const files = {};
const sockets = new WebSocketServer({ host: '127.0.0.1', port: 0 });
let server;
before(async () => {
  const bundle = async (code, more = {}) =>
    bundled(pasted(code, more), { define: { 'process.env.NODE_ENV': '"development"' } });
  files['/page.js'] = js(await bundle(PAGE));
  files['/component.js'] = js(
    await bundle(COMPONENT, {
      'websocket.mjs': await javaScript(program('websocket')),
      'feed.mjs': await javaScript(program('feed'), 'tsx'),
    }),
  );
  // Pages that are not stored have no place in the back/forward cache.
  const page = (name) => html(`<script type="module" src="${name}"></script>`, { 'cache-control': 'max-age=60' });
  server = await serve((path) => files[path] ?? (path === '/away' ? page('/away.js') : page(`${path}.js`)));
  files['/away.js'] = js('globalThis.ready = true;');
});
after(async () => {
  await server.close();
  for (const socket of sockets.clients) socket.terminate();
  sockets.close();
});

const ready = (page) => page.waitForFunction(() => globalThis.ready);
const starts = (page, n) => page.waitForFunction((n) => globalThis.state?.starts === n, n);

/** Starts a connection, makes an event happen, and sees one more attempt and nothing left. */
async function wakes(page, cause) {
  await page.evaluate(() => globalThis.start());
  await starts(page, 1);
  await cause(page);
  await starts(page, 2);
  const { subscribed, left, persisted } = await page.evaluate(() => globalThis.stop());
  assert.ok(subscribed > 0);
  assert.equal(left, 0);
  return persisted;
}

withPages((withPage) => {
  test('a component that is unmounted leaves no socket, and one that is mounted twice has one', () =>
    withPage(async (page) => {
      await page.goto(`${server.origin}/component`);
      await ready(page);
      await page.evaluate((url) => globalThis.mount(url), `ws://127.0.0.1:${sockets.address().port}`);
      await until('one socket', () => sockets.clients.size === 1);
      await page.evaluate(() => globalThis.unmount());
      await until('no socket', () => sockets.clients.size === 0);
    }));
});

test('Chromium: the network that is back, and a page out of the back/forward cache, wake a wait', async () => {
  const { chromium: launch } = launchersOf({ chromium, firefox });
  const browser = await launch(undefined, undefined, { ignoreDefaultArgs: ['--disable-back-forward-cache'] });
  try {
    const page = await browser.newPage();
    await page.goto(`${server.origin}/page`);
    await ready(page);
    await wakes(page, async () => {
      await page.context().setOffline(true);
      await page.context().setOffline(false);
    });
    const persisted = await wakes(page, async () => {
      await page.goto(`${server.origin}/away`);
      await ready(page);
      await page.goBack({ waitUntil: 'commit' });
    });
    assert.equal(persisted, true);
  } finally {
    await browser.close();
  }
});
