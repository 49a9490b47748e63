/**
 * A whole step: the walk over its actions, the syncs between replicas, and the optimiser on each rank's parameters. The
 * presets (single, ddp, pipeline) supply the places of the stages, the order of the actions, and the syncs.
 */
import { at } from '../../base/invariant';
import type { DeviceMesh } from '../../mesh/device-mesh';
import type { Synced } from '../../nn/layer';
import type { ProgramBuilder } from '../../program/builder';
import type { LaneBuilder } from '../../program/lane-builder';
import { type Axis, CUT_AXES } from '../../protocol/mesh';
import type { PipelineAction } from '../../protocol/pipeline';
import type { MicroBatchKind, TrainingKind } from '../../protocol/step-kind';
import type { Rank } from '../../protocol/trace';
import { emitOptimizerOfLines, type OptimizerPart } from '../emit-optimizer';
import type { ModeInput } from '../mode-input';
import type { PartitionOf } from '../partition-pass';
import { type ParameterRef, type StageGraph, stageGraph } from '../stage-graph';
import { type Step, stageUseOf, walk } from './walk';

export function emitStep(step: Step): void {
  const { kind, syncs, stages, builder } = step;
  walk(step);
  // From here on, instructions belong to the whole step, or to its last micro-batch if micro-batches run one after
  // another.
  if (kind.ofOneBatch) builder.startMicroBatch(0);
  const last = kind.microBatches.length - 1;
  const parameters = stages.map((_place, stage) => parametersOf(step, stage, last));
  for (const sync of syncs) sync.finish?.(parameters);
  if (kind.steps) emitOptimizers(step, parameters);
  for (const sync of syncs) sync.afterStep?.();
}

/** Micro-batches of the whole model: forward and backward of each before the next one begins. */
export const oneAfterTheOther = (kind: TrainingKind): readonly PipelineAction[] =>
  kind.microBatches.flatMap((_, microBatch) => passOf(microBatch));

const passOf = (microBatch: number): readonly PipelineAction[] => [
  { stage: 0, kind: 'F', microBatch },
  { stage: 0, kind: 'B', microBatch },
];

export interface WholeGraphs {
  /** The ranks over which batch norm is synchronised; absent: it is not. */
  syncedIn?(microBatch: MicroBatchKind): Synced | undefined;
  /** Absent: no axis cuts tensors. */
  readonly partitionOf?: PartitionOf | undefined;
}

/** Graphs of the whole model as one stage, each made once. */
export function wholeGraphs(
  input: ModeInput,
  { microBatches }: TrainingKind,
  { syncedIn, partitionOf }: WholeGraphs = {},
): Step['graphOf'] {
  const made = new Map<string, StageGraph>();
  return (action, rows, rank) => {
    const microBatch = at(microBatches, action.microBatch);
    const { gradients } = microBatch;
    const synced = syncedIn?.(microBatch);
    const partition = partitionOf?.(rank);
    const key = `${rows} ${gradients} ${synced?.ranks} ${synced?.rows} ${partition?.part}`;
    const graph = made.get(key) ?? stageGraph(input, { rows, withLoss: true, gradients, synced, partition });
    made.set(key, graph);
    return graph;
  };
}

/**
 * Emits forward, loss and backward of a micro-batch on cuda:0, for modes that emit the rest of the step themselves.
 * Returns the parameters that got a gradient.
 */
export function emitWholeBatch(
  builder: ProgramBuilder,
  input: ModeInput,
  kind: TrainingKind,
  microBatch: number,
): readonly ParameterRef[] {
  const stages = [{ lanes: [builder.lane(0)], replicaGroups: [builder.mesh.world] }];
  const graphOf = wholeGraphs(input, kind);
  const step = { builder, input, kind, stages, order: passOf(microBatch), syncs: [], graphOf };
  walk(step);
  return parametersOf(step, 0, microBatch);
}

/** Parameters of a stage that got a gradient in that micro-batch. */
const parametersOf = (step: Step, stage: number, microBatch: number): readonly ParameterRef[] =>
  at(stageUseOf(step, { stage, kind: 'B', microBatch }).works, 0).graph.parameters;

/**
 * Emits one optimiser per replica of the model, over all its stages and, if an axis cuts tensors, over all their parts.
 * A replica without rows in the last micro-batch has none.
 */
function emitOptimizers(step: Step, parameters: readonly (readonly ParameterRef[])[]): void {
  const { builder, input, stages, kind, piecesAlong = CUT_AXES, optimized = (_lane, own) => own, isStepped } = step;
  const { mesh } = builder;
  const { rows } = at(kind.microBatches, kind.microBatches.length - 1);
  const lines = new Map<Rank, (readonly OptimizerPart[])[]>();
  for (const [line, { dataIndex, rank }] of at(stages, 0).lanes.entries()) {
    if (at(rows, dataIndex) === 0) continue;
    const held = new Map<LaneBuilder, Map<string, ParameterRef>>();
    for (const [stage, { lanes }] of stages.entries()) {
      const lane = at(lanes, line);
      const own = held.get(lane) ?? new Map<string, ParameterRef>();
      held.set(lane, own);
      // Two stages of one rank may share a weight.
      for (const parameter of optimized(lane, at(parameters, stage))) own.set(parameter.name, parameter);
    }
    const [replica = rank] = mesh.plane(piecesAlong, rank).ranks;
    const parts = partsOf(held, mesh, piecesAlong).map((part): OptimizerPart => {
      if (!isStepped) return part;
      return { ...part, stepped: part.parameters.filter(({ name }) => isStepped(part.lane, name)) };
    });
    lines.set(replica, [...(lines.get(replica) ?? []), parts]);
  }
  for (const own of lines.values()) emitOptimizerOfLines(builder, input, own, piecesAlong);
}

/** The parts in the order of ranks. A parameter that several ranks of a replica hold counts once in the common norm. */
function partsOf(
  held: ReadonlyMap<LaneBuilder, ReadonlyMap<string, ParameterRef>>,
  mesh: DeviceMesh,
  piecesAlong: readonly Axis[],
): readonly OptimizerPart[] {
  const counted = new Set<string>();
  const inOrder = [...held].sort(([a], [b]) => a.rank - b.rank);
  return inOrder.map(([lane, own]) => {
    const parameters = [...own.values()];
    const place = mesh.coordinate(lane.rank);
    const inNorm = parameters.filter(
      ({ name, cutAlong }) =>
        !counted.has(name) && piecesAlong.every((axis) => place[axis] === 0 || cutAlong?.includes(axis)),
    );
    for (const { name } of inNorm) counted.add(name);
    return { lane, parameters, inNorm };
  });
}
