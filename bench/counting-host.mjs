/**
 * A host of the built site that records which files it has sent, and when. It sends bodies compressed with brotli and
 * with an ETag, as static hosts do. It can simulate a slow connection: `latencyMs` before each answer,
 * `kilobytesPerSecond` shared by all answers. Used by first-load.mjs, which measures the files that are loaded until
 * Play can be pressed.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync } from 'node:zlib';
import { contentType } from '../scripts/static-server.mjs';

/** The largest piece that the connection transfers at once. */
const PACKET_BYTES = 4096;

/**
 * @typedef {{name: string, bytes: number, at: number}} Sent `bytes` counts the compressed body; `at` is the time, as of
 *   Date.now(), at which its first bytes left.
 * @typedef {{latencyMs: number, kilobytesPerSecond: number}} Line
 */

/** @param {string} folder @param {Line} [line] */
export async function countingHost(folder, line) {
  /** @type {Map<string, {body: Buffer, etag: string}>} */
  const bodies = new Map();
  /** @type {Sent[]} */
  const sent = [];
  let lineFreeAt = 0;

  const bodyOf = (/** @type {string} */ file) => {
    const known = bodies.get(file);
    if (known) return known;
    const body = brotliCompressSync(readFileSync(file));
    const made = { body, etag: `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"` };
    bodies.set(file, made);
    return made;
  };

  const server = createServer(async (request, response) => {
    const name = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname).slice(1) || 'index.html';
    const file = path.join(folder, path.normalize(name));
    if (!existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    const { body, etag } = bodyOf(file);
    if (line) await sleep(line.latencyMs);
    const headers = { etag, 'cache-control': 'max-age=600', 'content-type': contentType(file) };
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304, headers).end();
      return;
    }
    sent.push({ name, bytes: body.length, at: Date.now() });
    response.writeHead(200, { ...headers, 'content-encoding': 'br' });
    for (let from = 0; from < body.length; from += PACKET_BYTES) {
      const packet = body.subarray(from, from + PACKET_BYTES);
      if (line) {
        lineFreeAt = Math.max(lineFreeAt, performance.now()) + packet.length / line.kilobytesPerSecond;
        await sleep(lineFreeAt - performance.now());
      }
      response.write(packet);
    }
    response.end();
  });
  await /** @type {Promise<void>} */ (new Promise((listening) => server.listen(0, '127.0.0.1', () => listening())));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`,
    sent,
    close: () =>
      /** @type {Promise<void>} */ (
        new Promise((done) => {
          server.close(() => done());
          server.closeAllConnections();
        })
      ),
  };
}
