/**
 * Naive model parallel: one process puts consecutive layers on different devices and calls `.to('cuda:1')` between
 * them. Activations go forward, their gradients come back; only one device works at a time, and the timeline shows it.
 * Bitwise equal to one device, since every kernel sees the same numbers. Source: PyTorch's "Single-Machine Model
 * Parallel Best Practices" tutorial.
 */

import { Part } from '../../base/part';
import { initDeviceMesh } from '../../mesh/device-mesh';
import { type ParallelMode, SCRIPT } from '../mode';
import { modelParallel as face } from './face';

const COMPILER = new Part('The compiler of model parallelism', () => import('./compiler'));

export const modelParallel: ParallelMode = {
  face,
  parts: [COMPILER],
  listing: new Part(SCRIPT, async () => {
    const { modelParallelListing } = await import('./listing');
    return (config, dialect) => modelParallelListing(config, modelParallel.layersOfDevice(config), dialect);
  }),
  mesh: ({ worldSize, nodes }) => initDeviceMesh({}, { devicesPerRank: worldSize, nodes }),
  rowsOfDevice: (config, [rows = 0]) => Array.from({ length: config.worldSize }, () => [0, rows] as const),

  closedForm: (run, pass) => COMPILER.get().closedForm(run, pass),
  layersOfDevice: (config) => COMPILER.get().layersOfDevice(config),
  shards: (config, tensors) => COMPILER.get().shards(config, tensors),
  borders: (input) => COMPILER.get().borders(input),
  compile: (input, kind) => COMPILER.get().compile(input, kind, modelParallel.mesh(input.config)),
};
