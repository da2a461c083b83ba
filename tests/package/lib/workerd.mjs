// Cloudflare's runtime, the real one, serving the bundle of a test.

import { spawn } from 'node:child_process';
import workerd from 'workerd';

/**
 * Starts workerd in a folder with a config.capnp, asks it once, and ends it.
 *
 * @param {string} dir
 * @param {(origin: string) => Promise<void>} ask
 */
export async function onWorkerd(dir, ask) {
  const child = spawn(workerd.default, ['serve', 'config.capnp', '--control-fd=3'], {
    cwd: dir,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  try {
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      errors += chunk;
    });
    const port = await new Promise((done, failed) => {
      let text = '';
      child.stdio[3].setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
        const found = /"event":"listen".*?"port":(\d+)/.exec(text);
        if (found) done(Number(found[1]));
      });
      child.once('exit', (code) => failed(new Error(`workerd ended with ${code}: ${errors}`)));
    });
    await ask(`http://127.0.0.1:${port}`);
  } finally {
    child.kill();
  }
}
