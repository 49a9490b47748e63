/**
 * Real Programs for the tests of this room: a small net compiled by a mode, its start and its batches from a simple
 * generator.
 */
import * as v from 'valibot';
import { PARALLEL_MODES, PROGRAM_OPS } from '../../../parallel/modes';
import type { Program } from '../../../program/instruction';
import { type Config, configSchema } from '../../../protocol/config';
import { fullStep, type ProgramKey, programKey } from '../../../protocol/step-kind';
import type { DeviceIndex } from '../../../protocol/trace';
import { elements } from '../../../tensor/shape';
import { inPieces } from '../../../training/step-kinds';
import type { Executor, Feed } from '../../executor';

export interface TestRun {
  readonly programs: readonly Program[];
  readonly full: ProgramKey;
  /** The first step may have a Program of its own. */
  programAt(step: number): ProgramKey;
  readonly devices: readonly DeviceIndex[];
  /** Persistent parameters by device. */
  readonly parameters: readonly {
    readonly device: DeviceIndex;
    readonly buffer: string;
    readonly data: Float32Array;
  }[];
  feed(step: number): Feed;
}

const LAYERS = [
  { type: 'Linear', in: 3, out: 9 },
  { type: 'Tanh' },
  { type: 'Linear', in: 9, out: 7 },
  { type: 'ReLU' },
  { type: 'Linear', in: 7, out: 2 },
];

export function testRun(settings: v.InferInput<typeof configSchema>, layers: readonly unknown[] = LAYERS): TestRun {
  const given: Config = v.parse(configSchema, { loss: { type: 'MSELoss' }, ...settings, model: { layers } });
  const mode = PARALLEL_MODES[given.mode];
  const { compiler, batches, steps } = mode.facets(given);
  const sizes = widths(given);
  const open = {
    config: given,
    ops: PROGRAM_OPS,
    inputShape: [sizes.in],
    inputType: 'f32' as const,
    targetShape: [sizes.out],
    targetType: 'f32' as const,
  };
  const config = compiler.settle?.(open) ?? given;
  const input = { ...open, config };
  const { dataIndices: processes } = mode.mesh(config);
  const rows = Array.from({ length: processes }, () => Math.floor(config.batchSize / processes));
  const pieces = batches.pieces?.(config, rows);
  const full = pieces === undefined ? fullStep(rows) : inPieces(fullStep(rows), pieces);
  const first = steps.accumulation ? fullStep(rows, { beforeRebuild: true }) : full;
  const programs = [...new Set([full, first])].map((kind) => compiler.compile(input, kind));
  const lanes = programs[0]?.lanes ?? [];
  const parameters = lanes.flatMap((lane) =>
    lane.buffers
      .filter((b) => b.category === 'parameter' && b.persistent)
      .map((b) => ({ device: lane.device, buffer: b.name, data: noise(elements(b.shape), nameSeed(b.name)) })),
  );
  const specs = new Map(lanes.flatMap((lane) => lane.buffers.map((b) => [`${lane.device} ${b.name}`, b])));
  const feed =
    (step: number): Feed =>
    (load, device) => {
      const length = elements(specs.get(`${device} ${load.buffer}`)?.shape ?? []);
      if (load.source === 'scalars')
        return Float32Array.from({ length }, (_, i) => [0.05, 0.01, 0.9, step === 0 ? 0 : 0.9, 1][i] ?? 0);
      const start = load.start + 100 * (load.microBatch ?? 0);
      return noise(length, 1000 * step + 10 * load.dataIndex + start + (load.source === 'inputs' ? 1 : 2));
    };
  return {
    programs,
    full: programKey(full),
    programAt: (step) => programKey(step === 0 ? first : full),
    devices: lanes.map((lane) => lane.device),
    parameters,
    feed,
  };
}

export function writeParameters(executor: Executor, run: TestRun, devices: readonly DeviceIndex[] = run.devices): void {
  for (const { device, buffer, data } of run.parameters)
    if (devices.includes(device)) executor.write(device, buffer, data);
}

/** Contents of every parameter, in order. */
export const readParameters = (
  executor: Executor,
  run: TestRun,
  devices: readonly DeviceIndex[] = run.devices,
): Promise<Float32Array[]> => executor.read(run.parameters.filter(({ device }) => devices.includes(device)));

/** Deterministic numbers in (-0.7, 0.7). */
export function noise(length: number, seed: number): Float32Array {
  let state = (seed * 2654435761) >>> 0;
  return Float32Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state / 2 ** 32 - 0.5) * 1.4;
  });
}

const nameSeed = (name: string): number => [...name].reduce((sum, c) => sum * 31 + c.charCodeAt(0), 7) % 9973;

function widths(config: Config): { in: number; out: number } {
  const linear = config.model.layers.flatMap((layer) => (layer.type === 'Linear' ? [layer] : []));
  return { in: linear[0]?.in ?? 1, out: linear.at(-1)?.out ?? 1 };
}
