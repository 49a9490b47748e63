/** The families whose rows are drawn pictures, as one part of the site (make-dataset). */
export { digits } from './digits';
export { shapes } from './shapes';
