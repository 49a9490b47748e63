/**
 * The session on WebGPU: the same numbers as on the CPU, a lost device and a new one, and the notices about what it
 * found.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { place } from '../../scripts/tier';
import { must } from '../base/invariant';
import { runConfig } from '../headless/run';
import type { ConfigInput } from '../protocol/config';
import { MAP_READ } from '../runtime/webgpu/gpu-flags';
import { type NodeGpu, nodeGpu } from '../runtime/webgpu/testing/node-gpu';
import { PLACEMENTS } from '../training/testing/placements';
import { openTestSession } from './testing/open-session';

let node: NodeGpu;
beforeAll(() => {
  node = nodeGpu();
});
afterAll(() => node.close());

const ddp: ConfigInput = {
  device: 'webgpu',
  mode: 'ddp',
  worldSize: 3,
  data: { type: 'xor', samples: 60 },
  batchSize: 12,
  seed: 3,
};

test('automatic takes the CPU where only a software adapter is, and says so; else the GPU', async () => {
  const software = (await node.open()).info.software;
  const s = await openTestSession({ ...ddp, device: 'auto' }, { gpu: node.gpu });
  expect(s.info.device.kind).toBe(software ? 'cpu' : 'webgpu');
  expect(s.info.notices.some((n) => n.id === 'software-adapter')).toBe(software);
  await s.close();
});

test('a lost device: training continues from the last step on a new device', async () => {
  const s = await openTestSession(ddp, { gpu: node.gpu });
  await s.api.traceStep();
  const before = await s.api.traceStep();
  const noticed = s.until('notice', ({ notice }) => notice.id === 'device-lost');
  await s.api.loseDevice();
  const { notice } = await noticed;
  expect(notice.text).toMatch(/continues from step 2/);
  const after = await s.api.traceStep();
  expect(after.step).toBe(before.step + 1);
  const undisturbed = await runConfig({ ...ddp, steps: 3 }, {}, { gpu: node.gpu });
  expect(after.losses.perRank).toEqual(undisturbed.report.losses[2]?.perRank);
  await s.close();
});

test('a device lost while playing: no promise hangs, the run goes on by itself', async () => {
  const s = await openTestSession(ddp, { gpu: node.gpu });
  const played = s.until('losses', ({ records }) => (records.at(-1)?.step ?? 0) > 10);
  s.control({ type: 'play', stepsPerSecond: 0 });
  await played;
  const restarting = s.until('state', ({ state }) => state === 'restarting');
  const on = s.until('state', ({ state }) => state === 'playing');
  await s.api.loseDevice();
  expect((await on).microBatch).toBe((await restarting).microBatch);
  const paused = s.until('state', ({ state }) => state === 'paused');
  s.control({ type: 'pause' });
  await paused;
  const trace = await s.api.traceStep();
  expect(Number.isFinite(trace.losses.loss)).toBe(true);
  await s.close();
});

test(
  'lost again before a step was taken: the run continues from the same step',
  place({ rest: 'device-loss.null.test.ts loses devices in close succession' }),
  async () => {
    const s = await openTestSession(ddp, { gpu: node.gpu });
    await s.api.traceStep();
    await s.api.traceStep();
    for (let again = 0; again < 2; again++) {
      const noticed = s.until('notice', ({ notice }) => notice.id === 'device-lost');
      await s.api.loseDevice();
      expect((await noticed).notice.text).toMatch(/continues from step 2/);
    }
    expect((await s.api.traceStep()).step).toBe(2);
    await s.close();
  },
);

test('requests during a restart are done after it: a traced step, play, Reset', async () => {
  const s = await openTestSession(ddp, { gpu: node.gpu });
  await s.api.traceStep();
  const lose = async () => {
    const restarting = s.until('state', ({ state }) => state === 'restarting');
    await s.api.loseDevice();
    await restarting;
  };
  await lose();
  expect((await s.api.traceStep()).step).toBe(1);
  await lose();
  const played = s.until('losses', ({ records }) => (records.at(-1)?.step ?? 0) > 5);
  s.control({ type: 'play', stepsPerSecond: 0 });
  await played;
  const paused = s.until('state', ({ state, reason }) => state === 'paused' && reason === '');
  s.control({ type: 'pause' });
  await paused;
  await lose();
  await s.api.reset();
  expect((await s.api.snapshot()).step).toBe(0);
  expect((await s.api.traceStep()).step).toBe(0);
  await s.close();
});

test(
  'a device that is lost while Reset runs: Reset is done on a new one',
  place({ rest: 'device-loss.gpu.test.ts loses one while Reset reads' }),
  async () => {
    const s = await openTestSession(ddp, { gpu: node.gpu });
    const first = await s.api.traceStep();
    await Promise.all([s.api.loseDevice(), s.api.reset()]);
    const again = await s.api.traceStep();
    expect(again.step).toBe(0);
    expect(again.losses).toEqual(first.losses);
    await s.close();
  },
);

/** A GPU whose devices a test can look at. */
function watchedGpu(): { readonly gpu: GPU; readonly devices: readonly GPUDevice[] } {
  const devices: GPUDevice[] = [];
  const requestAdapter = async () => {
    const adapter = must(await node.gpu.requestAdapter(), 'an adapter');
    const requestDevice = adapter.requestDevice.bind(adapter);
    adapter.requestDevice = async (descriptor) => {
      const device = await requestDevice(descriptor);
      devices.push(device);
      return device;
    };
    return adapter;
  };
  return { gpu: { requestAdapter } as unknown as GPU, devices };
}

