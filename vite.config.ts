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
 * The built site carries the kernels without their comments, which only readers of the source need: a smaller first
 * load.
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

/** The session's worker starts with a script of its own, and not when all the others have come (app/early). */
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
 * In a browser parts are fetched when a run needs them (base/part); whatever runs in Node has them all. The modules
 * that have them all await them, and a worker that awaits while it is imported loses what is posted to it meanwhile.
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
    // The lessons take most of a build, which is no news.
    rolldownOptions: { checks: { pluginTimings: false }, output: { codeSplitting: firstChunks() } },
    // A worker has no <link> to preload with (scripts/shared-workers.mjs): it needs no list of what its parts import.
    modulePreload: {
      resolveDependencies: (_, deps, { hostId }) => (/(^|\/)([a-z]+-)*worker-[^/]*$/.test(hostId) ? [] : deps),
    },
  },
  test: {
    // Which tests `npm test` runs, and which modes a test trains (scripts/tier.ts).
    tags: TAGS,
    exclude: [...configDefaults.exclude, ...(process.env['LOCKSTEP_TIER'] === 'quick' ? restFiles('.').keys() : [])],
    sequence: { sequencer: LongestFirst },
    setupFiles: ['scripts/property-seed.ts'],
    // A machine that does much else besides pauses for seconds.
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
          // Property tests train hundreds of small nets; on a machine that does much else besides, one takes a minute.
          testTimeout: 120_000,
          // Both cores of a small machine. Each worker loads a module once, not once for every file, which took a
          // quarter of all the time; what a test puts into the globals is taken out after it.
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
          include: ['{src,learn}/**/*.torch.test.ts'],
          // Every case starts processes of its own, of several ranks, which start and wait more than they compute: two
          // files at once, and nothing beside them.
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
          // A software GPU runs small dispatches on the core that submits them: two files at once use both. Each
          // process loads a module once, as above: loading took a quarter of what the shorter files took.
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
