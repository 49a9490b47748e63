/**
 * The seam between the walk over a step's actions and what makes replicas agree: DDP's reducer, the gradients of shared
 * weights, the division by the number of micro-batches. The walk calls a sync before and after each use of a stage, as
 * gradients get ready, and when all actions are done. A sync emits instructions; it knows nothing of schedules.
 * Implemented by ddp/sync.ts, pipeline/tied-sync.ts and pipeline/scale-grads.ts; called by walk.ts and step.ts.
 */
import type { GraphNode } from '../../graph/graph';
import type { LaneBuilder } from '../../program/lane-builder';
import type { PipelineAction } from '../../protocol/pipeline';
import type { TrainingKind } from '../../protocol/step-kind';
import type { ParameterRef, StageGraph } from '../stage-graph';
import type { StagePlace } from './place';

/** A lane that has rows in a micro-batch, and its graph for that number of rows. */
export interface SyncedStage {
  readonly lane: LaneBuilder;
  readonly graph: StageGraph;
  readonly rows: number;
}

/** An action on every rank of its stage. */
export interface StageUse {
  readonly action: PipelineAction;
  readonly place: StagePlace;
  /** Ranks that have run out of batches are not among these. */
  readonly works: readonly SyncedStage[];
}

/** What a lane has just written, by the names of its buffers. */
export interface Written {
  readonly lane: LaneBuilder;
  readonly names: readonly string[];
}

export interface Sync {
  /** Before the first node of the action: the forward pass, or the part of the backward pass that it stands for. */
  beforeUse?(use: StageUse): void;
  /** Every rank is about to do this node of its graph; the same one on all, as far as the ranks' graphs are alike. */
  beforeNode?(use: StageUse, node: GraphNode): void;
  /** Every rank has done the node. */
  afterNode?(use: StageUse, node: GraphNode): void;
  /** The same node of a backward pass has run on every rank. */
  ready?(use: StageUse, written: readonly Written[]): void;
  afterUse?(use: StageUse): void;
  /** All actions are emitted. `parameters`: of each stage. Afterwards `.grad` holds what the optimiser reads. */
  finish?(parameters: readonly (readonly ParameterRef[])[]): void;
  /** The optimiser has stepped, if it does so in this Program. */
  afterStep?(): void;
}

/**
 * Emits what belongs to the whole step, in the middle of an action. Where the micro-batches follow one another, each
 * has its own reduction, which stays part of it.
 */
export function besideAction({ ofOneBatch }: TrainingKind, { action, place }: StageUse, emit: () => void): void {
  if (ofOneBatch) for (const lane of place.lanes) lane.startMicroBatch(0);
  emit();
  if (ofOneBatch) for (const lane of place.lanes) lane.startAction(action);
}
