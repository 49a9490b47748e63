/**
 * Data about process groups: where each rank runs, its launch environment, and the collectives that it has issued.
 * Plain data; distributed/ and session/ make it, the page and the command line show it. Field names in snake_case or
 * capitals are PyTorch's and the environment's own.
 */
import type { Rank } from './trace';

/** nccl: ranks share one GPUDevice, copies stay on the GPU. gloo: one worker per rank, staged through host memory. */
export type Backend = 'nccl' | 'gloo';

/** The environment variables that torchrun sets for each process. */
export interface RankEnvironment {
  readonly RANK: number;
  readonly LOCAL_RANK: number;
  readonly GROUP_RANK: number;
  readonly WORLD_SIZE: number;
  readonly LOCAL_WORLD_SIZE: number;
  readonly MASTER_ADDR: string;
  readonly MASTER_PORT: number;
  readonly CUDA_VISIBLE_DEVICES: string | undefined;
}

/** Nodes, and the processes that run on each: what a torchrun or SLURM line asks for. */
export interface LaunchPlan {
  readonly launcher: 'torchrun' | 'slurm' | 'spawn';
  readonly nodes: readonly {
    readonly host: string;
    readonly ranks: readonly RankEnvironment[];
  }[];
  readonly worldSize: number;
  readonly maxRestarts: number;
  readonly rendezvous: { readonly id: string; readonly backend: string; readonly endpoint: string };
  /** The words after the options: the script (here: the configuration) and its arguments. */
  readonly script: readonly string[];
  /** Devices of each node, from CUDA_VISIBLE_DEVICES or requested from SLURM. Absent: all. */
  readonly visibleDevices?: readonly number[];
  /** --node_rank: the node that this line starts; the other nodes need the same line with their own number. */
  readonly nodeRank?: number;
  /** Sentences for the user: which size of an elastic range was chosen, what would hang on real machines. */
  readonly notes: readonly string[];
}

/**
 * An entry of PyTorch's flight recorder, with its field names (torch/csrc/distributed/c10d/FlightRecorder.hpp). Times
 * in nanoseconds.
 */
export interface FlightRecord {
  readonly record_id: number;
  readonly pg_id: number;
  readonly process_group: readonly [name: string, description: string];
  readonly collective_seq_id: number;
  readonly p2p_seq_id: number;
  readonly op_id: number;
  /** 'nccl:all_reduce', 'gloo:broadcast' ... */
  readonly profiling_name: string;
  readonly time_created_ns: number;
  readonly time_discovered_started_ns: number | null;
  readonly time_discovered_completed_ns: number | null;
  readonly duration_ms: number | null;
  readonly input_sizes: readonly (readonly number[])[];
  readonly input_dtypes: readonly string[];
  readonly output_sizes: readonly (readonly number[])[];
  readonly output_dtypes: readonly string[];
  readonly state: 'scheduled' | 'started' | 'completed';
  readonly timeout_ms: number;
  readonly is_p2p: boolean;
  readonly retired: boolean;
  /** Where the call was issued: the line of the PyTorch script beside the run. */
  readonly frames: readonly { readonly name: string; readonly filename: string; readonly line: number }[];
}

/** The dump of one rank, as torch's fr_trace reads it. */
export interface FlightRecorderDump {
  readonly version: string;
  readonly rank: Rank;
  readonly pg_config: Readonly<
    Record<string, { readonly name: string; readonly desc: string; readonly ranks: string }>
  >;
  readonly pg_status: Readonly<
    Record<
      string,
      {
        readonly last_enqueued_collective: number;
        readonly last_started_collective: number;
        readonly last_completed_collective: number;
      }
    >
  >;
  readonly entries: readonly FlightRecord[];
}
