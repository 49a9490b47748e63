/** A small net with a table of numbers and steps over its rows, for the tests of worlds. */
import { at } from '../../../base/invariant';
import type { Program } from '../../../program/instruction';
import type { Mode } from '../../../protocol/config';
import type { Rank } from '../../../protocol/trace';
import { noise, type TestRun, testRun } from '../../webgpu/testing/programs';
import type { BufferRef, DatasetTable, StepFeed, World } from '../world';

const ROWS = 64;

export interface SmallWorld {
  readonly programs: readonly Program[];
  readonly table: DatasetTable;
  readonly rankOfDevice: readonly Rank[];
  readonly parameters: TestRun['parameters'];
  /** Feeds of steps [from, to); the rows and the learning rate differ from step to step. */
  steps(from: number, to: number): readonly StepFeed[];
}

export function smallWorld(mode: Mode, worldSize: number, batchSize = 12): SmallWorld {
  const config = { mode, worldSize, batchSize, optimizer: { type: 'SGD' } } as const;
  const { programs, parameters, full } = testRun(config);
  const lanes = at(programs, 0).lanes;
  const processes = new Set(lanes.map((lane) => lane.rank)).size;
  return {
    programs,
    parameters,
    rankOfDevice: lanes.map((lane) => lane.rank),
    table: {
      inputs: noise(ROWS * 3, 1),
      inputWidth: 3,
      inputType: 'f32',
      targets: noise(ROWS * 2, 2),
      targetWidth: 2,
      targetType: 'f32',
    },
    steps: (from, to) =>
      Array.from({ length: to - from }, (_, i): StepFeed => {
        const step = from + i;
        return {
          program: full,
          microBatches: [
            {
              rows: Array.from({ length: processes }, (__, rank) =>
                Int32Array.from({ length: batchSize }, (___, row) => (7 * step + 5 * rank + row) % ROWS),
              ),
              masks: [],
            },
          ],
          scalars: Float32Array.from({ length: 16 }, (__, k) => (k === 0 ? 0.01 / (1 + (step % 3)) : 0)),
        };
      }),
  };
}

export const writeStart = (world: World, { parameters }: SmallWorld): Promise<void> => world.write(parameters);

/** Contents of every parameter on every device. */
export const weightsOf = (world: World, { parameters }: SmallWorld): Promise<Float32Array[]> =>
  world.read(parameters.map(({ device, buffer }): BufferRef => ({ device, buffer })));
