/**
 * Parts of a step that the benchmark measures by themselves: one matrix product, and a ring all-reduce of virtual ranks on one GPUDevice beside
 * plain copies of as many bytes. They are Programs of their own, run as every step is. Called by bench/ alone.
 */
import { must } from '../base/invariant';
import { ring } from '../collectives/ring';
import { PROGRAM_OPS } from '../parallel/strategies';
import { type LaneBuilder, ProgramBuilder } from '../program/builder';
import type { Program } from '../program/instruction';
import type { Config } from '../protocol/config';
import { browserGpu } from '../runtime/webgpu/browser-gpu';
import { COPY_DST, COPY_SRC } from '../runtime/webgpu/usage';
import type { Shape } from '../tensor/shape';
import { DeviceKeeper } from './device-keeper';
import { openWorld } from './open-world';

const EMPTY = {
  inputs: new Float32Array(0),
  inputWidth: 1,
  inputType: 'f32',
  targets: new Float32Array(0),
  targetWidth: 1,
  targetType: 'f32',
} as const;
const STEP = { variant: 'full', rows: [], masks: [], scalars: new Float32Array(0) };
/** A few bytes to read: when they have come, everything before has been computed. */
const MARK = 'mark';

const declare = (lane: LaneBuilder, name: string, shape: Shape): void =>
  lane.buffer({ name, shape, dtype: 'f32', category: 'parameter', persistent: true });

async function open(program: Program, device: Config['device'], gpu: GPU | undefined) {
  const keeper = new DeviceKeeper(gpu, true);
  const choice = await keeper.choose(device);
  const rankOfDevice = program.lanes.map(({ rank }) => rank);
  const world = await openWorld({ programs: [program], table: EMPTY, placement: 'shared', rankOfDevice, choice, gpu });
  return {
    world,
    device: choice.opened?.device,
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
  /** Computes c = a b that many times. */
  run(count: number): Promise<void>;
  read(): Promise<Float32Array>;
  dispose(): Promise<void>;
}

/** c = a b, square, of size x size. */
export async function benchProduct(
  size: number,
  a: Float32Array,
  b: Float32Array,
  device: 'webgpu' | 'cpu' = 'webgpu',
  gpu = browserGpu(),
): Promise<BenchProduct> {
  const builder = new ProgramBuilder([0], PROGRAM_OPS);
  const lane = builder.lane(0);
  for (const name of ['a', 'b', 'c']) declare(lane, name, [size, size]);
  declare(lane, MARK, [1]);
  lane.compute('ops/matmul', ['a', 'b'], ['c'], {}, { phase: 'forward', anchor: 'forward' });
  const { world, run, dispose } = await open(builder.finish('single', 'full'), device, gpu);
  await world.write([
    { device: 0, buffer: 'a', data: a },
    { device: 0, buffer: 'b', data: b },
  ]);
  return { run, dispose, read: async () => must((await world.read([{ device: 0, buffer: 'c' }]))[0], 'c') };
}

export interface BenchAllReduce {
  /** Bytes that all ranks send together in one all-reduce. */
  readonly bytes: number;
  run(count: number): Promise<void>;
  /** Plain copyBufferToBuffer calls of as many bytes, that many times. */
  copy(count: number): Promise<void>;
  /** A rank's bucket. */
  read(rank: number): Promise<Float32Array>;
  write(rank: number, data: Float32Array<ArrayBuffer>): Promise<void>;
  dispose(): Promise<void>;
}

export async function benchAllReduce(ranks: number, length: number, gpu = browserGpu()): Promise<BenchAllReduce> {
  const group = Array.from({ length: ranks }, (_, rank) => rank);
  const builder = new ProgramBuilder(group, PROGRAM_OPS);
  for (const rank of group) {
    declare(builder.lane(rank), 'bucket', [length]);
    declare(builder.lane(rank), MARK, [1]);
  }
  const where = { phase: 'backward', anchor: 'allreduce', queue: 'comm' } as const;
  ring.emit({ builder, op: 'allReduce', group, input: 'bucket', length, payload: 'gradient', seq: 0, where });
  const { world, device, run, dispose } = await open(builder.finish('ddp', 'full'), 'webgpu', gpu);
  const bytes = ring
    .cost({ op: 'allReduce', bytes: 4 * length, worldSize: ranks })
    .bytesSent.reduce((sum, each) => sum + each, 0);
  const copies = plainCopies(must(device, 'a GPUDevice'), 4 * length, bytes);
  return {
    bytes,
    run,
    copy: copies.run,
    read: async (rank) => must((await world.read([{ device: rank, buffer: 'bucket' }]))[0], 'bucket'),
    write: (rank, data) => world.write([{ device: rank, buffer: 'bucket', data }]),
    async dispose() {
      copies.dispose();
      await dispose();
    },
  };
}

/** Copies of `size` bytes, and a last shorter one, until `bytes` have been copied. */
function plainCopies(device: GPUDevice, size: number, bytes: number) {
  const buffers = ['from', 'to'].map((label) => device.createBuffer({ label, size, usage: COPY_SRC | COPY_DST }));
  const [from, to] = [must(buffers[0], 'from'), must(buffers[1], 'to')];
  return {
    async run(count: number): Promise<void> {
      for (let done = 0; done < count; done++) {
        const encoder = device.createCommandEncoder();
        for (let left = bytes; left > 0; left -= size) encoder.copyBufferToBuffer(from, 0, to, 0, Math.min(left, size));
        device.queue.submit([encoder.finish()]);
      }
      await device.queue.onSubmittedWorkDone();
    },
    dispose(): void {
      for (const buffer of buffers) buffer.destroy();
    },
  };
}
