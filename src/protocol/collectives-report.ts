/**
 * The report of `lockstep collectives`: a table like that of nccl-tests, one row per size, measured here and modelled
 * on a machine of the simulator.
 */
import type { AlgorithmName, CollectiveOp, ReduceOp } from './collective';
import type { Config } from './config';
import type { DeviceReport } from './session-info';

/** shared: ranks on one GPUDevice; ports: ranks connected by MessagePorts. */
export type CollectivesTransport = 'shared' | 'ports';

export interface CollectivesRequest {
  readonly op: CollectiveOp;
  readonly reduceOp: ReduceOp;
  readonly algorithm: AlgorithmName;
  readonly ranks: number;
  readonly nodes: number;
  readonly root: number;
  /** Sizes as nccl-tests counts them: the larger of a rank's input and output. */
  readonly fromBytes: number;
  readonly toBytes: number;
  readonly stepFactor: number;
  readonly iterations: number;
  readonly warmup: number;
  readonly device: Config['device'];
  readonly transport: CollectivesTransport;
  readonly hardware: Config['hardware'];
}

export interface CollectiveTiming {
  readonly timeUs: number;
  /**
   * Size divided by time, in GB/s; and the same times the factor that makes it comparable to a link's bandwidth for any
   * number of ranks (nccl-tests, PERFORMANCE.md).
   */
  readonly algorithmBandwidth: number;
  readonly busBandwidth: number;
}

export interface CollectivesRow {
  readonly bytes: number;
  /** Elements of a rank's input. */
  readonly count: number;
  readonly dtype: 'float' | 'int32';
  readonly reduceOp: ReduceOp | 'none';
  readonly root: number;
  readonly measured: CollectiveTiming;
  readonly modelled: CollectiveTiming;
  /** Number of elements of all ranks' results that contradict the collective's definition. */
  readonly wrong: number;
}

export interface CollectivesReport {
  readonly lockstep: string;
  readonly request: CollectivesRequest;
  /** The algorithm that ran: 'naive' if the requested one does not support the collective. */
  readonly algorithm: AlgorithmName;
  readonly device: DeviceReport;
  readonly modelledHardware: string;
  readonly clock: string;
  readonly rows: readonly CollectivesRow[];
}
