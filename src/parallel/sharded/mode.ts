/**
 * Sharded data parallelism: FSDP2's fully_shard and ZeRO. One process for each rank, each with its own rows of the
 * batch. The ranks of a shard group keep shards of the parameters, gradients and optimiser states of one replica of the
 * model. This file is the light part, loaded with the page; the compiler is loaded on demand.
 */
import { at, must } from '../../base/invariant';
import { Part } from '../../base/part';
import { initDeviceMesh } from '../../mesh/device-mesh';
import type { Config } from '../../protocol/config';
import { reduceHalf } from '../../protocol/half-of';
import { meshSizes } from '../../protocol/mesh-sizes';
import { opFamiliesOfHook } from '../ddp/comm-hooks/comm-hooks';
import { ddp } from '../ddp/mode';
import { type ParallelMode, SCRIPT } from '../mode';
import { sharded as face } from './face';

const COMPILER = new Part('The compiler of sharded data parallelism', () => import('./compiler'));

/** Stages 0 and 1 keep whole gradients, which DDP averages. */
const isDdp = ({ sharded: { stage } }: Config): boolean => stage < 2;

export const sharded: ParallelMode = {
  face,
  parts: [COMPILER],
  mesh: (config) => initDeviceMesh(meshSizes(config), { nodes: config.nodes }),
  layersOfDevice: (config) => sharded.mesh(config).devices.map(() => config.model.layers.map((_, i) => i)),
  rowsOfDevice: (config, rows) => {
    const mesh = sharded.mesh(config);
    return mesh.world.ranks.map((rank) => [0, at(rows, mesh.dataIndex(rank))] as const);
  },
  sampler: () => 'distributedWhole',
  settingsOfBatches: ['mesh.dpReplicate', 'mesh.dpShard', 'ddp.samplerSeed', 'ddp.setEpoch'],
  accumulationPolicy: (config) =>
    isDdp(config)
      ? must(ddp.accumulationPolicy, 'DDP')(config)
      : { passesBeforeRebuild: 0, reducesEveryPass: config.sharded.syncEveryPass },
  rankSeeds: (config) => (isDdp(config) ? config.ddp.rankSeeds : 'same'),
  broadcastsBuffers: (config) => isDdp(config) && config.ddp.broadcastBuffers,
  processGroup: (config) => ({ algorithm: config.ddp.algorithm }),
  check: (config) => (isDdp(config) ? ddp.check?.(config) : undefined),
  checkSchedule: (config, schedule) => (isDdp(config) ? ddp.checkSchedule?.(config, schedule) : undefined),
  notices: (input) =>
    isDdp(input.config)
      ? [...(ddp.notices?.(input) ?? []), ...COMPILER.get().unusedSettings(input)]
      : COMPILER.get().notices(input),
  stop: (input) => (isDdp(input.config) ? ddp.stop?.(input) : undefined),
  stepPhases: (config) => (isDdp(config) ? ddp.stepPhases?.(config) : undefined),
  noiseForStep: (input) => (isDdp(input.config) ? must(ddp.noiseForStep, 'DDP')(input) : () => []),
  opFamilies(config) {
    if (isDdp(config)) return opFamiliesOfHook(config);
    const reduces = reduceHalf(config) ? (['halves'] as const) : [];
    return [...reduces, ...(meshSizes(config).tp > 1 ? (['sharded', 'partition'] as const) : (['sharded'] as const))];
  },
  listing: new Part(SCRIPT, async () => (await import('./listing')).shardedListing),

  settle: (input) => COMPILER.get().settle(input),
  shards: (config, tensors) => COMPILER.get().shards(config, tensors, sharded.mesh(config)),
  construct: (input) => (isDdp(input.config) ? ddp.construct?.(input) : undefined),
  broadcastState: (input, buffers) =>
    input.config.sharded.stage === 0 ? ddp.broadcastState?.(input, buffers) : undefined,
  constructForm: (run) => must(ddp.constructForm, 'DDP')(run),
  buckets: (input, stage) => (isDdp(input.config) ? ddp.buckets?.(input, stage) : undefined),
  compile: (input, kind) => COMPILER.get().compile(input, kind, sharded.mesh(input.config)),
  plan: (input) => COMPILER.get().plan(input, sharded.mesh(input.config)),
  sharding: (input) => COMPILER.get().shardingInfo(input, sharded.mesh(input.config)),
  closedForm: (run, pass) => COMPILER.get().closedForm(run, pass, sharded.mesh(run.config)),
};
