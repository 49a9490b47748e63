/**
 * The exit status of a process that waited for another process: the status of that process, or the shell's number for
 * the signal that ended it (130 after Ctrl+C). Called by bin/lockstep.mjs.
 */
import { constants } from 'node:os';

/**
 * @param {number | null} code
 * @param {NodeJS.Signals | null} signal
 */
export const exitStatus = (code, signal) => (signal ? 128 + constants.signals[signal] : (code ?? 1));
