/**
 * What happens to a stage's gradients at its last backward: replicas of the pipeline average them over their group, as
 * DDP does (the micro-batches before are in no_sync), beside what other stages still compute; at the end of the step
 * torch's scale_grads divides the sums by the number of micro-batches. Called by compile.ts.
 */
import { at } from '../../base/invariant';
import { algorithmFor } from '../../collectives/algorithms';
import type { GraphNode } from '../../graph/graph';
import type { ProgramBuilder } from '../../program/builder';
import type { LaneBuilder, Where } from '../../program/lane-builder';
import type { Group } from '../../protocol/mesh';
import type { PipelineAction } from '../../protocol/pipeline';
import { actionsOf } from '../../schedules/actions-of';
import type { Schedule } from '../../schedules/schedule';
import { bucketsOf } from '../ddp/ready-order';
import { createReducer, type Reducer } from '../ddp/reducer';
import type { ModeInput } from '../mode';
import type { ParameterRef, StageGraph } from '../stage-graph';
import { nodesOfAction } from './backward-halves';
import { isOnOneRank, type Tie, tiesOf } from './ties';

const SCALE: Where = { phase: 'backward', anchor: 'scale_grads' };
const TIED: Where = { phase: 'reduce', anchor: 'tied_weights' };

/** A node of a replica's backward. */
export interface EmittedNode {
  readonly lane: LaneBuilder;
  readonly graph: StageGraph;
  readonly node: GraphNode;
}

export interface Gradients {
  /** The backward of this action begins; `graph`: of its stage, on any replica. */
  start(action: PipelineAction, graph: StageGraph): void;
  /** The same node on each replica, just emitted. */
  written(action: PipelineAction, nodes: readonly EmittedNode[]): void;
  /** All actions are emitted. */
  finish(stages: readonly { readonly stage: number; readonly parameters: readonly ParameterRef[] }[]): void;
}

export interface GradientsOptions {
  readonly builder: ProgramBuilder;
  readonly input: ModeInput;
  readonly schedule: Schedule;
  /** Lanes of the replicas that hold a stage. */
  lanesOf(stage: number): readonly LaneBuilder[];
}

export function createGradients(options: GradientsOptions): Gradients {
  const { input, schedule, lanesOf } = options;
  const { scaleGrads } = input.config.pipeline;
  const { microBatches } = schedule;
  const lasts = lastGradients(schedule);
  const reducers = new Map<number, Reducer>();
  const ties = tiesOf(input.config);
  const tiedNames = new Set(ties.map(({ name }) => name));
  const isLast = ({ stage, kind, microBatch }: PipelineAction): boolean =>
    (kind === 'B' || kind === 'W') && at(lasts, stage) === microBatch;

  /** The reducer's buffers and events are of the step, not of a micro-batch. */
  const outside = (action: PipelineAction, emit: () => void) => {
    const lanes = lanesOf(action.stage);
    for (const lane of lanes) lane.startMicroBatch(0);
    emit();
    for (const lane of lanes) lane.startAction(action);
  };

  return {
    start(action, graph) {
      if (!isLast(action) || lanesOf(action.stage).length === 1) return;
      const reducer = reducerOf(options, action.stage, graph, tiedNames);
      if (!reducer) return;
      reducers.set(action.stage, reducer);
      // What earlier actions have completed, as an I that makes both gradients at once.
      const now = new Set(nodesOfAction(graph, action.kind).flatMap(({ outputs }) => outputs));
      const before = graph.parameters.filter(
        ({ fresh }) => !graph.graph.values.some(({ id, name }) => name === fresh && now.has(id)),
      );
      outside(action, () => {
        for (const { device } of lanesOf(action.stage))
          reducer.ready(
            device,
            before.map(({ fresh }) => fresh),
          );
      });
    },
    written(action, nodes) {
      const reducer = isLast(action) ? reducers.get(action.stage) : undefined;
      if (!reducer) return;
      outside(action, () => {
        for (const { lane, graph, node } of nodes)
          reducer.ready(
            lane.device,
            node.outputs.map((id) => at(graph.graph.values, id).name),
          );
      });
    },
    finish(stages) {
      for (const reducer of reducers.values()) reducer.finish();
      const gradientOf = new Map(stages.flatMap(({ parameters }) => parameters.map((p) => [p.name, p.gradient])));
      for (const tie of ties) {
        const gradient = gradientOf.get(tie.name);
        if (gradient !== undefined) reduceTied(options, tie, gradient);
      }
      if (!scaleGrads || microBatches === 1) return;
      const scaled = new Set<string>();
      for (const { stage, parameters } of stages) {
        for (const lane of lanesOf(stage)) {
          for (const { gradient } of parameters) {
            // Two stages of one rank may share it.
            if (scaled.has(`${lane.device} ${gradient}`)) continue;
            scaled.add(`${lane.device} ${gradient}`);
            const { length } = lane.whole(gradient);
            lane.compute('comm/scale', [gradient], [gradient], { from: 0, length, scale: 1 / microBatches }, SCALE);
          }
        }
      }
    },
  };
}

