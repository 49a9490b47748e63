/** The table of faces, in the order in which the page offers the modes. Called by app, cli and the rooms below them. */
import type { Mode } from '../protocol/config';
import { dataParallel } from './data-parallel/face';
import { ddp } from './ddp/face';
import type { Face } from './face';
import { modelParallel } from './model-parallel/face';
import { parameterServer } from './parameter-server/face';
import { pipeline } from './pipeline/face';
import { sharded } from './sharded/face';
import { single } from './single/face';
import { tensor } from './tensor/face';

export const FACES: Readonly<Record<Mode, Face>> = {
  single,
  dataParallel,
  ddp,
  modelParallel,
  pipeline,
  sharded,
  tensor,
  parameterServer,
};
