/**
 * tf.distribute's counterpart of each mode, or why it has none. interop/tensorflow writes the script; the page reads
 * this file to decide whether to offer the script, so the file is as light as a face. A mode without a row has no
 * counterpart.
 */
import type { Config, Mode } from '../protocol/config';
import type { StrategyOfRun } from '../protocol/strategy';

export type Counterpart = StrategyOfRun | { readonly none: string };

const REPLICAS_ONLY =
  'tf.distribute has replicas of whole models only: it places no layers on several devices. (DTensor and Mesh TensorFlow, which cut tensors, are separate libraries.)';

const oneDevice = ({ batchSize }: Config): Counterpart => ({ strategy: 'OneDeviceStrategy', batchSize });

const COUNTERPARTS: Readonly<Partial<Record<Mode, (config: Config) => Counterpart>>> = {
  single: oneDevice,
  dataParallel: ({ batchSize }) => ({
    strategy: 'MirroredStrategy',
    batchSize,
    notes: ['Unlike DataParallel, every replica keeps its variables and computes its own loss; nothing is gathered.'],
  }),
  ddp: (config) => ({
    strategy: config.nodes > 1 ? 'MultiWorkerMirroredStrategy' : 'MirroredStrategy',
    // Rows that the ranks cannot share evenly are left out, as in the run.
    batchSize: Math.floor(config.batchSize / config.worldSize) * config.worldSize,
    synchronizedNorms: config.ddp.syncBatchNorm,
    notes: notesOfDdp(config),
  }),
  modelParallel: () => ({ none: REPLICAS_ONLY }),
  pipeline: () => ({ none: `${REPLICAS_ONLY} It has no pipelines either.` }),
  sharded: () => ({ none: `${REPLICAS_ONLY} It does not shard parameters.` }),
  tensor: () => ({ none: REPLICAS_ONLY }),
  parameterServer(config) {
    const { batchSize, worldSize, parameterServer } = config;
    if (worldSize === 1) return oneDevice(config);
    // torch.chunk: the most rows that a worker has.
    if (!parameterServer.synchronous)
      return {
        strategy: 'ParameterServerStrategy',
        batchSize: Math.ceil(batchSize / (worldSize - 1)),
        notes: [
          `How many updates a worker may be behind (staleness ${parameterServer.staleness}) cannot be chosen: it depends on timing.`,
          'Each worker draws its batches from all rows, independently of the other workers.',
        ],
      };
    return {
      none: "TensorFlow 2's ParameterServerStrategy is asynchronous; TensorFlow 1 had a synchronous one, SyncReplicasOptimizer. There is a script if parameterServer.synchronous is false.",
    };
  },
};

function notesOfDdp({ ddp }: Config): readonly string[] {
  const left = [
    ...(ddp.join ? ['join'] : []),
    ...(ddp.samplesPerRank ? ['samplesPerRank'] : []),
    ...(ddp.rankSeeds === 'same' ? [] : ['rankSeeds']),
    ...(ddp.initSync ? [] : ['initSync']),
    ...(ddp.setEpoch ? [] : ['setEpoch']),
    ...(ddp.commHook.type === 'allreduce' ? [] : [`the communication hook ${ddp.commHook.type}`]),
  ];
  return [
    'There are no buckets to choose: TensorFlow packs gradients itself, and CommunicationOptions(bytes_per_pack=...) is a hint.',
    ...(left.length === 0 ? [] : [`tf.distribute has no counterpart of ${left.join(', ')}.`]),
  ];
}

export const counterpartOf = (config: Config): Counterpart =>
  COUNTERPARTS[config.mode]?.(config) ?? { none: 'tf.distribute has no counterpart of this mode.' };
