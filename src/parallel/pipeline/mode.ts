/**
 * Pipeline parallelism, as torch.distributed.pipelining does it: one process for each rank of the pipeline, each with
 * one or more stages of the model; the batch is cut into micro-batches, which go through the stages in the order of a
 * schedule (schedules/). Replicas of the pipeline train on different batches, and average each stage's gradients over
 * its own group. This file is the light part, loaded with the page; the compiler is loaded on demand.
 */
import { at } from '../../base/invariant';
import { Part } from '../../base/part';
import { initDeviceMesh } from '../../mesh/device-mesh';
import { reduceHalf } from '../../protocol/half-of';
import { meshSizes, replicasOf, shardsParameters } from '../../protocol/mesh-sizes';
import { commHookOf, opFamiliesOfHook } from '../ddp/comm-hooks/comm-hooks';
import { type ParallelMode, SCRIPT } from '../mode';
import { hasSampler, ranksDraw } from './draws';
import { pipeline as face } from './face';
import { microBatchesFor } from './short-batch';

const COMPILER = new Part('The compiler of pipelines', () => import('./compiler'));

export const pipeline: ParallelMode = {
  face,
  parts: [COMPILER],
  mesh: (config) => initDeviceMesh(meshSizes(config), { nodes: config.nodes }),
  sampler: (config) => (hasSampler(config) ? 'distributedWhole' : undefined),
  ranksDraw,
  settingsOfBatches: ['mesh.dpReplicate', 'mesh.dpShard', 'ddp.samplerSeed', 'ddp.setEpoch'],
  pieces: microBatchesFor,
  processGroup: (config) => (replicasOf(config) > 1 ? { algorithm: config.ddp.algorithm } : {}),
  rowsOfDevice: (config, rows) => {
    const mesh = pipeline.mesh(config);
    return mesh.world.ranks.map((rank) => [0, at(rows, mesh.dataIndex(rank))] as const);
  },
  listing: new Part(SCRIPT, async () => (await import('./listing')).pipelineListing),

  settle: (input) => COMPILER.get().settle(input),
  layersOfDevice: (config) => COMPILER.get().layersOfDevice(config),
  shards: (config, tensors) => COMPILER.get().shards(config, tensors),
  lossRanks: (config) => COMPILER.get().lossRanks(config),
  borders: (input) => COMPILER.get().borders(input),
  opFamilies: (config) => [
    ...(meshSizes(config).tp > 1 ? (['partition'] as const) : []),
    ...(shardsParameters(config) ? (['sharded'] as const) : opFamiliesOfHook(config)),
    ...(reduceHalf(config) ? (['halves'] as const) : []),
  ],
  stepPhases: (config) => commHookOf(config).phases?.(config),
  noiseForStep: (input) => COMPILER.get().noiseForStep(input),
  compile: (input, kind) => COMPILER.get().compile(input, kind, pipeline.mesh(input.config)),
  memoryAdvice(input, kind, budgetBytes) {
    const text = COMPILER.get().memoryAdvice({ input, kind, budgetBytes, mesh: pipeline.mesh(input.config) });
    return text === undefined ? undefined : { text };
  },
  scheduleFigures: (config) => COMPILER.get().scheduleFigures(config),
  closedForm: (run, pass) => COMPILER.get().closedForm(run, pass),
  checkSchedule: (config, schedule) => COMPILER.get().checkBatches(config, schedule),
  sharding: (input) => COMPILER.get().sharding(input, pipeline.mesh(input.config)),
  notices: (input) => COMPILER.get().notices(input),
};
