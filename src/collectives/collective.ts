/**
 * The interface of the collectives: an algorithm emits sends and receives (and copies within a device) into the lanes
 * of a Program, and computes its cost. With every algorithm the results are torch.distributed's, and ranks that get the
 * same result get the same bytes: each element is reduced once, on one rank, and then copied. `algorithms.ts` is the
 * table. Called by parallel/ and by distributed/.
 */
import type { ProgramBuilder } from '../program/builder';
import type { Where } from '../program/lane-builder';
import type { AlgorithmName, CollectiveOp, Link, ReduceOp } from '../protocol/collective';
import type { Group } from '../protocol/mesh';
import type { Payload } from '../protocol/trace';
import type { HalfFormat } from '../tensor/half-bits';
import type { DType } from '../tensor/shape';

export interface CollectiveCall {
  readonly builder: ProgramBuilder;
  readonly op: CollectiveOp;
  /** Only ranks of this group take part, each with one device; other lanes stay unchanged. */
  readonly group: Group;
  /**
   * The input of each rank: the buffer with this name on every device of the group. allReduce, broadcast and reduce
   * work in place (reduce: only the root's contents are defined afterwards). scatter reads it on the root alone.
   */
  readonly input: string;
  /**
   * The buffer of the result, for the other collectives: allGather and gather [N * length] (gather: the root's alone),
   * reduceScatter and scatter [length / N], allToAll [length]. An allGather whose input is its output is in place, as
   * in NCCL: each rank's input is its own block of the buffer.
   */
  readonly output?: string;
  /** For reduceScatter: the caller no longer needs the input, so the sums may be computed in it. */
  readonly consumesInput?: true;
  /** Elements of the input; a multiple of N for reduceScatter, scatter and allToAll. May be 0. */
  readonly length: number;
  /** Rank in the group, for collectives with a root. Default 0. */
  readonly root?: number;
  /** Default 'sum'. */
  readonly reduceOp?: ReduceOp;
  /**
   * For an all-reduce by sum: the words of the input (int32) hold two halves each, and halves are added. `length`
   * counts words.
   */
  readonly halves?: HalfFormat;
  readonly payload: Payload;
  readonly bucket?: number;
  readonly where: Where;
  /**
   * Ranks of the group that share a node, one list per node; absent: the nodes of the builder's mesh. Read by
   * hierarchical algorithms.
   */
  readonly nodes?: readonly (readonly number[])[];
}

/** A call with its place in the group's sequence of collectives, as recipes take it. */
export interface NumberedCall extends CollectiveCall {
  readonly seq: number;
}

export interface CostRequest {
  readonly op: CollectiveOp;
  /** Bytes of a rank's input. */
  readonly bytes: number;
  /** Type of the elements, which chunks never cut. Default 'f32'. */
  readonly dtype?: DType;
  /** Each element is a word of two halves. */
  readonly halves?: HalfFormat | undefined;
  readonly worldSize: number;
  /** Rank in the group, for collectives with a root. Default 0. */
  readonly root?: number;
  readonly nodes?: readonly (readonly number[])[];
}

export interface CollectiveCost {
  /** Number of messages on the longest path. */
  readonly rounds: number;
  /** Bytes that each rank sends; exact, in rank order. */
  readonly bytesSent: readonly number[];
  /**
   * The closed form: the bytes that a rank sends (or the busiest rank), and the time. S bytes, N ranks, alpha, beta.
   */
  readonly formula: { readonly bytes: string; readonly time: string };
}

export interface Algorithm {
  readonly name: AlgorithmName;
  /** The collectives that it supports; others use 'naive', which supports all. */
  readonly ops: readonly CollectiveOp[];
  emit(call: CollectiveCall): void;
  cost(request: CostRequest): CollectiveCost;
  /** Its time by the closed form in microseconds; `across` is the link between nodes, if there are several. */
  timeUs(request: CostRequest, link: Link, across?: Link): number;
}
