/**
 * A Vite plugin that builds the service worker (src/app/offline) as sw.js beside index.html and gives it the list of
 * the site's files. The lessons are not in the list; the service worker stores them when they are read. Only for the
 * build; the development server has no service worker.
 */
import { createHash } from 'node:crypto';

const FILE = 'sw.js';

/** @returns {import('vite').Plugin} */
export const offline = () => ({
  name: 'offline',
  apply: (_, { command, isSsrBuild }) => command === 'build' && !isSsrBuild,
  buildStart() {
    this.emitFile({ type: 'chunk', id: 'src/app/offline/service-worker.ts', fileName: FILE });
  },
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      const worker = bundle[FILE];
      if (worker?.type !== 'chunk' || worker.imports.length > 0) this.error('The service worker was not built alone.');
      const files = Object.keys(bundle).filter(
        (file) => file !== FILE && !file.endsWith('.map') && !file.startsWith('learn/'),
      );
      if (!files.includes('index.html')) this.error('The service worker does not know the page.');
      const hash = createHash('sha256');
      for (const file of files.sort()) {
        const made = bundle[file];
        hash.update(file).update(made?.type === 'chunk' ? made.code : (made?.source ?? ''));
      }
      const version = hash.digest('hex').slice(0, 16);
      worker.code = worker.code
        .replace('LOCKSTEP_FILES', JSON.stringify(files))
        .replace('LOCKSTEP_VERSION', JSON.stringify(version));
    },
  },
});
