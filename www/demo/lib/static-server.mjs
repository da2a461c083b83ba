/** Serves a folder of files on loopback, under any path. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { MIME } from '../misbehaving-server.mjs';
import { onLoopback } from './loopback.mjs';

/**
 * @param {string} folder
 * @param {string} [under] starts and ends with a slash
 * @param {string} [head] HTML, put before everything else in the head of each page
 * @param {Record<string, (text: string) => string>} [edits] by the names of files
 */
export async function serveFolder(folder, under = '/', head = '', edits = {}) {
  /** The paths of the requests that found nothing. @type {string[]} */
  const missing = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(`${request.url}`, 'http://localhost');
    const name = pathname.slice(under.length).replace(/(^|\/)$/, '$1index.html');
    const file = path.join(folder, path.normalize(`/${name}`));
    const content = pathname.startsWith(under) && (await readFile(file).catch(() => undefined));
    if (!content) missing.push(pathname);
    const extension = path.extname(name);
    const edit = edits[name] ?? (extension === '.html' && ((text) => text.replace('<head>', `<head>${head}`)));
    response
      .writeHead(content ? 200 : 404, { 'content-type': MIME[extension] ?? 'application/octet-stream' })
      .end(content && edit ? edit(content.toString()) : content);
  });
  const { origin, close } = await onLoopback(server);
  return { url: `${origin}${under}`, missing, close };
}
