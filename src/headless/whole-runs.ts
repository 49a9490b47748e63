/**
 * Calls for whole runs: train from start to end, export as a folder for PyTorch, write the weights as a file. One
 * module, so that a session loads one file for all of them.
 */
export { weightsFile } from '../training/weights/weights-file';
export { exportFiles } from './export-run';
export { runConfig } from './run';