const PORTS = 'webgpu-executor.gpu.test.ts counts allocations of ranks with a device each';
for (const { title, placement } of PLACEMENTS)
  test(
    `${title}: once each Program has been seen, no step allocates on the GPU, pictures and checkpoints included`,
    place(placement === 'shared' ? {} : { rest: PORTS }),
    async () => {
      const { gpu, devices } = watchedGpu();
      // An epoch is three full batches and a short one.
      const s = await openTestSession({ ...ddp, placement, data: { type: 'xor', samples: 42 } }, { gpu });
      const playTo = async (step: number) => {
        const reached = s.until('snapshot', ({ snapshot }) => snapshot.step >= step);
        s.control({ type: 'play', stepsPerSecond: 0 });
        await reached;
        const paused = s.until('state', ({ state }) => state === 'paused');
        s.control({ type: 'pause' });
        await paused;
      };
      for (let step = 0; step < 9; step++) await s.api.traceStep();
      await playTo(60);
      let [staging, others] = [0, 0];
      for (const device of devices) {
        const createBuffer = device.createBuffer.bind(device);
        device.createBuffer = (descriptor) => {
          if (descriptor.usage & MAP_READ) staging++;
          else others++;
          return createBuffer(descriptor);
        };
      }
      await playTo(200);
      for (let step = 0; step < 4; step++) await s.api.traceStep();
      expect(others).toBe(0);
      // Staging buffers are kept: as many as reads were ever under way at once. In one memory these are what a picture,
      // a checkpoint and a traced step read; ports add the ring's four messages on each of three ranks.
      expect(staging).toBeLessThanOrEqual(placement === 'shared' ? 3 : 12);
      await s.close();
    },
  );

test('a session closed during a restart leaves no device behind', async () => {
  const { gpu, devices } = watchedGpu();
  const s = await openTestSession(ddp, { gpu });
  const restarting = s.until('state', ({ state }) => state === 'restarting');
  await s.api.loseDevice();
  await restarting;
  await s.close();
  expect(devices.length).toBe(2);
  // Hangs where one was not closed.
  await Promise.all(devices.map((device) => device.lost));
  expect(s.events.some((e) => e.type === 'state' && e.state === 'paused')).toBe(false);
});

test('if there is no second device, training continues on the CPU, and a notice says so', async () => {
  let asked = 0;
  const once = { requestAdapter: async () => (asked++ === 0 ? node.gpu.requestAdapter() : null) } as unknown as GPU;
  const s = await openTestSession(ddp, { gpu: once });
  const first = await s.api.traceStep();
  const moved = s.until('device');
  const noticed = s.until('notice', ({ notice }) => notice.id === 'no-adapter');
  const ready = s.until('state', ({ state }) => state === 'paused');
  await s.api.loseDevice();
  expect((await moved).device.kind).toBe('cpu');
  expect((await noticed).notice.text).toMatch(/Training runs on the CPU/);
  await ready;
  const second = await s.api.traceStep();
  expect(second.step).toBe(1);
  expect(second.losses.loss).toBeLessThan(2 * first.losses.loss);
  await s.close();
});
