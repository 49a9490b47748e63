/**
 * The table of parallel modes: a folder and a row each; and every operator that their Programs may use. Called by the
 * rooms that make a run (config, launch, training, headless).
 */
import { COMM_OPS } from '../collectives/bucket-ops';
import { HALF_OPS } from '../collectives/halves/half-ops';
import type { OpTable } from '../graph/op';
import { OPS } from '../graph/op-table';
import { OPTIM_OPS } from '../optim/op-table';
import type { Mode } from '../protocol/config';
import { dataParallel } from './data-parallel/mode';
import { LOW_RANK_OPS } from './ddp/comm-hooks/power-sgd/low-rank-ops';
import { ddp } from './ddp/mode';
import type { ParallelMode } from './mode';
import { modelParallel } from './model-parallel/mode';
import { parameterServer } from './parameter-server/mode';
import { single } from './single/mode';

export const PARALLEL_MODES: Readonly<Record<Mode, ParallelMode>> = {
  single,
  dataParallel,
  ddp,
  modelParallel,
  parameterServer,
};

export const PROGRAM_OPS: OpTable = new Map([...OPS, ...OPTIM_OPS, ...COMM_OPS, ...HALF_OPS, ...LOW_RANK_OPS]);
