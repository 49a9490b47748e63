/**
 * DistributedDataParallel: a process a device, each with a full replica and its own part of the batch. When the last
 * gradient of a bucket is ready, its all-reduce starts on the communication queue and overlaps with the rest of
 * backward; gradients are divided by the world size as they are copied into the bucket, then summed. Source:
 * torch/nn/parallel/distributed.py; the reducer stands in reducer.ts.
 */

import { at, must } from '../../base/invariant';
import { initDeviceMesh } from '../../mesh/device-mesh';
import type { Synced } from '../../nn/layer';
import { type LaneBuilder, ProgramBuilder } from '../../program/builder';
import type { Config } from '../../protocol/config';
import { type HookPhase, type MicroBatchKind, stepsAfter } from '../../protocol/step-kind';
import { replicated, shardMap } from '../../sharding/shard-map';
import { declareState, declareValues, emitLoad, emitMasks, emitNode } from '../emit';
import { emitOptimizer } from '../emit-optimizer';
import type { ModeInput, ParallelMode } from '../mode';
import { type StageGraph, stageGraph } from '../stage-graph';
import { broadcastBuffers, bufferNames, construct } from './broadcast';
import { broadcastState } from './broadcast-state';
import { checkDdp, checkSchedule } from './checks';
import { ddpConstructorForm, ddpForm } from './closed-form';
import { commHookOf } from './comm-hooks/comm-hooks';
import { bucketsInfo } from './describe';
import { ddp as face } from './face';
import { emitCollective, isCollective } from './graph-collectives';
import { commonRank, endJoin, type Joining, notifyBackwardSync, notifyJoinContext } from './join';
import { ddpNotices } from './notices';
import { bucketsOf, passesBeforeRebuild, rebuilds } from './ready-order';
import { createReducer } from './reducer';
import { stopOf } from './stops';
import { verifyModels } from './verify-models';

/** convert_sync_batchnorm; with one rank SyncBatchNorm is plain batch norm. */
function syncedOver({ ddp: settings }: Config, rows: readonly number[]): Synced | undefined {
  const counts = rows.filter((count) => count > 0);
  if (!settings.syncBatchNorm || counts.length < 2) return undefined;
  return { ranks: counts.length, rows: counts.reduce((a, b) => a + b, 0) };
}

/** A rank that has a batch. */
interface ActiveRank {
  readonly lane: LaneBuilder;
  readonly stage: StageGraph;
}

export const ddp: ParallelMode = {
  face,
  closedForm: ddpForm,
  constructForm: ddpConstructorForm,
  buckets: bucketsInfo,
  check: checkDdp,
  checkSchedule,
  checkStart: verifyModels,
  notices: ddpNotices,
  stop: stopOf,
  sampler: 'distributed',
  settingsOfBatches: ['samplerSeed', 'setEpoch', 'rankSeeds', 'samplesPerRank', 'join'],
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
    const { config } = input;
    const builder = new ProgramBuilder(ddp.mesh(config), input.ops);
    kind.microBatches.forEach((microBatch, m) => {
      builder.startMicroBatch(m);
      const steps = stepsAfter(kind, m);
      const phase = steps ? kind.hookPhase : 'usual';
      const { working, joining } = emitPass(builder, input, microBatch, phase);
      const { stage } = at(working, 0);
      const names = stage.parameters.map((p) => p.name);
      if (steps) for (const { lane, stage: own } of working) emitOptimizer(lane, input, own.parameters);
      if (microBatch.endsJoin) endJoin(joining, [...stage.registered.map((p) => p.name), ...bufferNames(stage)]);
      const group = builder.lanes.map((lane) => lane.device);
      if (steps) commHookOf(config).afterStep?.({ builder, config, group, parameters: names, phase });
    });
    return builder.finish('ddp', kind);
  },

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
  broadcastState,
};

/** Forward and backward of all ranks with what they reduce in between; the ranks that took part with a batch. */
function emitPass(
  builder: ProgramBuilder,
  input: ModeInput,
  microBatch: MicroBatchKind,
  phase: HookPhase,
): { readonly working: readonly ActiveRank[]; readonly joining: Joining } {
  const { config } = input;
  const { rows, gradients } = microBatch;
  const synced = syncedOver(config, rows);
  const working = builder.lanes.flatMap((lane): readonly ActiveRank[] => {
    const own = at(rows, lane.dataIndex);
    if (own === 0) return [];
    return [{ lane, stage: stageGraph(input, { rows: own, withLoss: true, gradients, synced }) }];
  });
  /** The ranks differ in nothing but the rows of their batch. */
  const { stage } = at(working, 0);
  const active = working.map(({ lane }) => lane.device);
  for (const lane of builder.lanes) if (!active.includes(lane.device)) declareState(lane, stage);
  for (const { lane, stage: own } of working) {
    declareValues(lane, own);
    const count = at(rows, lane.dataIndex);
    emitLoad(lane, { buffer: 'x', source: 'inputs', start: 0, count });
    emitLoad(lane, { buffer: 'y', source: 'targets', start: 0, count });
    emitMasks(lane, own);
  }
  const joining = { builder, config, active };
  if (config.ddp.join) notifyJoinContext(joining);
  if (microBatch.syncsBuffers && config.ddp.broadcastBuffers && bufferNames(stage).length > 0)
    broadcastBuffers(builder, stage, config.ddp.join ? commonRank(joining, 'buffers_from', active) : 0);
  if (config.ddp.join) notifyBackwardSync(joining, microBatch.reduces);
  const buckets = bucketsOf(stage, config, !microBatch.beforeRebuild);
  const reducer = microBatch.reduces ? createReducer({ builder, config, stage, buckets, active, phase }) : undefined;
  const nodes = Math.max(...working.map((w) => w.stage.graph.nodes.length));
  for (let k = 0; k < nodes; k++) {
    const shared = stage.graph.nodes[k];
    if (shared && isCollective(shared)) {
      const [input = '', output = ''] = [...shared.inputs, ...shared.outputs].map(
        (id) => at(stage.graph.values, id).name,
      );
      emitCollective({ builder, config, group: active, node: shared, input, output });
      continue;
    }
    for (const { lane, stage: own } of working) {
      const node = own.graph.nodes[k];
      if (node) emitNode(lane, own, node);
    }
    for (const { lane, stage: own } of working) {
      const node = own.graph.nodes[k];
      if (node?.phase !== 'backward') continue;
      reducer?.ready(
        lane.device,
        node.outputs.map((id) => at(own.graph.values, id).name),
      );
    }
  }
  reducer?.finish();
  return { working, joining };
}
