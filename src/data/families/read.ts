/** The families whose rows are read from files, as one part of the site (make-dataset). */
export { csv } from './csv';
export { idx } from './idx';
export { npy } from './npy';
export { png } from './png';
export { text } from './text';
