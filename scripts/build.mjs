/** `npm run build`: the static site in dist/, with relative paths; any static host serves it from any folder. */
import { ensureInstalled, root } from './install.mjs';

ensureInstalled();
const { build } = await import('vite');
await build({ root });
