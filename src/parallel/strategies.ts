/** The table of parallel modes, and of every operator their Programs may use. */
import { COMM_OPS } from '../collectives/bucket-ops';
import { HALF_OPS } from '../collectives/halves/half-ops';
import type { OpTable } from '../graph/op';
import { OPS } from '../graph/op-table';
import { OPTIM_OPS } from '../optim/op-table';
import type { Mode } from '../protocol/config';
import { dataParallel } from './data-parallel/data-parallel';
import { LOW_RANK_OPS } from './ddp/comm-hooks/power-sgd/low-rank-ops';
import { ddp } from './ddp/ddp';
import { modelParallel } from './model-parallel';
import { parameterServer } from './parameter-server';
import { single } from './single';
import type { Strategy } from './strategy';

export const STRATEGIES: Readonly<Record<Mode, Strategy>> = {
  single,
  dataParallel,
  ddp,
  modelParallel,
  parameterServer,
};

export const PROGRAM_OPS: OpTable = new Map([...OPS, ...OPTIM_OPS, ...COMM_OPS, ...HALF_OPS, ...LOW_RANK_OPS]);
