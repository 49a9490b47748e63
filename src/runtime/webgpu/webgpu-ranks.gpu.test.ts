/** One WebGPU executor per rank: the bits of one executor for all ranks, few submits, and no endless waits. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at } from '../../base/invariant';
import { SHADERS } from '../../graph/shader-sources';
import { PROGRAM_OPS } from '../../parallel/modes';
import type { OpenedDevice } from './device';
import { memoryTransport } from './testing/memory-transport';
import { type NodeGpu, nodeGpu } from './testing/node-gpu';
import { readParameters, type TestRun, testRun, writeParameters } from './testing/programs';
import { MODES_AND_SIZES, SMALL_BUCKETS, trainOn } from './testing/train-on';
import { createWebgpuExecutor } from './webgpu-executor';

let gpu: NodeGpu;
beforeAll(() => {
  gpu = nodeGpu({ warm: true });
});
afterAll(() => gpu.close());

const sharedExecutor = async ({ programs, devices }: TestRun, device?: OpenedDevice) =>
  createWebgpuExecutor({ programs, devices, ops: PROGRAM_OPS, opened: device ?? (await gpu.open()), shaders: SHADERS });

describe('one WebGPU executor per rank', () => {
  it.each(MODES_AND_SIZES.filter(([, worldSize]) => worldSize > 1))(
    'runs %s as %i executors with a transport, bitwise as one',
    async (mode, worldSize) => {
      const run = testRun({ mode, worldSize, batchSize: 12, ddp: SMALL_BUCKETS });
      const shared = await sharedExecutor(run);
      const expected = await trainOn(shared, run, 4);
      const transport = memoryTransport();
      const ranks = await Promise.all(
        run.devices.map(async (device) =>
          createWebgpuExecutor({
            programs: run.programs,
            devices: [device],
            ops: PROGRAM_OPS,
            opened: await gpu.open(),
            shaders: SHADERS,
            transport,
          }),
        ),
      );
      for (const traced of [false, true]) {
        const parameters: Float32Array[] = [];
        const losses = await Promise.all(
          ranks.map(async (executor, i) => {
            const device = at(run.devices, i);
            writeParameters(executor, run, [device]);
            for (let step = 0; step < 4; step++) {
              if (traced) await executor.trace(run.programAt(step), run.feed(step));
              else await executor.step(run.programAt(step), run.feed(step));
            }
            return executor.losses();
          }),
        );
        for (const [i, executor] of ranks.entries())
          parameters.push(...(await readParameters(executor, run, [at(run.devices, i)])));
        expect(parameters).toEqual(expected.parameters);
        expect(losses.flatMap((steps) => steps.at(-1) ?? [])).toEqual(expected.losses.at(-1));
        // A lane that computes no loss leaves no rows, as on the CPU.
        expect(losses.every((steps) => steps.length === 4 || steps.length === 0)).toBe(true);
      }
      for (const executor of ranks) executor.dispose();
      shared.dispose();
    },
  );

  it('submits once a step on a shared device, and at most once between two host transfers of a rank', async () => {
    const run = testRun({ mode: 'ddp', worldSize: 2, batchSize: 12, ddp: SMALL_BUCKETS });
    const count = (device: OpenedDevice) => {
      let submits = 0;
      const submit = device.device.queue.submit.bind(device.device.queue);
      device.device.queue.submit = (buffers) => {
        submits++;
        return submit(buffers);
      };
      return () => submits;
    };
    const device = await gpu.open();
    const shared = await sharedExecutor(run, device);
    const sharedSubmits = count(device);
    for (let step = 0; step < 3; step++) await shared.step(run.full, run.feed(step));
    expect(sharedSubmits()).toBe(3);

    const transport = memoryTransport();
    const base = { programs: run.programs, ops: PROGRAM_OPS, shaders: SHADERS, transport };
    const ranks = await Promise.all(
      run.devices.map(async (d) => {
        const own = await gpu.open();
        const executor = await createWebgpuExecutor({ ...base, devices: [d], opened: own });
        return { executor, submits: count(own) };
      }),
    );
    await Promise.all(ranks.map(({ executor }) => executor.step(run.full, run.feed(0))));
    const messages = at(at(run.programs, 0).lanes, 0).instructions.filter(
      (i) => i.kind === 'send' || i.kind === 'recv',
    );
    for (const { submits } of ranks) expect(submits()).toBeLessThanOrEqual(messages.length + 1);
  });

  it('does not wait for a peer when its own device is lost or the executor is disposed', async () => {
    const run = testRun({ mode: 'ddp', worldSize: 2, batchSize: 12 });
    for (const end of ['lose', 'dispose'] as const) {
      const device = await gpu.open();
      const base = { programs: run.programs, devices: [0], ops: PROGRAM_OPS, shaders: SHADERS };
      const executor = await createWebgpuExecutor({ ...base, opened: device, transport: memoryTransport() });
      const step = executor.step(run.full, run.feed(0));
      setTimeout(() => (end === 'lose' ? device.device.destroy() : executor.dispose()), 20);
      await expect(step).rejects.toMatchObject({ code: end === 'lose' ? 'device-lost' : 'aborted' });
    }
  });
});
