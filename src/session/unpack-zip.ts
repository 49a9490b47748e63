/**
 * Zip archives for the page, which takes checkpoints out of them and looks at names: it sees the session, not the
 * readers of data.
 */
export { unzip, zipEntries } from '../data/readers/zip';
