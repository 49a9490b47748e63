/**
 * A step of DistributedDataParallel over one group of ranks: the replicas' forward and backward passes, with the
 * reducer between them. The group may be all ranks or a line of a larger mesh; several groups may be written into one
 * Program, each on its own ranks. Called by mode.ts.
 */
import { at } from '../../base/invariant';
import type { Synced } from '../../nn/layer';
import type { ProgramBuilder } from '../../program/builder';
import type { LaneBuilder } from '../../program/lane-builder';
import type { Config } from '../../protocol/config';
import type { Group } from '../../protocol/mesh';
import { type HookPhase, type MicroBatchKind, stepsAfter, type TrainingKind } from '../../protocol/step-kind';
import { declareState, declareValues, emitLoad, emitMasks, emitNode } from '../emit';
import { emitOptimizer } from '../emit-optimizer';
import type { ModeInput } from '../mode';
import { type StageGraph, stageGraph } from '../stage-graph';
import { broadcastBuffers, bufferNames } from './broadcast';
import { commHookOf } from './comm-hooks/comm-hooks';
import { emitCollective, isCollective } from './graph-collectives';
import { commonRank, endJoin, type Joining, notifyBackwardSync, notifyJoinContext } from './join';
import { bucketsOf } from './ready-order';
import { createReducer } from './reducer';

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

export interface DdpStep {
  readonly builder: ProgramBuilder;
  /** Ranks that hold replicas and average their gradients, each with one device. */
  readonly group: Group;
  readonly input: ModeInput;
}

export function emitDdpStep(step: DdpStep, kind: TrainingKind): void {
  const { builder, group, input } = step;
  const { config } = input;
  kind.microBatches.forEach((microBatch, m) => {
    for (const lane of builder.lanesOf(group)) lane.startMicroBatch(m);
    const steps = stepsAfter(kind, m);
    const phase = steps ? kind.hookPhase : 'usual';
    const { working, joining } = emitPass(step, microBatch, phase);
    const { stage } = at(working, 0);
    const names = stage.parameters.map((p) => p.name);
    if (steps) for (const { lane, stage: own } of working) emitOptimizer(lane, input, own.parameters);
    if (microBatch.endsJoin) endJoin(joining, [...stage.registered.map((p) => p.name), ...bufferNames(stage)]);
    if (steps) commHookOf(config).afterStep?.({ builder, config, group, parameters: names, phase });
  });
}

/**
 * Forward and backward of the group's ranks with what they reduce in between; the ranks that took part with a batch.
 */
function emitPass(
  { builder, group, input }: DdpStep,
  microBatch: MicroBatchKind,
  phase: HookPhase,
): { readonly working: readonly ActiveRank[]; readonly joining: Joining } {
  const { config } = input;
  const { rows, gradients } = microBatch;
  const lanes = builder.lanesOf(group);
  const synced = syncedOver(
    config,
    lanes.map((lane) => at(rows, lane.dataIndex)),
  );
  const working = lanes.flatMap((lane): readonly ActiveRank[] => {
    const own = at(rows, lane.dataIndex);
    if (own === 0) return [];
    return [{ lane, stage: stageGraph(input, { rows: own, withLoss: true, gradients, synced }) }];
  });
  /** The ranks differ in nothing but the rows of their batch. */
  const { stage } = at(working, 0);
  const active = working.map(({ lane }) => lane.device);
  for (const lane of lanes) if (!active.includes(lane.device)) declareState(lane, stage);
  for (const { lane, stage: own } of working) {
    declareValues(lane, own);
    const count = at(rows, lane.dataIndex);
    emitLoad(lane, { buffer: 'x', source: 'inputs', start: 0, count });
    emitLoad(lane, { buffer: 'y', source: 'targets', start: 0, count });
    emitMasks(lane, own);
  }
  const joining = { builder, config, group, active };
  if (config.ddp.join) notifyJoinContext(joining);
  if (microBatch.syncsBuffers && config.ddp.broadcastBuffers && bufferNames(stage).length > 0)
    broadcastBuffers(
      builder,
      group,
      stage,
      config.ddp.join ? commonRank(joining, 'buffers_from', active) : at(lanes, 0).device,
    );
  if (config.ddp.join) notifyBackwardSync(joining, microBatch.reduces);
  const buckets = bucketsOf(stage, config, !microBatch.beforeRebuild);
  const reducer = microBatch.reduces
    ? createReducer({ builder, config, group, stage, buckets, active, phase })
    : undefined;
  const nodes = Math.max(...working.map((w) => w.stage.graph.nodes.length));
  for (let k = 0; k < nodes; k++) {
    const shared = stage.graph.nodes[k];
    if (shared && isCollective(shared)) {
      const [input = '', output = ''] = [...shared.inputs, ...shared.outputs].map(
        (id) => at(stage.graph.values, id).name,
      );
      emitCollective({ builder, config, group, node: shared, input, output });
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
