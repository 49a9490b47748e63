/** A step on one device: forward, loss, backward, optimiser. Called by mode.ts, and by modes that have one device. */

import { initDeviceMesh } from '../../mesh/device-mesh';
import { ProgramBuilder } from '../../program/builder';
import type { LaneBuilder } from '../../program/lane-builder';
import { type MicroBatchKind, stepsAfter } from '../../protocol/step-kind';
import { declareValues, emitLoad, emitMasks, emitNode } from '../emit';
import { emitOptimizer } from '../emit-optimizer';
import type { ModeInput, ParallelMode } from '../mode';
import { type ParameterRef, stageGraph } from '../stage-graph';

/** Forward, loss and backward of the whole batch; the parameters that got a gradient. */
export function emitWholeBatch(
  lane: LaneBuilder,
  input: ModeInput,
  { rows: [rows = 0], gradients }: MicroBatchKind,
): readonly ParameterRef[] {
  const stage = stageGraph(input, { rows, withLoss: true, gradients });
  declareValues(lane, stage);
  emitLoad(lane, { buffer: 'x', source: 'inputs', start: 0, count: rows });
  emitLoad(lane, { buffer: 'y', source: 'targets', start: 0, count: rows });
  emitMasks(lane, stage);
  for (const node of stage.graph.nodes) emitNode(lane, stage, node);
  return stage.parameters;
}

export const compileSingle: ParallelMode['compile'] = (input, kind) => {
  const builder = new ProgramBuilder(initDeviceMesh(), input.ops);
  const lane = builder.lane(0);
  kind.microBatches.forEach((microBatch, m) => {
    builder.startMicroBatch(m);
    const parameters = emitWholeBatch(lane, input, microBatch);
    if (stepsAfter(kind, m)) emitOptimizer(lane, input, parameters);
  });
  return builder.finish('single', kind);
};
