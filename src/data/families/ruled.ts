/** The families whose rows are made by rules and are not points of a plane: one part of the site (make-dataset). */
export { prototypes } from './prototypes';
export { randomRegression } from './random-regression';
export { sequence } from './sequence';
