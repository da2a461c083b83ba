/**
 * A client of the W3C WebDriver protocol for the engine that Playwright does not drive: WebKitGTK, on
 * a virtual display. WEBKITDRIVER_BIN and XVFB_BIN name the programs; the driver knows its browser.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../package/lib/loopback.mjs';
import { LIMIT_MS, until } from '../../package/lib/until.mjs';

/** The key of a reference to an element, a constant of the protocol. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

/** The code points that stand for keys in the protocol. */
const KEYS = { Enter: '\ue007', ArrowLeft: '\ue012', ArrowRight: '\ue014', ArrowDown: '\ue015' };

/**
 * A script that keeps what goes wrong on a page in `globalThis.complaints`. For the servers of tests,
 * which put it before every other one: the protocol has nothing that runs as early.
 */
export const RECORDER = `
globalThis.complaints = [];
addEventListener('error', ({ error, message, target }) =>
  complaints.push(message ? String(error ?? message) : 'not loaded: ' + (target.src ?? target.href)), true);
addEventListener('securitypolicyviolation', (event) =>
  complaints.push('policy: ' + event.effectiveDirective + ' ' + event.blockedURI));
addEventListener('unhandledrejection', ({ reason }) => complaints.push('unhandled: ' + reason));
for (const level of ['error', 'warn']) {
  const print = console[level];
  console[level] = (...args) => { complaints.push(args.join(' ')); print.apply(console, args); };
}
// A browser reports this only where another size changes with it, as when a scroll bar comes.
globalThis.ResizeObserver = class extends ResizeObserver {
  constructor(report) {
    super((...args) => {
      const changes = new MutationObserver(() => {});
      changes.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
      report(...args);
      if (changes.takeRecords().length > 0) complaints.push('changed the page within a ResizeObserver');
    });
  }
};
`;

/**
 * Runs `use` on a session of a browser with a display, a driver and a profile of its own, and once more on a new one if
 * the browser crashed: WebKitGTK does so now and then on a busy machine, whatever the page shows. A second crash fails,
 * and so does everything else.
 */
export async function withWebKit(use) {
  for (let attempt = 1; ; attempt++) {
    // Without -noreset it restarts when its last client leaves, and the next one may come into that.
    const screen = ['-screen', '0', '1600x1200x24', '-nolisten', 'tcp', '-noreset'];
    const display = start('XVFB_BIN', ['-displayfd', '3', ...screen]);
    let driver;
    try {
      const [number] = await display.orItsEnd(once(display.child.stdio[3], 'data'));
      const port = await freePort();
      driver = start('WEBKITDRIVER_BIN', [`--port=${port}`], { DISPLAY: `:${String(number).trim()}` });
      const url = `http://127.0.0.1:${port}`;
      const answers = async () => (await fetch(`${url}/status`).catch(() => undefined))?.ok;
      await driver.orItsEnd(until('an answer of the driver', answers));
      const { sessionId } = await command('POST', `${url}/session`, {
        capabilities: { alwaysMatch: { timeouts: { script: LIMIT_MS, pageLoad: LIMIT_MS } } },
      });
      const session = new Session(`${url}/session/${sessionId}`);
      return await use(session).finally(() => session.close());
    } catch (error) {
      await driver?.end();
      if (attempt === 2 || !driver?.printed().includes('WebProcess CRASHED')) throw error;
      console.error('The browser crashed: once more, in a new one');
    } finally {
      await driver?.end();
      // Last, and in any case: a browser that lost its driver ends with its display.
      await display.end();
    }
  }
}

/** One browser with one window, with as much of Playwright's interface for pages as the tests use. */
export class Session {
  #url;
  #listeners = [];

  constructor(url) {
    this.#url = url;
  }

  async goto(url) {
    await this.#post('url', { url });
    // In a new window the driver answers before the end of the load, or even before the page is left.
    const { href } = new URL(url);
    await until(`${href} is loaded`, () =>
      this.evaluate((wanted) => location.href === wanted && document.readyState === 'complete', href).catch((error) => {
        if (!/unload/.test(String(error))) throw error;
      }),
    );
  }

