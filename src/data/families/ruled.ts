/** The families whose rows are made by rule and are no points of the plane: one part of the site (make-dataset). */
export { prototypes } from './prototypes';
export { randomRegression } from './random-regression';
export { sequence } from './sequence';
