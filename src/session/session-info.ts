/** What the page needs to draw before anything has run, from a blueprint and the device that was found. */
import { at } from '../base/invariant';
import { codeLines } from '../interop/pytorch-code';
import { bucketsOf } from '../parallel/ddp';
import { stageGraph } from '../parallel/stage-graph';
import { alignedBytes } from '../program/memory-planner';
import { printProgram } from '../program/printer';
import type { DatasetPreview, SessionInfo } from '../protocol/session';
import { describe, HARDWARE } from '../simulator/hardware';
import { elements } from '../tensor/shape';
import type { Blueprint } from './blueprint';
import { memoryOf } from './device-memory';
import type { Training } from './training';

const PREVIEW_POINTS = 1000;

export function sessionInfo(training: Training): SessionInfo {
  const { blueprint } = training;
  const { config, programs, strategy, parameters, rankOfDevice } = blueprint;
  const program = at(programs, 0);
  const rows = at(blueprint.batches().sizes.full, 0);
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
    batchPerRank: strategy.slices(config, rows).map(([, count]) => count),
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

function preview({ dataset, table }: Blueprint): DatasetPreview {
  const planar = table.inputWidth === 2;
  const point = (row: number, isTest: 0 | 1): DatasetPreview['points'][number] => [
    table.inputs[2 * row] ?? 0,
    table.inputs[2 * row + 1] ?? 0,
    table.targets[row * table.targetWidth] ?? 0,
    isTest,
  ];
  const test = [...dataset.test].slice(0, PREVIEW_POINTS / 2);
  const train = [...dataset.train].slice(0, PREVIEW_POINTS - test.length);
  return {
    task: dataset.task,
    rows: dataset.rows,
    testRows: dataset.test.length,
    inputs: table.inputWidth,
    outputs: dataset.classes > 0 && table.targetType === 'i32' ? dataset.classes : table.targetWidth,
    points: planar ? [...train.map((row) => point(row, 0)), ...test.map((row) => point(row, 1))] : [],
  };
}