  /** Complaints of the console come as errors of the page, when a test runs something there. */
  on(event, listener) {
    if (event === 'pageerror') this.#listeners.push(listener);
  }

  /** Runs a function on the page. What it returns, or its promise resolves with, comes as JSON: undefined as null. */
  async evaluate(fn, arg) {
    const script = `
      const [arg, done] = arguments;
      const end = (result) => done({ ...result, complaints: globalThis.complaints?.splice(0) ?? [] });
      (async () => (${fn})(arg))().then((value) => end({ value }), (error) => end({ error: String(error) }));`;
    const { value, error, complaints } = await this.#post('execute/async', { script, args: [arg ?? null] });
    for (const complaint of complaints) for (const listen of this.#listeners) listen(complaint);
    if (error !== undefined) throw new Error(`${error}, in ${fn}`);
    return value;
  }

  waitForFunction(fn, arg) {
    return until(`${fn} with ${JSON.stringify(arg)}`, () => this.evaluate(fn, arg));
  }

  textContent(selector) {
    return this.waitForFunction((css) => document.querySelector(css)?.textContent, selector);
  }

  /** A click of the mouse in the middle of an element, which is scrolled into view. */
  async click(selector) {
    // The driver scrolls as the page says, which may be smoothly, and does not wait for the end.
    await this.waitForFunction((css) => {
      const element = document.querySelector(css);
      element?.scrollIntoView({ behavior: 'instant', block: 'center' });
      const { left, top, width, height } = element?.getBoundingClientRect() ?? new DOMRect();
      return element?.contains(document.elementFromPoint(left + width / 2, top + height / 2));
    }, selector);
    return this.#post(`element/${(await this.#element(selector))[ELEMENT]}/click`, {});
  }

  /** Gives an element the focus and presses a key there. */
  async press(selector, key) {
    return this.#post(`element/${(await this.#element(selector))[ELEMENT]}/value`, { text: KEYS[key] });
  }

  /** From here on everything happens in an iframe. */
  async enterFrame(selector) {
    return this.#post('frame', { id: await this.#element(selector) });
  }

  /** Of the window: the browser's own bars take a part of it. */
  setViewportSize(size) {
    return this.#post('window/rect', { x: 0, y: 0, ...size });
  }

  close() {
    return command('DELETE', this.#url);
  }

  #element(selector) {
    return this.#post('element', { using: 'css selector', value: selector });
  }

  #post(path, body) {
    return command('POST', `${this.#url}/${path}`, body);
  }
}

async function command(method, url, body) {
  // Longer than the limits that the driver has received.
  const signal = AbortSignal.timeout(2 * LIMIT_MS);
  const response = await fetch(url, { method, signal, ...(body && { body: JSON.stringify(body) }) }).catch((error) =>
    Promise.reject(new Error(`${method} ${new URL(url).pathname}`, { cause: error })),
  );
  const { value } = await response.json();
  if (response.ok) return value;
  throw new Error(`${method} ${new URL(url).pathname}: ${value.error}: ${value.message}`);
}

/** A program that a variable names, and that ends with us at the latest. What it writes to descriptor 3 can be read. */
function start(variable, args, env = {}) {
  const program = process.env[variable];
  if (!program)
    throw new Error(`${variable} must be the path of a program (on Debian: apt-get install webkit2gtk-driver xvfb)`);
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
  let printed = '';
  child.stderr?.on('data', (chunk) => {
    printed += chunk;
    process.stderr.write(chunk);
  });
  const kill = () => child.kill();
  process.once('exit', kill);
  const ended = new Promise((resolve) => {
    child.once('error', resolve);
    child.once('exit', (code, signal) => resolve(new Error(`${program} ended with ${code ?? signal}`)));
  });
  return {
    child,
    /** Standard error of the driver and of the programs that it started. */
    printed: () => printed,
    orItsEnd: (promise) => Promise.race([promise, ended.then((error) => Promise.reject(error))]),
    async end() {
      kill();
      await ended;
      // Output from before the end may still be on its way.
      await new Promise(setImmediate);
      process.off('exit', kill);
    },
  };
}
