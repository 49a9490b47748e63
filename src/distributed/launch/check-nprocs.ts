/**
 * Checks the number of ranks that a script asks spawn() for. By default torch.multiprocessing.spawn starts one; a
 * number that is not whole is refused, not rounded.
 */
import { torchError } from '../torch-error';

/** Each rank of a page is a worker with its own JavaScript heap; hundreds would crash the tab. */
const MAX_RANKS = 64;

export function checkNprocs(nprocs: unknown): number {
  if (typeof nprocs !== 'number' || !Number.isInteger(nprocs))
    throw torchError(
      'TypeError',
      `spawn(): nprocs is ${shown(nprocs)}, which is not a whole number of ranks.`,
      `Say how many ranks to start, from 1 to ${MAX_RANKS}: spawn(fn, 4).`,
    );
  if (nprocs < 1 || nprocs > MAX_RANKS)
    throw torchError(
      'ValueError',
      `spawn(): nprocs is ${nprocs}; it must be from 1 to ${MAX_RANKS}.`,
      nprocs < 1 ? 'Without nprocs one rank is started, as by torch.multiprocessing.spawn.' : 'Start fewer ranks.',
    );
  return nprocs;
}

const shown = (value: unknown): string =>
  typeof value === 'number' || typeof value === 'bigint' || value === null ? String(value) : `a ${typeof value}`;
