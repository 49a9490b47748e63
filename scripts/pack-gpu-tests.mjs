/**
 * Packs the GPU tests for a machine that has a GPU but no npm: `node scripts/pack-gpu-tests.mjs` writes
 * .cache/gpu-tests/, which needs only Node and the package `webgpu` beside it. On that machine, `node run.mjs` runs all
 * tests.
 */
import { cpSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { ensureInstalled, root } from './install.mjs';
import { readArguments } from './read-arguments.mjs';

readArguments({
  command: 'node scripts/pack-gpu-tests.mjs',
  about:
    'Packs the GPU tests into .cache/gpu-tests/ for a machine that has a GPU but no npm. There the folder needs only Node and the package webgpu beside it; `node run.mjs` runs all tests.',
});
ensureInstalled();
const { build } = await import('vite');
const { assembly } = await import('./assembly.mjs');
const home = path.join(root, 'scripts', 'packed-tests');
const tests = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.gpu.test.ts'),
);

/**
 * A module that reads a file next to it finds this file in the folder `src` of the pack.
 * @type {import('vite').Plugin}
 */
const filesBeside = {
  name: 'files-beside',
  enforce: 'pre',
  transform(code, id) {
    const file = path.relative(root, id);
    if (!file.startsWith('src') || !/import\.meta\.(url|dirname)/.test(code)) return null;
    const url = `new URL(${JSON.stringify(file.replaceAll(path.sep, '/'))}, globalThis.LOCKSTEP_PACK)`;
    const made = code
      .replaceAll('import.meta.url', `${url}.href`)
      .replaceAll('import.meta.dirname', `decodeURIComponent(new URL('.', ${url}).pathname)`);
    return { code: made, map: null };
  },
};

const outDir = path.join(root, '.cache', 'gpu-tests');
await build({
  root,
  configFile: false,
  logLevel: 'error',
  publicDir: false,
  plugins: [assembly(), filesBeside],
  resolve: { alias: [{ find: /^vitest$/, replacement: path.join(home, 'vitest.mjs') }] },
  ssr: { noExternal: true, external: ['webgpu'] },
  build: {
    ssr: true,
    outDir,
    emptyOutDir: true,
    target: 'node20',
    rolldownOptions: {
      input: Object.fromEntries([
        ['run', path.join(home, 'run.mjs')],
        ...tests.map((file) => [file.replaceAll(path.sep, '.').replace(/\.ts$/, ''), path.join(root, 'src', file)]),
      ]),
      external: ['webgpu'],
      output: { entryFileNames: '[name].mjs', chunkFileNames: 'parts/[name]-[hash].mjs' },
    },
  },
});
cpSync(path.join(root, 'src', 'training', 'fixtures'), path.join(outDir, 'src', 'training', 'fixtures'), {
  recursive: true,
});