/**
 * The gradient of a shared weight: the sum over the two stages, which a rank of one has, then the mean over the
 * replicas. Nothing overlaps with it, since it needs the last backward of both.
 */
function reduceTied({ builder, schedule, lanesOf }: GradientsOptions, tie: Tie, gradient: string): void {
  const owners = lanesOf(tie.owner);
  const users = lanesOf(tie.user);
  const reduce = (lanes: readonly LaneBuilder[], group: Group, reduceOp: 'sum' | 'avg') => {
    const comm: Where = { ...TIED, queue: 'comm' };
    for (const lane of lanes) lane.handOver('compute', 'comm', comm);
    const { length } = at(lanes, 0).whole(gradient);
    const call = { builder, op: 'allReduce' as const, group, input: gradient, length, reduceOp };
    algorithmFor('naive', 'allReduce').emit({ ...call, payload: 'gradient', where: comm });
    for (const lane of lanes) lane.handOver('comm', 'compute', TIED);
  };
  const onOneRank = isOnOneRank(tie, schedule.rankOfStage);
  if (!onOneRank)
    owners.forEach((owner, replica) => {
      const both = [owner, at(users, replica)].sort((a, b) => a.rank - b.rank);
      const group = builder.mesh.newGroup(
        both.map(({ rank }) => rank),
        'tied',
      );
      reduce(both, group, 'sum');
    });
  if (owners.length === 1) return;
  for (const lanes of onOneRank ? [owners] : [owners, users])
    reduce(lanes, builder.mesh.group('dpReplicate', at(lanes, 0).rank), 'avg');
}

/** Of a stage, over its line of replicas; undefined where it has nothing to reduce. Shared weights are left out. */
function reducerOf(
  { builder, input, schedule, lanesOf }: GradientsOptions,
  stage: number,
  graph: StageGraph,
  tied: ReadonlySet<string>,
): Reducer | undefined {
  const { config } = input;
  const lanes = lanesOf(stage);
  const parameters = graph.parameters.filter(({ name }) => !tied.has(name));
  if (parameters.length === 0) return undefined;
  const reached: StageGraph = { ...graph, parameters, registered: parameters };
  return createReducer({
    builder,
    config,
    group: builder.mesh.group('dpReplicate', at(lanes, 0).rank),
    stage: reached,
    buckets: bucketsOf(reached, config, true),
    prefix: schedule.stages > schedule.ranks ? `stage${stage}.` : '',
    active: lanes.map(({ device }) => device),
    phase: 'usual',
  });
}

/** By stage, the micro-batch whose weight gradients are made last. */
function lastGradients({ stages, orders }: Schedule): readonly number[] {
  const lasts: number[] = Array.from({ length: stages }, () => 0);
  for (const { stage, kind, microBatch } of orders.flatMap(actionsOf))
    if (kind === 'B' || kind === 'W') lasts[stage] = microBatch;
  return lasts;
}
