/**
 * The interface between the walk over a step's actions and the code that makes replicas agree: DDP's reducer, the
 * gradients of shared weights, the division by the number of micro-batches. The walk calls a sync before and after each
 * use of a stage, as gradients get ready, and when all actions are done. A sync emits instructions; it knows nothing of
 * schedules. Implemented by ddp/ddp-sync.ts, pipeline/tied-sync.ts and pipeline/scale-grads.ts; called by walk.ts and
 * step.ts.
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
  /** Lanes with rows; ranks that have run out of batches are left out. */
  readonly works: readonly SyncedStage[];
}

/** The buffers that a lane has just written, by name. */
export interface Written {
  readonly lane: LaneBuilder;
  readonly names: readonly string[];
}

export interface Sync {
  /** Before the first node of the action: the forward pass, or the part of the backward pass that it stands for. */
  beforeUse?(use: StageUse): void;
  /** Every rank is about to run this node of its graph; the same node on all ranks where their graphs match. */
  beforeNode?(use: StageUse, node: GraphNode): void;
  /** Every rank has run the node. */
  afterNode?(use: StageUse, node: GraphNode): void;
  /** The same node of a backward pass has run on every rank. */
  ready?(use: StageUse, written: readonly Written[]): void;
  afterUse?(use: StageUse): void;
  /**
   * All actions are emitted. `parameters`: by stage. Afterwards `.grad` holds the gradients that the optimiser reads.
   */
  finish?(parameters: readonly (readonly ParameterRef[])[]): void;
  /** The optimiser has stepped, if it does so in this Program. */
  afterStep?(): void;
}

/**
 * Emits instructions of the whole step in the middle of an action. If micro-batches run one after another, each has its
 * own reduction, which stays part of its micro-batch.
 */
export function besideAction({ ofOneBatch }: TrainingKind, { action, place }: StageUse, emit: () => void): void {
  if (ofOneBatch) for (const lane of place.lanes) lane.startMicroBatch(0);
  emit();
  if (ofOneBatch) for (const lane of place.lanes) lane.startAction(action);
}
