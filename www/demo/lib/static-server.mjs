/** Serves a folder of files on loopback, under any path. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { onLoopback } from './loopback.mjs';
import { MIME } from '../misbehaving-server.mjs';

/**
 * @param {string} folder
 * @param {string} [under] starts and ends with a slash
 * @param {string} [head] HTML, put before everything else in the head of each page
 * @param {Record<string, (text: string) => string>} [edits] by the names of files
 */
export async function serveFolder(folder, under = '/', head = '', edits = {}) {
  /** @type {string[]} */
  const missing = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const name = pathname.startsWith(under)
      ? pathname.slice(under.length).replace(/(^|\/)$/, '$1index.html')
      : undefined;
    const content =
      name === undefined
        ? undefined
        : await readFile(path.join(folder, path.normalize(`/${name}`))).catch(() => undefined);
    if (content === undefined) missing.push(pathname);
    const extension = path.extname(name ?? '');
    const edit = edits[name ?? ''] ?? (extension === '.html' && ((text) => text.replace('<head>', `<head>${head}`)));
    const body = content && edit ? edit(content.toString()) : content;
    response
      .writeHead(content ? 200 : 404, { 'content-type': MIME[extension] ?? 'application/octet-stream' })
      .end(body);
  });
  const { origin, close } = await onLoopback(server);
  // `missing`: the paths of the requests that found nothing.
  return { url: `${origin}${under}`, missing, close };
}
