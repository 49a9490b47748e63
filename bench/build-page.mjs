/** Builds the page in which the contenders run, and serves it from a plain host. */
import path from 'node:path';
import { build } from 'vite';
import { assembly } from '../scripts/assembly.mjs';
import { root } from '../scripts/install.mjs';
import { serveFolder } from '../scripts/static-server.mjs';

/**
 * A worker that awaits during its import loses messages that arrive meanwhile. So workers load parts on demand, as on
 * the site (vite.config.ts), and do not await all of them at the start.
 *
 * @returns {import('vite').Plugin}
 */
const fetchesParts = () => ({
  name: 'fetches-parts',
  transform: (code) =>
    code.includes('globalThis.LOCKSTEP_SITE')
      ? { code: code.replaceAll('globalThis.LOCKSTEP_SITE', 'true'), map: null }
      : null,
});

export async function buildBenchPage() {
  const outDir = path.join(root, '.cache', 'bench');
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    base: './',
    publicDir: false,
    plugins: [assembly()],
    worker: { format: 'es', plugins: () => [assembly(), fetchesParts()] },
    build: { outDir, emptyOutDir: true, chunkSizeWarningLimit: 4000, rolldownOptions: { input: 'bench/index.html' } },
  });
  const { url, close } = await serveFolder(outDir);
  return { url: `${url}bench/index.html`, close };
}
