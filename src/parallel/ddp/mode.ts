/**
 * DistributedDataParallel: one process per device, each with a full replica and its own part of the batch. When the
 * last gradient of a bucket is ready, its all-reduce starts on the communication queue and overlaps with the rest of
 * backward; gradients are divided by the world size as they are copied into the bucket, then summed. Source:
 * torch/nn/parallel/distributed.py. The step is in step.ts, the reducer in reducer.ts.
 */

import { must } from '../../base/invariant';
import { Part } from '../../base/part';
import { initDeviceMesh } from '../../mesh/device-mesh';
import { ProgramBuilder } from '../../program/builder';
import { replicated, shardMap } from '../../sharding/shard-map';
import { type ParallelMode, SCRIPT } from '../mode';
import { stageGraph } from '../stage-graph';
import { placeOn } from '../step/place';
import { construct } from './broadcast';
import { checkDdp, checkSchedule } from './checks';
import { ddpConstructorForm, ddpForm } from './closed-form';
import { commHookOf, opFamiliesOfHook } from './comm-hooks/comm-hooks';
import { bucketsInfo } from './describe';
import { ddp as face } from './face';
import { ddpNotices } from './notices';
import { BROADCAST_STATE, mayStop, STOPS } from './rare-parts';
import { bucketsOf, passesBeforeRebuild, rebuilds } from './ready-order';
import { mayNotFit, SHARDING_ADVICE } from './sharding-advice';
import { emitDdpStep } from './step';
import { verifyModels } from './verify-models';

export const ddp: ParallelMode = {
  face,
  opFamilies: opFamiliesOfHook,
  listing: new Part(SCRIPT, async () => (await import('./listing')).ddpListing),
  closedForm: ddpForm,
  constructForm: ddpConstructorForm,
  buckets: bucketsInfo,
  check: checkDdp,
  checkSchedule,
  checkStart: verifyModels,
  notices: ddpNotices,
  stop: (input) => (mayStop(input.config) ? STOPS.get().stopOf(input) : undefined),
  sampler: () => 'distributed',
  settingsOfBatches: ['ddp.samplerSeed', 'ddp.setEpoch', 'ddp.rankSeeds', 'ddp.samplesPerRank', 'ddp.join'],
  rankSeeds: (config) => config.ddp.rankSeeds,
  broadcastsBuffers: (config) => config.ddp.broadcastBuffers,
  wrapsModel: true,
  processGroup: (config) => ({ algorithm: config.ddp.algorithm }),
  withOverlap: (config, overlap) => ({ ...config, ddp: { ...config.ddp, overlap } }),
  accumulationPolicy: (config) => ({
    passesBeforeRebuild: rebuilds(config) ? passesBeforeRebuild(config) : 0,
    reducesEveryPass: config.ddp.noSync === 'backward' || config.ddp.noSync === 'none',
  }),
  mesh: ({ worldSize, nodes }) => initDeviceMesh({ dpReplicate: worldSize }, { nodes }),
  layersOfDevice: (config) => Array.from({ length: config.worldSize }, () => config.model.layers.map((_, i) => i)),
  shards: ({ worldSize }, tensors) =>
    shardMap(tensors, ({ shape }) =>
      replicated(
        shape,
        Array.from({ length: worldSize }, (_, r) => r),
      ),
    ),
  rowsOfDevice: (_config, rows) => rows.map((count) => [0, count] as const),

  compile(input, kind) {
    const builder = new ProgramBuilder(ddp.mesh(input.config), input.ops);
    emitDdpStep({ builder, stages: placeOn(builder, builder.mesh.world), input }, kind);
    return builder.finish('ddp', kind);
  },

  partsFor: (config) => (mayNotFit(config) ? [SHARDING_ADVICE] : []),
  memoryAdvice: (input, kind, budgetBytes) =>
    mayNotFit(input.config) ? SHARDING_ADVICE.get().shardingAdvice({ input, kind, budgetBytes }) : undefined,
  construct,
  stepPhases: (config) => commHookOf(config).phases?.(config),

  noiseForStep(input) {
    const hook = commHookOf(input.config);
    if (!hook.draws) return () => [];
    const stage = stageGraph(input, { rows: 2, withLoss: true });
    const shapeOf = new Map(stage.graph.values.map((v) => [v.name, v.type.shape]));
    const buckets = bucketsOf(stage, input.config, true).map((b) => b.map((p) => must(shapeOf.get(p.name), p.name)));
    return hook.draws(input.config, buckets);
  },
  broadcastState: (input, buffers) => BROADCAST_STATE.get().broadcastState(input, buffers),
};
