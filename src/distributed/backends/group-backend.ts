/**
 * Moves the data of a group for one rank after the ledger has permitted the call: gloo.ts and nccl.ts. Checks nothing.
 */
import type { AlgorithmName, CollectiveOp, ReduceOp } from '../../protocol/collective';
import type { Backend } from '../../protocol/process-group';
import type { DType, HostArray } from '../../tensor/shape';

/** A collective as the algorithms take it (collectives/collective.ts): equal on all ranks. */
export interface CollectiveRequest {
  readonly op: CollectiveOp;
  readonly algorithm: AlgorithmName;
  readonly worldSize: number;
  readonly dtype: DType;
  /** Elements of a rank's input. */
  readonly length: number;
  readonly root?: number;
  readonly reduceOp?: ReduceOp;
  /** Ranks that share a node, one list per node. */
  readonly nodes?: readonly (readonly number[])[];
}

/** One message between two ranks; `name` is the same on both sides. */
export interface PeerMessage {
  readonly from: number;
  readonly to: number;
  readonly name: string;
}

export interface GroupBackend {
  readonly name: Backend;
  /**
   * Collectives of a group run in the order of these calls. The result of a collective that works in place is written
   * to `input`, the result of any other collective to `output`.
   */
  run(request: CollectiveRequest, input: HostArray, output: HostArray): Promise<void>;
  send(message: PeerMessage, data: HostArray): Promise<void>;
  recv(message: PeerMessage, into: HostArray): Promise<void>;
  /** Rejects all waiting calls with that error, and frees memory and ports. */
  close(error: Error): void;
}
