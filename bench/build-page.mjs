/** Builds the page in which the contenders run and serves it from a plain host. */
import path from 'node:path';
import { build } from 'vite';
import { root } from '../scripts/install.mjs';
import { serveFolder } from '../scripts/static-server.mjs';

export async function buildBenchPage() {
  const outDir = path.join(root, '.cache', 'bench');
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    base: './',
    publicDir: false,
    worker: { format: 'es' },
    build: { outDir, emptyOutDir: true, chunkSizeWarningLimit: 4000, rolldownOptions: { input: 'bench/index.html' } },
  });
  const { url, close } = await serveFolder(outDir);
  return { url: `${url}bench/index.html`, close };
}
