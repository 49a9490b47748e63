/**
 * Axis pp, as torch.distributed.pipelining keeps it: each rank of a pipeline has one or more stages of the model; the
 * batch is cut into micro-batches, which go through the stages in the order of a schedule (schedules/). Beside pp, tp
 * cuts the layers of a stage, and the ranks along the data axes average each stage's gradients over its own group, with
 * DDP or fully_shard around each stage. The mechanism is in pipeline/. Loaded by spmd.ts.
 */
import type { Config } from '../../protocol/config';
import { meshSizes, ranksOf, shardsParameters } from '../../protocol/mesh-sizes';
import { figuresOf } from '../../schedules/figures';
import type { ModeFacets } from '../facets/mode-facets';
import type { AroundStages } from '../pipeline/around-stages';
import { pipelineForm } from '../pipeline/closed-form';
import { compile } from '../pipeline/compile';
import { ddpAroundStages } from '../pipeline/ddp-around-stages';
import { memoryAdvice } from '../pipeline/memory-advice';
import { pipelineNotices } from '../pipeline/notices';
import { checkBatches, settleStages } from '../pipeline/settle';
import { shardsAroundStages } from '../pipeline/shards-around-stages';
import { microBatchesFor } from '../pipeline/short-batch';
import { borders, layersOfDevice, lossRanks, scheduleOf, shards } from '../pipeline/stage-graphs';
import { oneGroup, SETTINGS_OF_DATA_AXES } from './every-piece';
import { hasSampler, ranksDraw } from './own-draws';
import { replicas } from './replicas';
import { rowsOfDataIndex, sizedMesh } from './sized-mesh';

const around = (config: Config): AroundStages => (shardsParameters(config) ? shardsAroundStages : ddpAroundStages);

export const stages: ModeFacets = {
  place: {
    layersOfDevice,
    rowsOfDevice: (config, rows) => rowsOfDataIndex(sizedMesh(config), rows),
    shards,
    borders,
  },
  batches: {
    sampler: (config) => (hasSampler(config) ? 'distributedWhole' : undefined),
    settings: SETTINGS_OF_DATA_AXES,
    pieces: microBatchesFor,
    ranksDraw,
  },
  steps: {
    phases: replicas.steps.phases,
    noise: (input) => around(input.config).noise?.(input) ?? (() => []),
    lossRanks,
  },
  processes: {
    // Without replicas and without tensor groups, the ranks just send activations and their gradients to each other.
    group: (config) => (ranksOf({ ...meshSizes(config), pp: 1 }) > 1 ? oneGroup.group(config) : {}),
  },
  compiler: {
    settle: (input) => settleStages(input, around(input.config)),
    compile: (input, kind) => compile(input, kind, sizedMesh(input.config), around(input.config)),
  },
  facts: {
    closedForm: (run, pass) => pipelineForm(run, pass, around(run.config)),
    sharding: (input) => around(input.config).sharding?.(input, sizedMesh(input.config)),
    schedule: (config) => figuresOf(scheduleOf(config)),
  },
  checks: {
    schedule: checkBatches,
    notices: (input) => pipelineNotices(input, around(input.config)),
    memoryAdvice(input, kind, budgetBytes) {
      const { config } = input;
      const text = memoryAdvice({ input, kind, budgetBytes, mesh: sizedMesh(config), around: around(config) });
      return text === undefined ? undefined : { text };
    },
  },
};
