import { get } from 'node:http';
import path from 'node:path';
import { expect, test } from 'vitest';
import { serveFolder } from './static-server.mjs';

test('an invalid path is not found, and the server continues', async () => {
  const { url, close } = await serveFolder(path.join(import.meta.dirname, '..', 'docs'));
  const { port } = new URL(url);
  // Not fetch(), which would correct such a path.
  const status = (asked: string) =>
    new Promise((resolve, reject) =>
      get({ host: '127.0.0.1', port, path: asked }, (response) => resolve(response.resume().statusCode)).on(
        'error',
        reject,
      ),
    );
  try {
    for (const asked of ['//', '/%E0%A4%A', '/../package.json', '/nothing.md']) expect(await status(asked)).toBe(404);
    expect(await status('/cli.md')).toBe(200);
  } finally {
    await close();
  }
});
