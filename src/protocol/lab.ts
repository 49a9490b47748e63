/**
 * What the collectives lab asks the session for, and what it gets: one collective that was really run, round by round,
 * with its cost beside the formula; algorithms compared over sizes and world sizes; and, when asked for, what the
 * collective takes on this machine.
 */
import type { AlgorithmName, CollectiveOp, Link, ReduceOp } from './collective';
import type { Apply, CollectiveRef, Rank, Slice } from './trace';

export interface LabRequest {
  readonly op: CollectiveOp;
  readonly reduceOp: ReduceOp;
  readonly algorithm: AlgorithmName;
  readonly worldSize: number;
  /** Elements of 4 bytes that each rank brings. */
  readonly length: number;
  readonly root: Rank;
  /** Nodes that the ranks are spread over evenly, in order. */
  readonly nodes: number;
  /** What a collective takes before its first message, microseconds. */
  readonly startUs: number;
  readonly link: Link;
  /** Between nodes. */
  readonly across: Link;
  readonly seed: number;
}

/** At most so many values of a tile travel to the page. */
export const LAB_TILE_VALUES = 16;

/** A buffer that the collective works on, cut where its messages begin and end: the same cuts on every rank. */
export interface LabBuffer {
  readonly name: string;
  /** scratch: the algorithm's own. */
  readonly role: 'inPlace' | 'input' | 'output' | 'scratch';
  readonly length: number;
  readonly chunks: readonly { readonly offset: number; readonly length: number }[];
}

/** A chunk of one rank's buffer at one moment. */
export interface LabTile {
  /** Bit r is set: a value of rank r is in it. 0: nothing has been written there. */
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
   * Modelled on the given links, microseconds from the start: its sender is busy with it until `sentUs`; `endUs` is its
   * arrival.
   */
  readonly startUs: number;
  readonly sentUs: number;
  readonly endUs: number;
}

/** Messages that may be on their way at once. */
export interface LabRound {
  readonly transfers: readonly LabTransfer[];
  /** After it. */
  readonly state: LabState;
}

export interface LabResult {
  readonly request: LabRequest;
  /** The algorithm that ran: 'naive' where the one asked for does not know the collective. */
  readonly algorithm: AlgorithmName;
  /** Algorithms that know the collective. */
  readonly known: readonly AlgorithmName[];
  /**
   * Elements that each rank brought: where the collective cuts them into equal parts, the next multiple of the world
   * size.
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
  /** Held against the definition of the collective in double precision. */
  readonly check: {
    /** Largest relative difference of any element of any rank's result. */
    readonly maxError: number;
    /** All ranks that get the same result got the same bytes. */
    readonly sameBytes: boolean;
  };
}

/**
 * Real runs of the same collective over typed arrays: ranks joined by MessagePorts, all in the session's one thread.
 */
export interface LabMeasurement {
  readonly medianUs: number;
  readonly runs: number;
}

/** Every algorithm that knows the collective, by the event simulation of its Program. */
export interface LabCurve {
  readonly algorithm: AlgorithmName;
  readonly points: readonly { readonly worldSize: number; readonly bytes: number; readonly timeUs: number }[];
}

/**
 * Where the request's algorithm and another one change places as the buffer grows: from this many bytes on `above` is
 * the faster one, or as fast.
 */
export interface LabCrossover {
  readonly bytes: number;
  readonly timeUs: number;
  readonly below: LabSide;
  readonly above: LabSide;
}

/** What an algorithm pays at a crossover: messages one after the other, and bytes of the rank that sends most. */
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
