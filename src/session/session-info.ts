/** What the page needs to draw before anything has run, from a blueprint and the device that was found. */
import { at } from '../base/invariant';
import { codeLines } from '../interop/pytorch-code';
import { bucketsOf } from '../parallel/ddp/ready-order';
import { stageGraph } from '../parallel/stage-graph';
import { alignedBytes } from '../program/memory-planner';
import { printProgram } from '../program/printer';
import type { SessionInfo } from '../protocol/session';
import { describe, HARDWARE } from '../simulator/hardware';
import { elements } from '../tensor/shape';
import type { Blueprint } from './blueprint';
import { memoryOf } from './device-memory';
import type { Training } from './training';
import { preview } from './views/preview';

export function sessionInfo(training: Training): SessionInfo {
  const { blueprint } = training;
  const { config, programs, strategy, parameters, rankOfDevice } = blueprint;
  const program = at(programs, 0);
  return {
    config,
    device: training.device,
    notices: [...blueprint.notices, ...training.notices],
    worldSize: rankOfDevice.length,
    ranks: new Set(rankOfDevice).size,
    parameters: parameters.map(({ name, shape }) => ({ name, shape })),
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
    code: codeLines(config, strategy.layersOfDevice(config)),
    programText: printProgram(program),
    stepsPerEpoch: blueprint.stepsPerEpoch,
    batchPerRank: strategy.slices(config, blueprint.batches().sizes.full).map(([, count]) => count),
    dataset: preview(blueprint),
    buckets: config.mode === 'ddp' ? bucketInfo(blueprint) : [],
    layersOfDevice: strategy.layersOfDevice(config),
    hardwareLabel: describe(HARDWARE[config.hardware]).label,
  };
}

function bucketInfo({ input, config, parameters }: Blueprint): SessionInfo['buckets'] {
  const size = new Map(parameters.map((p) => [p.name, 4 * elements(p.shape)]));
  return bucketsOf(stageGraph(input, { rows: 2, withLoss: true }), config, false).map((bucket) => ({
    bytes: bucket.reduce((n, p) => n + (size.get(p.name) ?? 0), 0),
    parameters: bucket.map((p) => p.name),
  }));
}
