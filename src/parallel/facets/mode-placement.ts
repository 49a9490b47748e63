/** Where a mode puts a run: the layers, tensors and rows that each device has. */
import type { Config } from '../../protocol/config';
import type { ShardMap, TensorSpec } from '../../sharding/shard-map';
import type { ModeInput } from '../mode-input';
import type { StageOutput } from '../stage-graph';

/** The rows of its process's batch that a device works on; count 0: none. */
export type RowSlice = readonly [start: number, count: number];

export interface ModePlacement {
  /** Layers (indices into the configuration) whose parameters live on each device. */
  layersOfDevice(config: Config): readonly (readonly number[])[];
  /** The rows that each device works on. `rows`: how many each process has. */
  rowsOfDevice(config: Config, rows: readonly number[]): readonly RowSlice[];
  /** Which device holds which piece of each parameter and buffer of the model and its loss. */
  shards(config: Config, tensors: readonly TensorSpec[]): ShardMap;
  /** One row of the tensor that crosses each border between neighbours; absent: none does. */
  borders?(input: ModeInput): readonly StageOutput[];
}
