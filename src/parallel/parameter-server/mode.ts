/**
 * tf.distribute's ParameterServerStrategy: cuda:0 is the server, which holds the parameters and the optimiser and
 * computes no gradients; the other devices are workers that pull parameters, compute gradients on their part of the
 * batch and push them. One coordinator drives all devices and cuts the batch by torch.chunk among the workers.
 * Synchronous: one step of the optimiser with the gradients of all workers; each worker's loss is weighted by its share
 * of the samples, so the step equals a single device's. Asynchronous: see asynchronous.ts. With one device it is plain
 * single-device training.
 */

import { Part } from '../../base/part';
import { type ParallelMode, SCRIPT } from '../mode';
import { meshOfOneProcess } from '../one-process';
import { checkServer } from './checks';
import { parameterServer as face } from './face';

const COMPILER = new Part('The compiler of parameter servers', () => import('./compiler'));
if (!globalThis.LOCKSTEP_SITE) await COMPILER.load();

export const parameterServer: ParallelMode = {
  face,
  mesh: meshOfOneProcess,
  check: checkServer,
  listing: new Part(SCRIPT, async () => (await import('./listing')).serverListing),
  parts: () => [COMPILER],
  facets: () => COMPILER.get().facets,
};
