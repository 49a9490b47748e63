/** Opening devices and compiling kernels on Dawn's null backend: no GPU, all of its validation. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { must } from '../../base/invariant';
import { SHADERS } from '../../graph/shader-sources';
import { PROGRAM_OPS } from '../../parallel/modes';
import { programKey } from '../../protocol/step-kind';
import { createTunedExecutor } from './create-tuned-executor';
import { type OpenedDevice, openDevice } from './device';
import { type NodeGpu, nodeGpu } from './testing/node-gpu';
import { testRun } from './testing/programs';
import { withoutFeature } from './testing/without-feature';
import { createWebgpuExecutor } from './webgpu-executor';

let gpu: NodeGpu;
let opened: OpenedDevice;
beforeAll(async () => {
  gpu = nodeGpu({ backend: 'null' });
  opened = await gpu.open();
});
afterAll(() => gpu.close());

describe('openDevice', () => {
  it('says that there is no WebGPU', async () => {
    await expect(openDevice(undefined)).rejects.toMatchObject({ code: 'no-webgpu' });
  });

  it('says that there is no adapter', async () => {
    const none = { requestAdapter: () => Promise.resolve(null) } as unknown as GPU;
    await expect(openDevice(none)).rejects.toMatchObject({ code: 'no-adapter' });
  });

  it('asks for timestamps and for f16 where the adapter has them', async () => {
    const adapter = must(await gpu.gpu.requestAdapter(), 'an adapter');
    for (const feature of ['timestamp-query', 'shader-f16'] as const) {
      expect(opened.device.features.has(feature)).toBe(adapter.features.has(feature));
      const without = await openDevice(withoutFeature(gpu.gpu, feature));
      expect(without.device.features.has(feature)).toBe(false);
      without.close();
    }
    expect(opened.device.features.has('shader-f16')).toBe(true);
  });

  it('collects errors that WebGPU reports outside of calls', async () => {
    const own = await gpu.open();
    own.device.createBuffer({ label: 'impossible', size: 16, usage: 0x81 });
    await own.device.queue.onSubmittedWorkDone();
    expect(own.takeError()).toMatchObject({ code: 'gpu', message: expect.stringContaining('usage') });
    expect(own.takeError()).toBeUndefined();
    own.close();
    expect(await own.lost).toMatch(/destroyed/);
    expect(own.takeError()).toMatchObject({ code: 'device-lost' });
  });
});

describe.each(['single', 'dataParallel', 'ddp', 'modelParallel'] as const)('%s', (mode) => {
  it.each(['SGD', 'Adam', 'AdamW'] as const)('with %s passes validation, and reports progress', async (type) => {
    const run = testRun({ mode, worldSize: mode === 'single' ? 1 : 3, batchSize: 7, optimizer: { type } });
    const progress: number[] = [];
    const executor = await createWebgpuExecutor({
      programs: run.programs,
      devices: run.devices,
      ops: PROGRAM_OPS,
      opened,
      shaders: SHADERS,
      onProgress: (done, total) => progress.push(done / Math.max(1, total)),
    });
    expect(progress[0]).toBe(0);
    expect(progress.at(-1)).toBe(1);
    for (const { kind } of run.programs) await executor.step(programKey(kind), run.feed(0));
    await executor.losses();
    await executor.trace(run.full, run.feed(1));
    executor.dispose();
    expect(() => executor.step(run.full, run.feed(0))).toThrow(/disposed/);
  });

  it('compiles each kernel once over executors on one device', async () => {
    let made = 0;
    const own = await gpu.open();
    const create = own.device.createComputePipelineAsync.bind(own.device);
    own.device.createComputePipelineAsync = (descriptor) => {
      made++;
      return create(descriptor);
    };
    const run = testRun({ mode, worldSize: mode === 'single' ? 1 : 2, batchSize: 8 });
    const open = () =>
      createWebgpuExecutor({
        programs: run.programs,
        devices: run.devices,
        ops: PROGRAM_OPS,
        opened: own,
        shaders: SHADERS,
      });
    (await open()).dispose();
    const once = made;
    (await open()).dispose();
    expect(once).toBeGreaterThan(3);
    expect(made).toBe(once);
  });
});

it('names the line of a kernel that does not compile', async () => {
  const own = await gpu.open();
  const run = testRun({ mode: 'single', batchSize: 8 });
  const shaders = { ...SHADERS, 'pointwise/unary': 'fn main() { nonsense }' };
  const opening = createWebgpuExecutor({
    programs: run.programs,
    devices: run.devices,
    ops: PROGRAM_OPS,
    opened: own,
    shaders,
  });
  await expect(opening).rejects.toMatchObject({
    code: 'gpu',
    message: expect.stringMatching(/pointwise\/unary\.wgsl:1:\d+/),
  });
});

/** As in Chromium: what waits for the device is rejected before `device.lost` resolves. */
async function lateLoss(): Promise<OpenedDevice> {
  const requestAdapter = async () => {
    const adapter = must(await gpu.gpu.requestAdapter(), 'an adapter');
    const requestDevice = adapter.requestDevice.bind(adapter);
    adapter.requestDevice = async (descriptor) => {
      const device = await requestDevice(descriptor);
      const lost = device.lost.then(async (info) => {
        await new Promise((resolve) => setTimeout(resolve, 30));
        return info;
      });
      Object.defineProperty(device, 'lost', { value: lost });
      return device;
    };
    return adapter;
  };
  return openDevice({ requestAdapter } as unknown as GPU);
}

describe('a device that is lost says so, wherever in a step that comes', () => {
  const run = testRun({ mode: 'ddp', worldSize: 2, batchSize: 8 });
  const options = { programs: run.programs, devices: run.devices, ops: PROGRAM_OPS };
  const lostError = { code: 'device-lost', message: expect.stringContaining('device was lost') };

  it.each(['losses', 'read', 'trace'] as const)('while %s waits for a read-back', async (what) => {
    const own = await lateLoss();
    const executor = await createTunedExecutor({ ...options, opened: own });
    await executor.step(run.full, run.feed(0));
    const buffer = must(
      run.programs[0]?.lanes[0]?.buffers.find((b) => b.persistent),
      'a buffer',
    ).name;
    const calls = {
      losses: () => executor.losses(),
      read: () => executor.read([{ device: 0, buffer }]),
      trace: () => executor.trace(run.full, run.feed(1)),
    };
    const waiting = calls[what]();
    own.close();
    await expect(waiting).rejects.toMatchObject(lostError);
    executor.dispose();
  });

  it('while kernels are compiled', async () => {
    const own = await lateLoss();
    // What a lost device says here differs from browser to browser; that it is no fault of the kernel must not depend
    // on it.
    own.device.createComputePipelineAsync = () => Promise.reject(new Error('device lost'));
    const opening = createTunedExecutor({ ...options, opened: own });
    own.close();
    await expect(opening).rejects.toMatchObject(lostError);
  });

  it('and an executor that was disposed says that', async () => {
    const own = await lateLoss();
    const executor = await createTunedExecutor({ ...options, opened: own });
    await executor.step(run.full, run.feed(0));
    const waiting = executor.losses();
    executor.dispose();
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
    own.close();
  });
});
