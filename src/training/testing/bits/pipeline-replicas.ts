/**
 * Replicas of a pipeline: every schedule with and without overlap, every algorithm, the nets, and which rows a replica
 * gets. A part of the table of parity/bits.test.ts.
 */
import { ALGORITHM_NAMES } from '../../../protocol/collective';
import type { ConfigInput } from '../../../protocol/config';
import { SCHEDULE_NAMES } from '../../../protocol/pipeline';
import { type Named, withLayers, withNet } from './nets';
import { EIGHT_LAYERS, piped } from './pipelines';

/** Several buckets, even in nets as small as these. */
const SMALL = 0.0001;

const replicas = (name: string, config: ConfigInput): Named =>
  withLayers(
    `pipeline, replicas, ${name}`,
    EIGHT_LAYERS,
    piped({
      data: { type: 'xor', samples: 46 },
      batchSize: 12,
      mesh: { pp: 2, dp: 2 },
      pipeline: { microBatches: 3 },
      ...config,
    }),
  );

const schedules: readonly Named[] = SCHEDULE_NAMES.flatMap((schedule) => {
  const config: ConfigInput = { batchSize: 16, pipeline: { schedule, microBatches: 4 } };
  return [
    replicas(`${schedule}, small buckets`, { ...config, ddp: { bucketCapMb: SMALL } }),
    replicas(`${schedule}, no overlap, naive`, {
      ...config,
      ddp: { bucketCapMb: SMALL, overlap: false, algorithm: 'naive' },
    }),
  ];
});

const algorithms: readonly Named[] = ALGORITHM_NAMES.map((algorithm) =>
  replicas(`${algorithm} of 4`, { batchSize: 16, mesh: { pp: 2, dp: 4 }, ddp: { algorithm, bucketCapMb: SMALL } }),
);

const workers: readonly Named[] = (['1F1B', 'InterleavedZeroBubble', 'ZBVZeroBubble'] as const).map((schedule) =>
  replicas(`${schedule}, workers`, {
    placement: 'workers',
    batchSize: 16,
    pipeline: { schedule, microBatches: 4 },
    ddp: { bucketCapMb: SMALL },
  }),
);

const rows: readonly Named[] = [
  replicas('samplerSeed 7', { ddp: { samplerSeed: 7 } }),
  replicas('no set_epoch', { ddp: { setEpoch: false } }),
  replicas('in order, on 2 nodes', { shuffle: false, nodes: 2, ddp: { algorithm: 'hierarchical' } }),
  replicas('a short last batch', { dropLast: false }),
  replicas('uneven micro-batches, summed', { batchSize: 14, pipeline: { microBatches: 3, scaleGrads: false } }),
  replicas('a single device beside it', { compareSingle: true }),
  replicas('three of one rank', { mesh: { pp: 1, dp: 3 }, pipeline: { microBatches: 2 } }),
];

const nets: readonly Named[] = (['mixed', 'cnn', 'gpt'] as const).flatMap((net) =>
  (['1F1B', 'GPipe'] as const).map((schedule) =>
    withNet(
      `pipeline, replicas, ${net}, ${schedule}`,
      net,
      piped({
        batchSize: 8,
        mesh: { pp: 2, dp: 2 },
        pipeline: { schedule, microBatches: 2 },
        ddp: { bucketCapMb: SMALL },
      }),
    ),
  ),
);

export const PIPELINE_REPLICA_RUNS: readonly Named[] = [...schedules, ...algorithms, ...workers, ...rows, ...nets];
