/** All studies, by id. */
import { allReducePorts } from './all-reduce-ports';
import { allReduceShared } from './all-reduce-shared';
import { ddpAlone } from './ddp-alone';
import { overlap } from './overlap';
import { pipelinePlanning } from './pipeline-planning';
import { pipelineSpeed } from './pipeline-speed';
import type { Study } from './study';
import { isolatedWorkers, plainWorkers } from './workers';
import { worldSize } from './world-size';

export const STUDIES: readonly Study[] = [
  allReduceShared,
  allReducePorts,
  ddpAlone,
  overlap,
  worldSize,
  plainWorkers,
  isolatedWorkers,
  pipelineSpeed,
  pipelinePlanning,
];
