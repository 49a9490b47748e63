/**
 * `npm run build`: builds the static site into dist/, with relative paths, so that any static host can serve it from
 * any folder.
 */
import { ensureInstalled, root } from './install.mjs';
import { readArguments } from './read-arguments.mjs';

readArguments({
  command: 'npm run build --',
  about:
    'Builds the static site into dist/, with relative paths: any static host serves it from any folder. The environment variable LOCKSTEP_SITE_ADDRESS gives the lessons absolute addresses for search engines.',
});
ensureInstalled();
const { build } = await import('vite');
await build({ root });
