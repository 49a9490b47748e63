/**
 * What a page asks of a run as a whole: that it is trained from start to end, written as a folder for PyTorch, or its
 * weights as a file. One module, so that a session fetches one file for all.
 */
export { weightsFile } from '../training/weights/weights-file';
export { exportFiles } from './export-run';
export { runConfig } from './run';
