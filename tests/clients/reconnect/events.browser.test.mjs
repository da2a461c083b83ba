// Connections in real browsers: what wakes them, and a component that comes and goes. keeper.test.mjs has each event.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { chromium, firefox } from 'playwright-core';
import { WebSocketServer } from 'ws';

import { launchersOf } from '../lib/launch.mjs';
import { until } from '../../package/lib/until.mjs';
import { html, js, serve, withPages } from '../lib/browsers.mjs';
import { bundled } from '../../package/lib/bundle.mjs';
import { pasted } from '../lib/pasted.mjs';
import { javaScript, program } from '../lib/programs.mjs';

/** Starts a connection that is refused, and waits for an hour: when asked, because a page that loads is shown, too. */
const PAGE = `
import { keepConnected } from 'rejitter/reconnect';
globalThis.starts = 0;
const session = () => { globalThis.starts++; throw new Error('refused'); };
globalThis.start = () => void keepConnected(session, { baseMs: 3_600_000, capMs: 3_600_000, jitter: 'none' });
addEventListener('pageshow', ({ persisted }) => (globalThis.persisted = persisted));
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
`;

const scripts = { away: '' };
const sockets = new WebSocketServer({ host: '127.0.0.1', port: 0 });
let server;
before(async () => {
  const define = { 'process.env.NODE_ENV': '"development"' };
  const feed = {
    'websocket.mjs': await javaScript(program('websocket')),
    'feed.mjs': await javaScript(program('feed'), 'tsx'),
  };
  scripts.page = await bundled(pasted(PAGE), { define });
  scripts.component = await bundled(pasted(COMPONENT, feed), { define });
  server = await serve((path) => {
    const [, name, script] = /^\/(\w+)(\.js)?$/.exec(path) ?? [];
    if (script) return js(scripts[name]);
    // Pages that are not stored have no place in the back/forward cache.
    return html(`<script type="module" src="/${name}.js"></script>`, { 'cache-control': 'max-age=60' });
  });
});
after(async () => {
  await server.close();
  for (const socket of sockets.clients) socket.terminate();
  sockets.close();
});

withPages((pageOf) => {
  test('a component that is unmounted leaves no socket, and one that is mounted twice has one', async () => {
    const page = pageOf();
    await page.goto(`${server.origin}/component`);
    await page.waitForFunction(() => globalThis.mount);
    await page.evaluate((url) => globalThis.mount(url), `ws://127.0.0.1:${sockets.address().port}`);
    await until('one socket', () => sockets.clients.size === 1);
    await page.evaluate(() => globalThis.unmount());
    await until('no socket', () => sockets.clients.size === 0);
  });
});

test('Chromium: the network that is back, and a page out of the back/forward cache, wake a wait', async () => {
  const { chromium: launch } = launchersOf({ chromium, firefox });
  const browser = await launch(undefined, undefined, { ignoreDefaultArgs: ['--disable-back-forward-cache'] });
  try {
    const page = await browser.newPage();
    const starts = (n) => page.waitForFunction((n) => globalThis.starts === n, n);
    /** Starts a connection, makes an event happen, and sees one more attempt. */
    const wakes = async (cause) => {
      await page.goto(`${server.origin}/page`);
      await page.evaluate(() => globalThis.start());
      await starts(1);
      await cause();
      await starts(2);
    };
    await wakes(async () => {
      await page.context().setOffline(true);
      await page.context().setOffline(false);
    });
    await wakes(async () => {
      await page.goto(`${server.origin}/away`);
      await page.goBack({ waitUntil: 'commit' });
    });
    assert.equal(await page.evaluate(() => globalThis.persisted), true);
  } finally {
    await browser.close();
  }
});
