import react from '@vitejs/plugin-react';
import type { Plugin } from 'vite';
import { configDefaults, defineConfig } from 'vitest/config';
import { assembly } from './scripts/assembly.mjs';
import { firstChunks } from './scripts/first-chunks.mjs';
import { lessons, mdx } from './scripts/lessons.mjs';
import { LongestFirst } from './scripts/longest-first.mjs';
import { offline } from './scripts/offline.mjs';
import { restFiles } from './scripts/rest-files.mjs';
import { sharedWorkers } from './scripts/shared-workers.mjs';
import { TAGS } from './scripts/tiers.mjs';
import { transformCache } from './scripts/transform-cache.mjs';

/**
 * The built site contains the kernels without their comments, which only readers of the source need; so the first load
 * is smaller.
 */
const bareShaders = (): Plugin => ({
  name: 'bare-shaders',
  apply: 'build',
  transform(code, id) {
    const raw = id.includes('.wgsl?raw') ? /^export default (".*");?$/s.exec(code.trim())?.[1] : undefined;
    if (raw === undefined) return null;
    const lines = String(JSON.parse(raw)).split('\n');
    const bare = lines.map((line) => line.replace(/\/\/.*$/, '').trim()).filter((line) => line !== '');
    return { code: `export default ${JSON.stringify(bare.join('\n'))}`, map: null };
  },
});

/**
 * What the built page may load: its own scripts, workers, styles and pictures, and nothing from elsewhere, whatever a
 * link or a file makes it do. As a <meta>, since the hosts of a static site set no headers. The parts that are not
 * plain 'self':
 * - 'wasm-unsafe-eval': the CPU device's kernels are WebAssembly (assembly/);
 * - blob: for workers: they start from a blob: so that they, too, are under this policy (base/policy-worker);
 * - data: for images: the icon.
 * Frames are the preview of an embed, in the Share dialog.
 * A <meta> cannot say frame-ancestors, and nothing here keeps other pages from embedding this one.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self' blob:",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const contentSecurityPolicy = (): Plugin => ({
  name: 'content-security-policy',
  apply: 'build',
  transformIndexHtml: () => [
    {
      tag: 'meta',
      attrs: { 'http-equiv': 'Content-Security-Policy', content: CONTENT_SECURITY_POLICY },
      injectTo: 'head-prepend',
    },
  ],
});

/** The session's worker starts with a separate script, which does not wait for the other scripts (app/early). */
const earlyWorker = (): Plugin => ({
  name: 'early-worker',
  apply: 'build',
  buildStart() {
    this.emitFile({ type: 'chunk', id: 'src/app/early.ts', name: 'early' });
  },
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle = {} }) {
      const early = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === 'early');
      if (!early || !html.includes('<title>')) throw new Error('index.html has no place for the script that is first.');
      return html.replace('<title>', `<script type="module" async src="./${early.fileName}"></script>\n    <title>`);
    },
  },
});

/**
 * In a browser, parts are loaded when a run needs them (base/part); code in Node has all parts from the start, because
 * its modules await them. A worker that awaits during its import loses messages that arrive meanwhile.
 */
const site = (): Plugin => ({
  name: 'site',
  apply: (_, { command, isSsrBuild }) => (command === 'build' ? !isSsrBuild : process.env['VITEST'] === undefined),
  configEnvironment: (name) => (name === 'client' ? { define: { 'globalThis.LOCKSTEP_SITE': 'true' } } : null),
});

export default defineConfig({
  base: './',
  plugins: [
    site(),
    assembly(),
    react(),
    sharedWorkers(),
    bareShaders(),
    earlyWorker(),
    mdx(),
    lessons({ policy: CONTENT_SECURITY_POLICY, address: process.env['LOCKSTEP_SITE_ADDRESS'] }),
    offline(),
    contentSecurityPolicy(),
  ],
  build: {
    // The lessons take most of the build, so Vite need not report it.
    rolldownOptions: { checks: { pluginTimings: false }, output: { codeSplitting: firstChunks() } },
    // A worker has no <link> to preload with (scripts/shared-workers.mjs), so it needs no list of the imports of its
    // parts.
    modulePreload: {
      resolveDependencies: (_, deps, { hostId }) => (/(^|\/)([a-z]+-)*worker-[^/]*$/.test(hostId) ? [] : deps),
    },
  },
  test: {
    // The tests that `npm test` runs, and the modes that a test trains (scripts/tier.ts).
    tags: TAGS,
    exclude: [...configDefaults.exclude, ...(process.env['LOCKSTEP_TIER'] === 'quick' ? restFiles('.').keys() : [])],
    sequence: { sequencer: LongestFirst },
    setupFiles: ['scripts/property-seed.ts'],
    // On a busy machine a test may pause for seconds.
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    experimental: { fsModuleCache: true, fsModuleCachePath: transformCache() },
    projects: [
      {
        extends: true,
        test: {
          name: 'pure',
          include: ['{src,learn,scripts,bench,fuzz}/**/*.test.ts', 'src/**/*.test.tsx'],
          exclude: ['**/*.null.test.ts', '**/*.gpu.test.ts', '**/*.torch.test.ts'],
          // Property tests train hundreds of small nets; on a busy machine one of them takes a minute.
          testTimeout: 120_000,
          // Two workers use both cores of a small machine. Each worker loads a module once, not once per file, which
          // took a quarter of the time. Changes of globals by a test are undone after the test.
          pool: 'threads',
          maxWorkers: 2,
          isolate: false,
          unstubGlobals: true,
          restoreMocks: true,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'null',
          include: ['src/**/*.null.test.ts'],
          maxWorkers: 2,
          testTimeout: 120_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'torch',
          include: ['{src,learn,fuzz}/**/*.torch.test.ts'],
          // Every case starts several processes, which spend more time on starting and waiting than on computing: two
          // files run at once, and no other project at the same time.
          maxWorkers: 2,
          testTimeout: 180_000,
          hookTimeout: 180_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'gpu',
          include: ['src/**/*.gpu.test.ts'],
          pool: 'forks',
          // A software GPU runs small dispatches on the core that submits them, so two files at once use both cores.
          // Each process loads a module once, as above: loading took a quarter of the time of the shorter files.
          maxWorkers: 2,
          isolate: false,
          unstubGlobals: true,
          restoreMocks: true,
          testTimeout: 120_000,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
