/**
 * Zip archives for the page, which reads checkpoints and names from them; the page may import from session/ but not
 * from data/.
 */
export { unzip, zipEntries } from '../data/readers/zip';
