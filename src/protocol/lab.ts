/**
 * Requests of the collectives lab to the session, and the results: one collective that really ran, round by round, with
 * its cost and the formula; algorithms compared over sizes and world sizes; and, on request, the collective's time on
 * this machine.
 */
import type { AlgorithmName, CollectiveOp, Link, ReduceOp } from './collective';
import type { Apply, CollectiveRef, Rank, Slice } from './trace';

export interface LabRequest {
  readonly op: CollectiveOp;
  readonly reduceOp: ReduceOp;
  readonly algorithm: AlgorithmName;
  readonly worldSize: number;
  /** Number of 4-byte elements of each rank's input. */
  readonly length: number;
  readonly root: Rank;
  /** Number of nodes; ranks are spread evenly over them, in order. */
  readonly nodes: number;
  /** Start-up time of a collective before its first message, microseconds. */
  readonly startUs: number;
  readonly link: Link;
  /** Link between nodes. */
  readonly across: Link;
  readonly seed: number;
}

/** At most this many values of a tile are sent to the page. */
export const LAB_TILE_VALUES = 16;

/** A buffer that the collective works on, cut where its messages begin and end: the same cuts on every rank. */
export interface LabBuffer {
  readonly name: string;
  /** scratch: memory of the algorithm. */
  readonly role: 'inPlace' | 'input' | 'output' | 'scratch';
  readonly length: number;
  readonly chunks: readonly { readonly offset: number; readonly length: number }[];
}

/** A chunk of one rank's buffer at one moment. */
export interface LabTile {
  /** Bit r is set if the chunk contains a value of rank r. 0: nothing has been written. */
  readonly contributors: number;
  /** The first LAB_TILE_VALUES of its elements. */
  readonly values: readonly number[];
}

/** [buffer][rank][chunk], in the order of LabResult.buffers. */
export type LabState = readonly (readonly (readonly LabTile[])[])[];

export interface LabTransfer {
  readonly from: Rank;
  readonly to: Rank;
  readonly source: Slice;
  readonly target: Slice;
  readonly bytes: number;
  readonly apply: Apply;
  readonly part: CollectiveRef['part'];
  /**
   * Modelled on the given links, in microseconds from the start: the sender is busy until `sentUs`; the message arrives
   * at `endUs`.
   */
  readonly startUs: number;
  readonly sentUs: number;
  readonly endUs: number;
}

/** Messages that may be in flight at once. */
export interface LabRound {
  readonly transfers: readonly LabTransfer[];
  /** State after the round. */
  readonly state: LabState;
}

export interface LabResult {
  readonly request: LabRequest;
  /** The algorithm that ran: 'naive' if the requested one does not support the collective. */
  readonly algorithm: AlgorithmName;
  /** Algorithms that support the collective. */
  readonly known: readonly AlgorithmName[];
  /**
   * Elements of each rank's input; rounded up to a multiple of the world size if the collective cuts the input into
   * equal parts.
   */
  readonly length: number;
  /** Node of each rank. */
  readonly nodeOf: readonly number[];
  readonly buffers: readonly LabBuffer[];
  readonly initial: LabState;
  readonly rounds: readonly LabRound[];
  readonly bytesSent: readonly number[];
  /** The closed form for bytes and time. */
  readonly formula: {
    readonly bytes: string;
    readonly time: string;
    readonly bytesSent: readonly number[];
    readonly rounds: number;
    readonly timeUs: number;
  };
  readonly modelledUs: number;
  /** Comparison with the collective's definition in double precision. */
  readonly check: {
    /** Largest relative difference of any element of any rank's result. */
    readonly maxError: number;
    /** Whether all ranks that get the same result got the same bytes. */
    readonly sameBytes: boolean;
  };
}

/** Real runs of the same collective over typed arrays: ranks connected by MessagePorts, all in the session's thread. */
export interface LabMeasurement {
  readonly medianUs: number;
  readonly runs: number;
}

/** Modelled time of an algorithm that supports the collective, by event simulation of its Program. */
export interface LabCurve {
  readonly algorithm: AlgorithmName;
  readonly points: readonly { readonly worldSize: number; readonly bytes: number; readonly timeUs: number }[];
}

/**
 * The buffer size at which the faster of two algorithms changes: from this many bytes on, `above` is at least as fast.
 */
export interface LabCrossover {
  readonly bytes: number;
  readonly timeUs: number;
  readonly below: LabSide;
  readonly above: LabSide;
}

/** The cost of an algorithm at a crossover: number of successive messages, and bytes of the rank that sends most. */
export interface LabSide {
  readonly algorithm: AlgorithmName;
  readonly rounds: number;
  readonly bytes: number;
}

export interface LabCurves {
  /** At the request's world size, over buffer sizes. */
  readonly overBytes: readonly LabCurve[];
  /** At the request's length, over world sizes. */
  readonly overRanks: readonly LabCurve[];
  readonly crossovers: readonly LabCrossover[];
}
