/** A single matrix product as a Program, run like a step. Called only by bench/. */
import { must } from '../base/invariant';
import { initDeviceMesh } from '../mesh/device-mesh';
import { PROGRAM_OPS } from '../parallel/modes';
import { ProgramBuilder } from '../program/builder';
import type { Program } from '../program/instruction';
import type { LaneBuilder } from '../program/lane-builder';
import { ALONE } from '../protocol/step-kind';
import { emptyFeed } from '../runtime/launch/empty-feed';
import { browserGpu } from '../runtime/webgpu/browser-gpu';
import type { Shape } from '../tensor/shape';
import { DeviceKeeper } from '../training/device-keeper';
import { openWorld } from '../training/open-world';
import { NO_DATA } from './no-data';

const STEP = emptyFeed(ALONE);
/** A few bytes to read back: when they arrive, everything before them has been computed. */
const MARK = 'mark';

const declare = (lane: LaneBuilder, name: string, shape: Shape): void =>
  lane.buffer({ name, shape, dtype: 'f32', category: 'parameter', persistent: true });

async function open(
  program: Program,
  { device, fusedMultiplyAdd = false }: Pick<ProductSetting, 'device' | 'fusedMultiplyAdd'>,
  gpu: GPU | undefined,
) {
  const keeper = new DeviceKeeper(gpu, true);
  const choice = await keeper.choose(device);
  const rankOfDevice = program.lanes.map(({ rank }) => rank);
  const group = { timeoutMs: 60_000, slow: [], cpu: { threads: 1, fusedMultiplyAdd } };
  const shared = { programs: [program], table: NO_DATA, placement: 'shared', rankOfDevice } as const;
  const world = await openWorld({ ...shared, group, choice, gpu });
  return {
    world,
    async run(count: number): Promise<void> {
      await world.run(Array.from({ length: count }, () => STEP));
      await world.read([{ device: 0, buffer: MARK }]);
    },
    async dispose(): Promise<void> {
      await world.dispose();
      keeper.forget();
    },
  };
}

export interface BenchProduct {
  /** Computes c = a b this many times. */
  run(count: number): Promise<void>;
  read(): Promise<Float32Array>;
  dispose(): Promise<void>;
}

interface ProductSetting {
  readonly size: number;
  readonly a: Float32Array;
  readonly b: Float32Array;
  readonly device: 'webgpu' | 'cpu';
  readonly fusedMultiplyAdd?: boolean;
}

/** c = a b, square, of size x size. */
export async function benchProduct(setting: ProductSetting, gpu = browserGpu()): Promise<BenchProduct> {
  const { size, a, b } = setting;
  const builder = new ProgramBuilder(initDeviceMesh(), PROGRAM_OPS);
  const lane = builder.lane(0);
  for (const name of ['a', 'b', 'c']) declare(lane, name, [size, size]);
  declare(lane, MARK, [1]);
  lane.compute('ops/matmul', ['a', 'b'], ['c'], {}, { phase: 'forward', anchor: 'forward' });
  const { world, run, dispose } = await open(builder.finish('single'), setting, gpu);
  await world.write([
    { device: 0, buffer: 'a', data: a },
    { device: 0, buffer: 'b', data: b },
  ]);
  return { run, dispose, read: async () => must((await world.read([{ device: 0, buffer: 'c' }]))[0], 'c') };
}
