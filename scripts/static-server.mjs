/**
 * A plain static file server, by default without special headers, like the simplest host: serves a folder under a path
 * prefix. The browser tests, the benchmark and `lockstep train --browser` open the built site through it.
 */
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';

/** @type {Record<string, string>} */
const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
};

/** With these headers a page is cross-origin isolated, so its threads can share memory. */
export const ISOLATION = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};

/** @param {string} file */
export const contentType = (file) => types[path.extname(file)] ?? 'application/octet-stream';

/** @param {string} url of a request; undefined where it is none, as `//` or `/%E0` @returns {string | undefined} */
function pathOf(url) {
  try {
    return decodeURIComponent(new URL(url, 'http://localhost').pathname);
  } catch {
    return undefined;
  }
}

/**
 * @param {string} folder
 * @param {{port?: number, prefix?: string, headers?: Record<string, string>}} [options] port 0 takes a free one; prefix
 * begins and ends with a slash; headers are sent with every file
 * @returns {Promise<{url: string, close: () => Promise<void>}>}
 */
export function serveFolder(folder, { port = 0, prefix = '/', headers = {} } = {}) {
  const base = path.resolve(folder);
  const server = createServer((request, response) => {
    const asked = pathOf(request.url ?? '/');
    const inside = asked?.startsWith(prefix) ? asked.slice(prefix.length) : undefined;
    const file =
      inside === undefined
        ? undefined
        : path.join(base, inside.endsWith('/') || inside === '' ? `${inside}index.html` : inside);
    if (
      file === undefined ||
      !file.startsWith(base + path.sep) ||
      !statSync(file, { throwIfNoEntry: false })?.isFile()
    ) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
      return;
    }
    response.writeHead(200, { ...headers, 'content-type': contentType(file) });
    createReadStream(file).pipe(response);
  });
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      const actual = typeof address === 'object' && address ? address.port : port;
      const close = () =>
        new Promise((/** @type {(value: void) => void} */ done) => {
          server.close(() => done());
          server.closeAllConnections();
        });
      resolve({ url: `http://127.0.0.1:${actual}${prefix}`, close });
    });
  });
}
