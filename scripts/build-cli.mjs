/**
 * Builds the command line into dist-cli/lockstep.mjs: one file that contains everything except optional packages (Dawn,
 * Playwright) and packages that only a clone has (Vite). Called by bin/lockstep.mjs in a clone, and before the package
 * is packed.
 */
import { root } from './install.mjs';

export async function buildCommandLine() {
  const { build } = await import('vite');
  await build({
    root,
    logLevel: 'error',
    publicDir: false,
    ssr: { noExternal: true },
    build: {
      ssr: 'src/cli/main.ts',
      outDir: 'dist-cli',
      target: 'node20',
      rolldownOptions: {
        external: ['webgpu', 'playwright-core', 'vite'],
        output: { entryFileNames: 'lockstep.mjs', codeSplitting: false },
      },
    },
  });
}
