/**
 * Axis dpReplicate by itself, as DistributedDataParallel keeps its replicas equal: one process per device, each with a
 * full replica and its own part of the batch. When the last gradient of a bucket is ready, its all-reduce starts on the
 * communication queue and overlaps with the rest of backward; gradients are divided by the world size as they are
 * copied into the bucket, then summed. Source: torch/nn/parallel/distributed.py. The mechanism is in ddp/. Loaded with
 * the page, because the default run needs it.
 */
import { type DeviceMesh, initDeviceMesh } from '../../mesh/device-mesh';
import { ProgramBuilder } from '../../program/builder';
import type { Config } from '../../protocol/config';
import { replicated, shardMap } from '../../sharding/shard-map';
import { construct } from '../ddp/broadcast';
import { bucketsInfo } from '../ddp/buckets-info';
import { checkSchedule } from '../ddp/checks';
import { ddpConstructorForm, ddpForm } from '../ddp/closed-form';
import { commHookOf } from '../ddp/comm-hooks/comm-hooks';
import { emitDdpStep } from '../ddp/ddp-step';
import { hookNoise } from '../ddp/hook-noise';
import { ddpNotices } from '../ddp/notices';
import { BROADCAST_STATE, mayStop, STOPS } from '../ddp/rare-parts';
import { passesBeforeRebuild, rebuilds } from '../ddp/ready-order';
import { mayNotFit, SHARDING_ADVICE } from '../ddp/sharding-advice';
import type { ModeFacets } from '../facets/mode-facets';
import { placeOn } from '../step/place';
import { everyLayer } from './sized-mesh';

/** All devices lie along dpReplicate, whatever the settings say of other axes. */
export const lineOfReplicas = ({ worldSize, nodes }: Config): DeviceMesh =>
  initDeviceMesh({ dpReplicate: worldSize }, { nodes });

export const replicas = {
  place: {
    ...everyLayer(lineOfReplicas),
    shards: (config, tensors) =>
      shardMap(tensors, ({ shape }) => replicated(shape, [...lineOfReplicas(config).devices])),
  },
  batches: {
    sampler: () => 'distributed',
    settings: ['ddp.samplerSeed', 'ddp.setEpoch', 'ddp.rankSeeds', 'ddp.samplesPerRank', 'ddp.join'],
  },
  steps: {
    accumulation: (config) => ({
      passesBeforeRebuild: rebuilds(config) ? passesBeforeRebuild(config) : 0,
      reducesEveryPass: config.ddp.noSync === 'backward' || config.ddp.noSync === 'none',
    }),
    phases: (config) => commHookOf(config).phases?.(config),
    noise: hookNoise,
  },
  processes: {
    group: ({ ddp: { algorithm } }) => ({ algorithm }),
    rankSeeds: ({ ddp }) => ddp.rankSeeds,
    broadcastsBuffers: ({ ddp }) => ddp.broadcastBuffers,
  },
  compiler: {
    compile(input, kind) {
      const builder = new ProgramBuilder(lineOfReplicas(input.config), input.ops);
      emitDdpStep({ builder, stages: placeOn(builder, builder.mesh.world), input }, kind);
      return builder.finish('ddp', kind);
    },
    construct,
    broadcastState: (input, buffers) => BROADCAST_STATE.get().broadcastState(input, buffers),
    withOverlap: (config, overlap) => ({ ...config, ddp: { ...config.ddp, overlap } }),
  },
  facts: { closedForm: ddpForm, constructForm: ddpConstructorForm, buckets: bucketsInfo },
  checks: {
    schedule: checkSchedule,
    notices: ddpNotices,
    stop: (input) => (mayStop(input.config) ? STOPS.get().stopOf(input) : undefined),
    memoryAdvice: (input, kind, budgetBytes) =>
      mayNotFit(input.config) ? SHARDING_ADVICE.get().shardingAdvice({ input, kind, budgetBytes }) : undefined,
  },
} as const satisfies ModeFacets;
