/** What the page needs to draw before anything has run, from a blueprint and the device that was found. */
import { at } from '../base/invariant';
import { preview } from '../inference/views/preview';
import { codeLines } from '../interop/pytorch-code';
import { rankEnvironments } from '../launch/rank-environments';
import {
  type Buckets,
  initialBuckets,
  passesBeforeRebuild,
  readyOrder,
  rebuilds,
  rebuiltBuckets,
  unusedParameters,
} from '../parallel/ddp/ready-order';
import { plainRole } from '../parallel/face';
import { stageGraph } from '../parallel/stage-graph';
import { transferSizes } from '../parallel/transfer-sizes';
import { alignedBytes } from '../program/memory-planner';
import { printProgram } from '../program/printer';
import type { BucketInfo, BucketsInfo, SessionInfo } from '../protocol/session';
import { describe, HARDWARE } from '../simulator/hardware';
import { elements } from '../tensor/shape';
import type { Blueprint } from '../training/blueprint';
import { memoryOf } from '../training/device-memory';
import type { Training } from '../training/training';

/** What the closed form of the bytes is made of. */
export function formulaInfo(
  blueprint: Blueprint,
): Pick<SessionInfo, 'config' | 'worldSize' | 'parameters' | 'batchPerRank' | 'buckets' | 'transfers'> {
  const { config, mode, parameters, rankOfDevice, input } = blueprint;
  return {
    config,
    worldSize: rankOfDevice.length,
    parameters: parameters.map(({ name, shape }) => ({ name, shape })),
    batchPerRank: mode.rowsOfDevice(config, blueprint.batches().sizes.full).map(([, count]) => count),
    buckets: config.mode === 'ddp' ? bucketsInfo(blueprint) : undefined,
    transfers: transferSizes(input, mode),
  };
}

export function sessionInfo(training: Training): SessionInfo {
  const { blueprint } = training;
  const { config, programs, mode, rankOfDevice } = blueprint;
  const program = at(programs, 0);
  return {
    ...formulaInfo(blueprint),
    environment: rankEnvironments(config),
    device: training.device,
    notices: [...blueprint.notices, ...training.notices],
    ranks: new Set(rankOfDevice).size,
    buffers: program.lanes.flatMap(({ device, buffers }) =>
      buffers.map((b) => ({
        device,
        name: b.name,
        shape: b.shape,
        category: b.category,
        bytes: alignedBytes(b),
        persistent: b.persistent,
      })),
    ),
    memory: memoryOf(blueprint),
    code: codeLines(config, mode.layersOfDevice(config)),
    construct: training.construct,
    programText: printProgram(program),
    batchesPerEpoch: blueprint.batchesPerEpoch,
    dataset: preview(blueprint),
    roles: rankOfDevice.map((_, device) => (mode.face.role ?? plainRole)(device, rankOfDevice.length)),
    layersOfDevice: mode.layersOfDevice(config),
    hardwareLabel: describe(HARDWARE[config.hardware]).label,
  };
}

function bucketsInfo({ input, config, parameters }: Blueprint): BucketsInfo {
  const size = new Map(parameters.map((p) => [p.name, 4 * elements(p.shape)]));
  const stage = stageGraph(input, { rows: 2, withLoss: true });
  const told = (buckets: Buckets): readonly BucketInfo[] =>
    buckets.map((bucket) => ({
      bytes: bucket.reduce((n, p) => n + (size.get(p.name) ?? 0), 0),
      parameters: bucket.map((p) => p.name),
    }));
  return {
    initial: told(initialBuckets(stage, config)),
    rebuilt: rebuilds(config) ? told(rebuiltBuckets(stage, config)) : undefined,
    passesBeforeRebuild: rebuilds(config) ? passesBeforeRebuild(config) : undefined,
    readyOrder: readyOrder(stage).map((p) => p.name),
    unused: unusedParameters(stage).map((p) => p.name),
  };
}
