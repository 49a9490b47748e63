/** Builds the page in which the contenders run, and serves it from a plain host and from a host that isolates it. */
import path from 'node:path';
import { build } from 'vite';
import { assembly } from '../scripts/assembly.mjs';
import { root } from '../scripts/install.mjs';
import { ISOLATION, serveFolder } from '../scripts/static-server.mjs';

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
  const plain = await serveFolder(outDir);
  const isolated = await serveFolder(outDir, { headers: ISOLATION });
  const pageOf = (/** @type {{url: string}} */ { url }) => `${url}bench/index.html`;
  return {
    url: pageOf(plain),
    /** The same page, cross-origin isolated. */
    isolatedUrl: pageOf(isolated),
    close: async () => void (await Promise.all([plain.close(), isolated.close()])),
  };
}
