/**
 * A client of the W3C WebDriver protocol for the engine that Playwright does not drive: WebKitGTK, on
 * a virtual display. WEBKIT_DRIVER_BIN and XVFB_BIN name the programs; the driver knows its browser.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir } from 'node:fs/promises';
import { freePort } from './loopback.mjs';
import { LIMIT_MS, until } from './until.mjs';

/** The key of a reference to an element, a constant of the protocol. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

/** The code points that stand for keys in the protocol. */
export const KEYS = { enter: '\ue007', left: '\ue012', right: '\ue014', down: '\ue015' };

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
 * Runs `use` on a session, and once more on a new one if the browser crashed: WebKitGTK does so now and then
 * on a busy machine, whatever the page shows. A second crash fails, and so does everything else.
 * @param {() => Promise<Session>} open
 * @param {(session: Session) => Promise<void>} use
 */
export async function withSession(open, use) {
  for (let attempt = 1; ; attempt++) {
    const session = await open();
    try {
      return await use(session).finally(() => session.close());
    } catch (error) {
      if (!session.crashed || attempt === 2) throw error;
      console.error('The browser crashed: once more, in a new one');
    }
  }
}

/** A display for browsers; `close` ends it, and the browsers that are open. */
export async function startWebKit() {
  // Without -noreset it restarts whenever the last browser leaves, and the next one may come into that.
  const xvfb = start(
    'XVFB_BIN',
    ['-displayfd', '3', '-screen', '0', '1600x1200x24', '-nolisten', 'tcp', '-noreset'],
    {},
    'pipe',
  );
  /** @type {Set<Session>} */
  const open = new Set();
  const close = async () => {
    for (const session of open) await session.close().catch(() => {});
    // Last, and in any case: a browser that lost its driver ends with its display.
    await xvfb.end();
  };
  try {
    const [number] = await xvfb.orItsEnd(
      once(/** @type {import('node:stream').Readable} */ (xvfb.child.stdio[3]), 'data'),
    );
    const env = { DISPLAY: `:${String(number).trim()}` };
    return {
      /** A browser with a profile of its own. */
      async session() {
        const session = await openSession(env, (closed) => open.delete(closed));
        open.add(session);
        return session;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * With a driver of its own: one that has had dozens of sessions may start no other.
 * @param {NodeJS.ProcessEnv} env
 * @param {(session: Session) => void} closed
 */
async function openSession(env, closed) {
  const port = await freePort();
  const driver = start('WEBKIT_DRIVER_BIN', [`--port=${port}`], env);
  try {
    const url = `http://127.0.0.1:${port}`;
    await driver.orItsEnd(
      until('an answer of the driver', () =>
        fetch(`${url}/status`).then(
          ({ ok }) => ok,
          () => false,
        ),
      ),
    );
    const { sessionId } = await command('POST', `${url}/session`, {
      capabilities: { alwaysMatch: { timeouts: { script: LIMIT_MS, pageLoad: LIMIT_MS } } },
    });
    /** @type {Session} */
    const session = new Session(`${url}/session/${sessionId}`, driver, async () => {
      closed(session);
      await driver.end();
    });
    return session;
  } catch (error) {
    await driver.end();
    throw error;
  }
}

/** One browser with one window. */
export class Session {
  #url;
  #driver;
  #closed;

  /** @param {string} url @param {ReturnType<typeof start>} driver @param {() => Promise<void>} closed */
  constructor(url, driver, closed) {
    this.#url = url;
    this.#driver = driver;
    this.#closed = closed;
  }

  /** @param {string} url */
  async goto(url) {
    await this.#post('url', { url });
    // In a new window the driver answers before the end of the load, or even before the page is left.
    const { href } = new URL(url);
    await until(`${href} is loaded`, () =>
      this.run((wanted) => location.href === wanted && document.readyState === 'complete', href).catch((error) => {
        if (!/unload/.test(String(error))) throw error;
      }),
    );
  }

  /**
   * Runs a function on the page, which sees nothing but its arguments. What it returns, or what its
   * promise resolves with, comes as JSON: undefined as null.
   * @template {unknown[]} A
   * @template R
   * @param {(...args: A) => R} fn
   * @param {A} args
   * @returns {Promise<Awaited<R>>}
   */
  async run(fn, ...args) {
    const script = `
      const done = arguments[arguments.length - 1];
      (async (...args) => (${fn})(...args))(...[...arguments].slice(0, -1))
        .then((value) => done({ value }), (error) => done({ error: String(error) }));`;
    const { value, error } = await this.#post('execute/async', { script, args });
    if (error !== undefined) throw new Error(`${error}, in ${fn}`);
    return value;
  }

  /**
   * Waits until a function on the page returns something truthy, and returns that.
   * @template {unknown[]} A
   * @template R
   * @param {(...args: A) => R} fn
   * @param {A} args
   */
  wait(fn, ...args) {
    return until(`${fn} with ${args}`, () => this.run(fn, ...args));
  }

  /** A click of the mouse in the middle of an element, which is scrolled into view. @param {string} selector */
  async click(selector) {
    // The driver scrolls as the page says, which may be smoothly, and does not wait for the end.
    await this.wait((css) => {
      const element = document.querySelector(css);
      element?.scrollIntoView({ behavior: 'instant', block: 'center' });
      const { left, top, width, height } = element?.getBoundingClientRect() ?? new DOMRect();
      return element?.contains(document.elementFromPoint(left + width / 2, top + height / 2));
    }, selector);
    return this.#post(`element/${(await this.#element(selector))[ELEMENT]}/click`, {});
  }

  /** Gives an element the focus and presses keys: text, or KEYS. @param {string} selector @param {string} text */
  async type(selector, text) {
    return this.#post(`element/${(await this.#element(selector))[ELEMENT]}/value`, { text });
  }

  /** From here on everything happens in an iframe. @param {string} selector */
  async enterFrame(selector) {
    return this.#post('frame', { id: await this.#element(selector) });
  }

  /** The window's size, of which the browser's own bars take a part. @param {number} width @param {number} height */
  async resize(width, height) {
    /** @type {{ width: number, height: number }} */
    const { width: given } = await this.#post('window/rect', { x: 0, y: 0, width, height });
    return given;
  }

  /** Whether the process that runs the page has ended by itself. Reliable once the session is closed. */
  get crashed() {
    return this.#driver.printed.includes('WebProcess CRASHED');
  }

  /** Kills the process that runs the page. */
  async crash() {
    for (const { pid, name } of await descendants(this.#driver.child.pid))
      if (name.startsWith('WebKitWebProc')) process.kill(pid, 'SIGKILL');
  }

  async close() {
    try {
      await command('DELETE', this.#url);
    } finally {
      await this.#closed();
    }
  }

  /** @param {string} selector @returns {Promise<{ [ELEMENT]: string }>} */
  #element(selector) {
    return this.#post('element', { using: 'css selector', value: selector });
  }

  /** @param {string} path @param {object} body */
  #post(path, body) {
    return command('POST', `${this.#url}/${path}`, body);
  }
}

/** @param {string} method @param {string} url @param {object} [body] @returns {Promise<any>} */
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

/**
 * A program that ends with us at the latest.
 * @param {string} variable names it
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @param {import('node:child_process').IOType} [third] its file descriptor 3
 */
function start(variable, args, env, third = 'ignore') {
  const program = process.env[variable];
  if (!program)
    throw new Error(`${variable} must be the path of a program (on Debian: apt-get install webkit2gtk-driver xvfb)`);
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe', third] });
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
    get printed() {
      return printed;
    },
    /** @template T @param {Promise<T>} promise @returns {Promise<T>} */
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

/**
 * The processes below one, read from /proc: WebKitGTK runs on Linux only.
 * @param {number | undefined} ancestor
 */
async function descendants(ancestor) {
  const processes = [];
  for (const folder of await readdir('/proc')) {
    // A process may end during the loop. Its name is in parentheses, then come its state and its parent.
    const stat = /^\d+$/.test(folder) && (await readFile(`/proc/${folder}/stat`, 'latin1').catch(() => ''));
    const [, name, parent] = (stat && /\((.*)\) \S (\d+)/s.exec(stat)) || [];
    if (name !== undefined) processes.push({ pid: Number(folder), parent: Number(parent), name });
  }
  const found = [];
  for (let level = [ancestor]; level.length > 0; ) {
    const below = processes.filter(({ parent }) => level.includes(parent));
    found.push(...below);
    level = below.map(({ pid }) => pid);
  }
  return found;
}
