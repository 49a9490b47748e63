/**
 * Pipelines: every schedule, every net in both placements, and what a stage has beside it; pipeline-replicas.ts and
 * pipeline-steps.ts have more. A part of the table of parity/bits.test.ts.
 */
import type { Config, ConfigInput } from '../../../protocol/config';
import { SCHEDULE_NAMES } from '../../../protocol/pipeline';
import { mlpLayers } from '../../../protocol/presets';
import { type Named, NETS, type NetName, withLayers, withNet } from './nets';

const PLACEMENTS: readonly Config['placement'][] = ['shared', 'workers'];
const netNames = Object.keys(NETS) as readonly NetName[];

/** The short last batch of an epoch is left out, as torch wants it. */
export const piped = (config: ConfigInput): ConfigInput => ({ mode: 'pipeline', dropLast: true, ...config });

const everyNet: readonly Named[] = netNames.flatMap((net) =>
  PLACEMENTS.map((placement) =>
    withNet(
      `pipeline of 3, ${net}, ${placement}`,
      net,
      // Batch norm takes no micro-batch of one row.
      piped({ placement, mesh: { pp: 3 }, pipeline: { schedule: 'GPipe', microBatches: 4 } }),
    ),
  ),
);

/** Enough for the two stages of each of four ranks. */
export const EIGHT_LAYERS = mlpLayers([2, 5, 5, 5, 5, 5, 5, 5, 1], 'Tanh');

const everySchedule: readonly Named[] = SCHEDULE_NAMES.map((schedule) =>
  withLayers(
    `pipeline, ${schedule}, eight layers`,
    EIGHT_LAYERS,
    piped({
      data: { type: 'xor', samples: 46 },
      batchSize: 12,
      mesh: { pp: 2 },
      pipeline: { schedule, microBatches: 4 },
    }),
  ),
);

const more: readonly Named[] = [
  withNet('pipeline, mlp, replicas', 'mlp', piped({ mesh: { pp: 2, dp: 2 }, pipeline: { microBatches: 3 } })),
  withNet(
    'pipeline, mlp, replicas, naive, small buckets',
    'mlp',
    piped({
      mesh: { pp: 3, dp: 2 },
      pipeline: { microBatches: 3 },
      ddp: { algorithm: 'naive', bucketCapMb: 0.00002 },
    }),
  ),
  withNet(
    'pipeline, mlp, uneven micro-batches and a short last batch, summed',
    'mlp',
    piped({ dropLast: false, mesh: { pp: 2 }, pipeline: { microBatches: 5, scaleGrads: false } }),
  ),
  withNet('pipeline, gpt, fused', 'gpt', piped({ fuse: true, mesh: { pp: 2 }, pipeline: { microBatches: 2 } })),
  withNet(
    'pipeline, mixed, checkpointed in 2 segments, a single device beside it',
    'mixed',
    piped({ checkpointSegments: 2, compareSingle: true, mesh: { pp: 2 }, pipeline: { microBatches: 3 } }),
  ),
];

export const PIPELINE_RUNS: readonly Named[] = [...everyNet, ...everySchedule, ...more];
