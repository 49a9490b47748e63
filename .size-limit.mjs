/**
 * Limits the size of the files that are loaded until Play can be pressed on the default run, in total, of the page and
 * of the session's worker; and the size of each lesson page before the engine is loaded: HTML, styles, and the pictures
 * of one theme. Called by `npm run check`.
 */
import { firstLoad } from './scripts/first-load.mjs';
import { lessonPages } from './scripts/lesson-pages.mjs';

const inDist = (/** @type {string} */ file) => `dist/${file}`;
const { page, workers } = firstLoad('dist');

// biome-ignore lint/style/noDefaultExport: size-limit reads it so
export default [
  { name: 'until Play, brotli: everything', path: [...page, ...workers].map(inDist), brotli: true, limit: '237.4 kB' },
  { name: 'until Play, brotli: the page', path: page.map(inDist), brotli: true, limit: '144.4 kB' },
  { name: 'until Play, brotli: the session worker', path: workers.map(inDist), brotli: true, limit: '94 kB' },
  ...lessonPages('dist').map(({ name, files }) => ({
    name: `lesson ${name}, brotli`,
    path: files.map(inDist),
    brotli: true,
    limit: '120 kB',
  })),
];
