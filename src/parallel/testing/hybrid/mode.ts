/**
 * A mode for tests: pipelines whose replicas lie along two axes of the mesh, dpReplicate and dpShard. DDP averages
 * along the first axis, an all-reduce at the end of the step along the second, similar to hybrid sharding; here dpShard
 * cuts nothing, so its ranks are replicas, too. Everything else is mode pipeline's.
 */

import { sizedMesh } from '../../axes/sized-mesh';
import { stages } from '../../axes/stages';
import type { ParallelMode } from '../../mode';
import { compile } from '../../pipeline/compile';
import { pipeline } from '../../pipeline/mode';
import { averageAlongAxes } from './average-along-axes';

export const hybrid: ParallelMode = {
  ...pipeline,
  facets: () => ({
    ...stages,
    compiler: {
      ...stages.compiler,
      compile: (input, kind) => compile(input, kind, sizedMesh(input.config), averageAlongAxes),
    },
  }),
};
