/**
 * What `lockstep collectives` reports: a table like that of nccl-tests, a row a size, measured here and modelled on a
 * machine of the simulator.
 */
import type { AlgorithmName, CollectiveOp, ReduceOp } from './collective';
import type { Config } from './config';
import type { DeviceReport } from './session-info';

/** shared: ranks on one GPUDevice; ports: ranks joined by MessagePorts. */
export type CollectivesTransport = 'shared' | 'ports';

export interface CollectivesRequest {
  readonly op: CollectiveOp;
  readonly reduceOp: ReduceOp;
  readonly algorithm: AlgorithmName;
  readonly ranks: number;
  readonly nodes: number;
  readonly root: number;
  /** Sizes as nccl-tests counts them: the larger one of what a rank brings and what it gets. */
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
   * Size by time; and that times the factor that makes it comparable to the bandwidth of a link, whatever the ranks
   * (nccl-tests, PERFORMANCE.md). GB/s.
   */
  readonly algorithmBandwidth: number;
  readonly busBandwidth: number;
}

export interface CollectivesRow {
  readonly bytes: number;
  /** Elements that a rank brings. */
  readonly count: number;
  readonly dtype: 'float' | 'int32';
  readonly reduceOp: ReduceOp | 'none';
  readonly root: number;
  readonly measured: CollectiveTiming;
  readonly modelled: CollectiveTiming;
  /** Elements of all ranks' results that are not what the collective's definition gives. */
  readonly wrong: number;
}

export interface CollectivesReport {
  readonly lockstep: string;
  readonly request: CollectivesRequest;
  /** The one that ran: 'naive' where the one asked for does not know the collective. */
  readonly algorithm: AlgorithmName;
  readonly device: DeviceReport;
  readonly modelledHardware: string;
  readonly clock: string;
  readonly rows: readonly CollectivesRow[];
}
