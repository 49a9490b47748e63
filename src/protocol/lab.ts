/** What the collectives lab asks the session for, and what it gets: one collective that was really run, round by round, with its cost beside the formula. */
import type { AlgorithmName, CollectiveOp, Link, ReduceOp } from './collective';
import type { Apply, Rank } from './trace';

export interface LabRequest {
  readonly op: CollectiveOp;
  readonly reduceOp: ReduceOp;
  readonly algorithm: AlgorithmName;
  readonly worldSize: number;
  /** Elements (float32) that each rank brings. */
  readonly length: number;
  readonly root: Rank;
  /** Nodes that the ranks are spread over evenly. */
  readonly nodes: number;
  readonly link: Link;
  /** Between nodes. */
  readonly across: Link;
  readonly seed: number;
}

export interface LabTransfer {
  readonly from: Rank;
  readonly to: Rank;
  /** In elements of the buffer that it is written to. */
  readonly offset: number;
  readonly length: number;
  readonly bytes: number;
  readonly apply: Apply;
  /** Modelled on the given links, microseconds from the start. */
  readonly startUs: number;
  readonly endUs: number;
}

export interface LabRound {
  readonly title: string;
  readonly transfers: readonly LabTransfer[];
  /** Each rank's buffer after the round, and for each element how many ranks' values are in it. */
  readonly buffers: readonly Float32Array[];
  readonly summed: readonly Uint8Array[];
}

export interface LabResult {
  readonly request: LabRequest;
  /** The algorithm that ran: 'naive' where the one asked for does not know the collective. */
  readonly algorithm: AlgorithmName;
  readonly buffers: readonly Float32Array[];
  readonly summed: readonly Uint8Array[];
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
  /** Median of several runs of the same collective on this machine; undefined until asked for. */
  readonly measuredUs: number | undefined;
}

/** One curve of the chart: an algorithm over buffer sizes, by the event simulation of its Program. */
export interface LabCurve {
  readonly algorithm: AlgorithmName;
  readonly points: readonly { readonly worldSize: number; readonly bytes: number; readonly timeUs: number }[];
}
