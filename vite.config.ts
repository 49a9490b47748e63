import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  base: './',
  plugins: [react()],
  worker: { format: 'es' },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'pure',
          include: ['{src,scripts,bench}/**/*.test.ts', 'src/**/*.test.tsx'],
          exclude: ['**/*.null.test.ts', '**/*.gpu.test.ts'],
          // Property tests train hundreds of small nets; a loaded two-core machine needs the room.
          testTimeout: 30_000,
        },
      },
      { extends: true, test: { name: 'null', include: ['src/**/*.null.test.ts'] } },
      {
        extends: true,
        test: { name: 'gpu', include: ['src/**/*.gpu.test.ts'], pool: 'forks', maxWorkers: 1, testTimeout: 60_000 },
      },
    ],
  },
});
