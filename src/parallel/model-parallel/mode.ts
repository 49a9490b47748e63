/**
 * Naive model parallel: one process puts consecutive layers on different devices and calls `.to('cuda:1')` between
 * them. Activations go forward, their gradients come back; only one device works at a time, and the timeline shows it.
 * Bitwise equal to one device, since every kernel sees the same numbers. Source: PyTorch's "Single-Machine Model
 * Parallel Best Practices" tutorial.
 */

import { Part } from '../../base/part';
import { type ParallelMode, SCRIPT } from '../mode';
import { meshOfOneProcess } from '../one-process';
import { modelParallel as face } from './face';

const COMPILER = new Part('The compiler of model parallelism', () => import('./compiler'));
if (!globalThis.LOCKSTEP_SITE) await COMPILER.load();

export const modelParallel: ParallelMode = {
  face,
  mesh: meshOfOneProcess,
  listing: new Part(SCRIPT, async () => (await import('./listing')).modelParallelListing),
  parts: () => [COMPILER],
  facets: () => COMPILER.get().facets,
};
