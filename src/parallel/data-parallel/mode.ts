/**
 * torch.nn.DataParallel: one process drives N devices. Every forward scatters the batch by torch.chunk, copies
 * parameters and buffers of device 0 to the others (replicate), runs the replicas (parallel_apply), and gathers the
 * outputs on device 0, which computes the loss. Backward goes the same way and sums the replicas' gradients on device
 * 0, the only one with an optimiser. With fewer chunks than devices the rest stay idle, as in PyTorch. moves.ts emits
 * the transfers. Source: torch/nn/parallel/data_parallel.py.
 */

import { Part } from '../../base/part';
import { halfOf } from '../../protocol/half-of';
import { type ParallelMode, SCRIPT } from '../mode';
import { meshOfOneProcess } from '../one-process';
import { checkAutocast } from './checks';
import { dataParallel as face } from './face';

const COMPILER = new Part('The compiler of DataParallel', () => import('./compiler'));
if (!globalThis.LOCKSTEP_SITE) await COMPILER.load();

export const dataParallel: ParallelMode = {
  face,
  mesh: meshOfOneProcess,
  check: checkAutocast,
  listing: new Part(SCRIPT, async () => (await import('./listing')).dataParallelListing),
  parts: () => [COMPILER],
  opFamilies: (config) => (halfOf(config) ? ['halves'] : []),
  facets: () => COMPILER.get().facets,
};
