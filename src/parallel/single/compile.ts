/** A step on one device: forward, loss, backward, optimiser. Called by mode.ts, and by modes that have one device. */
import { ProgramBuilder } from '../../program/builder';
import { declareValues, emitLoad, emitMasks, emitNode } from '../emit';
import { emitOptimizer } from '../emit-optimizer';
import type { ParallelMode } from '../mode';
import { stageGraph } from '../stage-graph';

export const compileSingle: ParallelMode['compile'] = (input, variant, [rows = 0]) => {
  const builder = new ProgramBuilder([0], input.ops);
  const lane = builder.lane(0);
  const stage = stageGraph(input, { rows, withLoss: true, gradients: variant.gradients });
  declareValues(lane, stage);
  emitLoad(lane, 'x', 'inputs', 0, 0, rows);
  emitLoad(lane, 'y', 'targets', 0, 0, rows);
  emitMasks(lane, stage);
  for (const node of stage.graph.nodes) emitNode(lane, stage, node);
  if (variant.steps) emitOptimizer(lane, input, stage.parameters);
  return builder.finish('single', variant.name);
};
