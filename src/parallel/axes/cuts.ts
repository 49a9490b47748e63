/**
 * Axis tp, as torch.distributed.tensor.parallel keeps it: the ranks of a tensor group hold parts of the same layers,
 * take the same batch and compute the same loss. Collectives inside the forward and the backward pass bring the parts
 * together. Replicas of the group train on different batches, with DDP around each rank's parts. If fully_shard wraps
 * the parts instead, shards.ts has the facets. The mechanism is in tensor/. Loaded by spmd.ts.
 */
import type { Config } from '../../protocol/config';
import { replicasOf } from '../../protocol/mesh-sizes';
import type { ModeFacets } from '../facets/mode-facets';
import { tensorForm } from '../tensor/closed-form';
import { compileCuts, noiseOfCuts, settleCuts } from '../tensor/compile';
import { tensorNotices } from '../tensor/notices';
import { planInfo } from '../tensor/plan-info';
import { everyPiece, oneGroup, SETTINGS_OF_DATA_AXES } from './every-piece';
import { hasSampler, ranksDraw } from './own-draws';
import { replicas } from './replicas';
import { sizedMesh } from './sized-mesh';

export const cuts: ModeFacets = {
  place: everyPiece,
  batches: {
    sampler,
    settings: SETTINGS_OF_DATA_AXES,
    ranksDraw,
  },
  steps: {
    accumulation: replicas.steps.accumulation,
    phases: replicas.steps.phases,
    noise: (input) => (replicasOf(input.config) > 1 ? noiseOfCuts(input, sizedMesh(input.config)) : () => []),
  },
  processes: oneGroup,
  compiler: {
    settle: settleCuts,
    compile: (input, kind) => compileCuts(input, kind, sizedMesh(input.config)),
  },
  facts: {
    closedForm: (run, pass) => tensorForm(run, pass, sizedMesh(run.config)),
    plan: (input) => planInfo(input, sizedMesh(input.config)),
  },
  checks: {
    notices: tensorNotices,
    stop: (input) => (replicasOf(input.config) > 1 ? replicas.checks.stop(input) : undefined),
  },
};

function sampler(config: Config) {
  if (replicasOf(config) > 1) return 'distributed';
  return hasSampler(config) ? 'distributedWhole' : undefined;
}
