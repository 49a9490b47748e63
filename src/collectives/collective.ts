/**
 * The seam of the collectives: an algorithm emits sends and receives (and copies within a device) into the lanes of a
 * Program, and knows what it costs. Whatever the algorithm, the results are torch.distributed's, and where ranks get
 * the same result they get the same bytes: each element is reduced once, on one rank, and then copied. `algorithms.ts`
 * is the table. Called by parallel/ and by distributed/.
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
  /** Only its ranks take part, each with one device; the lanes of others stay as they are. */
  readonly group: Group;
  /**
   * What each rank brings: a buffer of that name on every device of the group. allReduce, broadcast and reduce work in
   * place (reduce: only the root's contents are defined afterwards). scatter reads it on the root alone.
   */
  readonly input: string;
  /**
   * Where the result comes, of the others: allGather and gather [N * length] (gather: the root's alone), reduceScatter
   * and scatter [length / N], allToAll [length]. An allGather whose input is its output is in place, as NCCL has it:
   * each rank brings its own block of the buffer.
   */
  readonly output?: string;
  /** Of a reduceScatter: the caller needs the input no more, so the sums are made in it. */
  readonly consumesInput?: true;
  /** Elements of the input; of reduceScatter, scatter and allToAll a multiple of N. May be 0. */
  readonly length: number;
  /** Rank in the group, of those that have one. Default 0. */
  readonly root?: number;
  /** Default 'sum'. */
  readonly reduceOp?: ReduceOp;
  /**
   * Of an all-reduce by sum: the words of the input (int32) hold two halves each, and their sums are sums of halves.
   * `length` counts words.
   */
  readonly halves?: HalfFormat;
  readonly payload: Payload;
  readonly bucket?: number;
  readonly where: Where;
  /**
   * Ranks of the group that share a node, one list per node; absent: as the builder's mesh says. Hierarchical
   * algorithms look at it.
   */
  readonly nodes?: readonly (readonly number[])[];
}

/** A call with its place in the group's sequence of collectives: what recipes write down. */
export interface NumberedCall extends CollectiveCall {
  readonly seq: number;
}

export interface CostRequest {
  readonly op: CollectiveOp;
  /** Of the input of a rank. */
  readonly bytes: number;
  /** Of its elements, none of which is cut in two. Default 'f32'. */
  readonly dtype?: DType;
  /** Each element is a word of two halves. */
  readonly halves?: HalfFormat | undefined;
  readonly worldSize: number;
  /** Rank in the group, of those that have one. Default 0. */
  readonly root?: number;
  readonly nodes?: readonly (readonly number[])[];
}

export interface CollectiveCost {
  /** Messages that follow each other on the longest path. */
  readonly rounds: number;
  /** Bytes that each rank sends; exact, in rank order. */
  readonly bytesSent: readonly number[];
  /** The closed form: what a rank sends (or the busiest one), and the time. S bytes, N ranks, alpha, beta. */
  readonly formula: { readonly bytes: string; readonly time: string };
}

export interface Algorithm {
  readonly name: AlgorithmName;
  /** Which collectives it knows; the others take 'naive', which knows all. */
  readonly ops: readonly CollectiveOp[];
  emit(call: CollectiveCall): void;
  cost(request: CostRequest): CollectiveCost;
  /** Its time by the closed form, microseconds; `across` is the link between nodes, where there are several. */
  timeUs(request: CostRequest, link: Link, across?: Link): number;
}
