/** A step on one device: forward, loss, backward, optimiser. Called by mode.ts, and by modes that have one device. */

import { at } from '../../base/invariant';
import { initDeviceMesh } from '../../mesh/device-mesh';
import { ProgramBuilder } from '../../program/builder';
import { declareValues, emitLoad, emitMasks, emitNode } from '../emit';
import { emitOptimizer } from '../emit-optimizer';
import type { ParallelMode } from '../mode';
import { stageGraph } from '../stage-graph';

export const compileSingle: ParallelMode['compile'] = (input, kind) => {
  const { rows: counts, gradients } = at(kind.microBatches, 0);
  const rows = at(counts, 0);
  const builder = new ProgramBuilder(initDeviceMesh(), input.ops);
  const lane = builder.lane(0);
  const stage = stageGraph(input, { rows, withLoss: true, gradients });
  declareValues(lane, stage);
  emitLoad(lane, { buffer: 'x', source: 'inputs', start: 0, count: rows });
  emitLoad(lane, { buffer: 'y', source: 'targets', start: 0, count: rows });
  emitMasks(lane, stage);
  for (const node of stage.graph.nodes) emitNode(lane, stage, node);
  if (kind.steps) emitOptimizer(lane, input, stage.parameters);
  return builder.finish('single', kind);
};
