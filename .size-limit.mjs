/**
 * What is fetched until Play can be pressed on the default run, as `npm run check` holds it: in all, and by part; and
 * what each page of the lessons is before the engine comes: HTML, styles, and the pictures of one theme.
 */
import { firstLoad } from './scripts/first-load.mjs';
import { lessonPages } from './scripts/lesson-pages.mjs';

const inDist = (/** @type {string} */ file) => `dist/${file}`;
const { page, workers } = firstLoad('dist');

// biome-ignore lint/style/noDefaultExport: size-limit reads it so
export default [
  { name: 'until Play, brotli: everything', path: [...page, ...workers].map(inDist), brotli: true, limit: '244 kB' },
  { name: 'until Play, brotli: the page', path: page.map(inDist), brotli: true, limit: '148.5 kB' },
  { name: 'until Play, brotli: the session worker', path: workers.map(inDist), brotli: true, limit: '96 kB' },
  ...lessonPages('dist').map(({ name, files }) => ({
    name: `lesson ${name}, brotli`,
    path: files.map(inDist),
    brotli: true,
    limit: '120 kB',
  })),
];
