/**
 * DistributedDataParallel: a process a device, each with a full replica and its own part of the batch. When the last gradient of a
 * bucket is ready, its all-reduce starts on the communication queue and overlaps with the rest of backward; gradients are divided by
 * the world size as they are copied into the bucket, then summed. Source: torch/nn/parallel/distributed.py; the reducer stands in reducer.ts.
 */
import { at } from '../../base/invariant';
import { ProgramBuilder } from '../../program/builder';
import { declareValues, emitLoad, emitMasks, emitNode } from '../emit';
import { emitOptimizer } from '../emit-optimizer';
import { stageGraph } from '../stage-graph';
import type { Strategy } from '../strategy';
import { broadcastBuffers, construct } from './broadcast';
import { broadcastState } from './broadcast-state';
import { commHookOf } from './comm-hooks/comm-hooks';
import { bucketsOf, passesBeforeRebuild, rebuilds } from './ready-order';
import { createReducer } from './reducer';

export const ddp: Strategy = {
  passes: (config) => ({
    initial: rebuilds(config) ? passesBeforeRebuild(config) : 0,
    every: config.ddp.noSync === 'backward' || config.ddp.noSync === 'none',
  }),
  mesh: ({ worldSize }) => ({ ranks: Array.from({ length: worldSize }, (_, r) => r), processes: worldSize }),
  layersOfDevice: (config) => Array.from({ length: config.worldSize }, () => config.model.layers.map((_, i) => i)),
  slices: (_config, rows) => rows.map((count) => [0, count] as const),

  compile(input, variant, rows) {
    const { config } = input;
    const builder = new ProgramBuilder([...rows.keys()], input.ops);
    const stages = rows.map((own) => stageGraph(input, { rows: own, withLoss: true, gradients: variant.gradients }));
    /** The ranks differ in nothing but the rows of their batch. */
    const stage = at(stages, 0);
    for (const lane of builder.lanes) {
      const own = at(stages, lane.rank);
      declareValues(lane, own);
      emitLoad(lane, 'x', 'inputs', lane.rank, 0, at(rows, lane.rank));
      emitLoad(lane, 'y', 'targets', lane.rank, 0, at(rows, lane.rank));
      emitMasks(lane, own);
    }
    if (variant.syncsBuffers && config.ddp.broadcastBuffers) broadcastBuffers(builder, stage);
    const reducer = variant.reduces
      ? createReducer(builder, config, bucketsOf(stage, config, !variant.first), variant.phase)
      : undefined;
    stage.graph.nodes.forEach((node, k) => {
      for (const lane of builder.lanes) {
        const own = at(stages, lane.rank);
        emitNode(lane, own, at(own.graph.nodes, k));
      }
      if (node.phase === 'backward') reducer?.ready(node.outputs.map((id) => at(stage.graph.values, id).name));
    });
    reducer?.finish();
    if (!variant.steps) return builder.finish('ddp', variant.name);
    for (const lane of builder.lanes) emitOptimizer(lane, input, at(stages, lane.rank).parameters);
    commHookOf(config).afterStep?.({
      builder,
      config,
      group: builder.lanes.map((lane) => lane.device),
      parameters: stage.parameters.map((p) => p.name),
      phase: variant.phase ?? '',
    });
    return builder.finish('ddp', variant.name);
  },

  construct,
  phases: (config) => commHookOf(config).phases?.(config),
  broadcastState,
};
