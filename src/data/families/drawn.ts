/** The families whose rows are pictures that are drawn: one part of the site (make-dataset). */
export { digits } from './digits';
export { shapes } from './shapes';
