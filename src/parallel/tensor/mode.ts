/**
 * Tensor and sequence parallelism, as torch.distributed.tensor.parallel does it: one process for each rank. The ranks
 * of a tensor group hold parts of the same layers, take the same batch and compute the same loss. Collectives inside
 * the forward and the backward pass bring the parts together. Replicas of the group train on different batches, with
 * DDP around each rank's parts; along dpShard, fully_shard wraps these parts instead, and the mode is sharded. This
 * file is the light part, loaded with the page; the compiler is loaded on demand.
 */
import { at, must } from '../../base/invariant';
import { Part } from '../../base/part';
import { initDeviceMesh } from '../../mesh/device-mesh';
import { meshSizes, replicasOf, shardsParameters } from '../../protocol/mesh-sizes';
import { opFamiliesOfHook } from '../ddp/comm-hooks/comm-hooks';
import { ddp } from '../ddp/mode';
import { type ParallelMode, SCRIPT } from '../mode';
import { sharded } from '../sharded/mode';
import { tensor as face } from './face';

const COMPILER = new Part('The compiler of tensor parallelism', () => import('./compiler'));

export const tensor: ParallelMode = {
  face,
  parts: [COMPILER],
  mesh: (config) => initDeviceMesh(meshSizes(config), { nodes: config.nodes }),
  layersOfDevice: (config) => tensor.mesh(config).devices.map(() => config.model.layers.map((_, i) => i)),
  rowsOfDevice: (config, rows) => {
    const mesh = tensor.mesh(config);
    return mesh.world.ranks.map((rank) => [0, at(rows, mesh.dataIndex(rank))] as const);
  },
  sampler(config) {
    if (shardsParameters(config)) return sharded.sampler?.(config);
    return replicasOf(config) > 1 ? 'distributed' : undefined;
  },
  settingsOfBatches: ['mesh.dpReplicate', 'mesh.dpShard', 'ddp.samplerSeed', 'ddp.setEpoch'],
  accumulationPolicy: (config) =>
    must((shardsParameters(config) ? sharded : ddp).accumulationPolicy, 'accumulation')(config),
  processGroup: (config) => ({ algorithm: config.ddp.algorithm }),
  opFamilies: (config) => [
    'partition',
    ...(shardsParameters(config) ? (['sharded'] as const) : opFamiliesOfHook(config)),
  ],
  listing: new Part(SCRIPT, async () => (await import('./listing')).tensorListing),

  settle: (input) => COMPILER.get().settle(input),
  shards: (config, tensors) => COMPILER.get().shards(config, tensors, tensor.mesh(config)),
  compile: (input, kind) => COMPILER.get().compile(input, kind, tensor.mesh(input.config)),
  closedForm: (run, pass) => COMPILER.get().closedForm(run, pass, tensor.mesh(run.config)),
  plan: (input) => COMPILER.get().planInfo(input, tensor.mesh(input.config)),
  sharding: (input) => COMPILER.get().sharding(input, tensor.mesh(input.config)),
  notices: (input) => COMPILER.get().notices(input),
};
