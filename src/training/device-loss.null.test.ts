/**
 * Devices that are lost while a run plays, on Dawn's null backend: which step it is at and whether it goes on by
 * itself. That the numbers are those of a run without a loss is for device-loss.gpu.test.ts.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { place } from '../../scripts/tier';
import { must } from '../base/invariant';
import type { ConfigInput } from '../protocol/config';
import { type NodeGpu, nodeGpu } from '../runtime/webgpu/testing/node-gpu';
import { openTestSession, type TestSession } from '../session/testing/open-session';

let node: NodeGpu;
beforeAll(() => {
  node = nodeGpu({ backend: 'null' });
});
afterAll(() => node.close());

/**
 * That backend computes nothing, and what is read back is what lay in memory: here it is zeros, so that no loss is NaN.
 */
const readsZeros = (): GPU => {
  const requestAdapter = async () => {
    const adapter = must(await node.gpu.requestAdapter(), 'an adapter');
    const requestDevice = adapter.requestDevice.bind(adapter);
    adapter.requestDevice = async (descriptor) => {
      const device = await requestDevice(descriptor);
      const createBuffer = device.createBuffer.bind(device);
      device.createBuffer = (of) => {
        const buffer = createBuffer(of);
        const mapped = buffer.getMappedRange.bind(buffer);
        buffer.getMappedRange = (...range) => {
          const bytes = mapped(...range);
          new Uint8Array(bytes).fill(0);
          return bytes;
        };
        return buffer;
      };
      return device;
    };
    return adapter;
  };
  return { requestAdapter } as unknown as GPU;
};

const config: ConfigInput = {
  device: 'webgpu',
  mode: 'ddp',
  worldSize: 2,
  model: { layers: [{ type: 'Linear', in: 2, out: 2 }, { type: 'Tanh' }, { type: 'Linear', in: 2, out: 1 }] },
  data: { type: 'xor', samples: 24 },
  batchSize: 12,
  compareSingle: false,
};
const FAST = { type: 'play', stepsPerSecond: 0 } as const;

const told = (s: TestSession) => s.events.flatMap((e) => (e.type === 'losses' ? e.records.map((r) => r.step) : []));
const losses = (s: TestSession) =>
  s.events.flatMap((e) => (e.type === 'notice' && e.notice.id === 'device-lost' ? [e.notice] : []));

/** Trace, snapshot and losses of a paused run are all of the step that its state says. */
async function agrees(s: TestSession, step: number): Promise<void> {
  expect(s.events.findLast((e) => e.type === 'trace')?.trace.step).toBe(step - 1);
  expect(s.events.findLast((e) => e.type === 'snapshot')?.snapshot.step).toBe(step);
  expect((await s.api.snapshot()).step).toBe(step);
  expect(told(s)).toEqual(Array.from({ length: step }, (_, i) => i));
}

/** Loses the device while it plays; resolves with the states that say what followed. */
async function lose(s: TestSession) {
  const after = s.until('losses');
  await after;
  const restarting = s.until('state', ({ state }) => state === 'restarting');
  const next = s.until('state', ({ state }) => state === 'playing' || state === 'paused');
  await s.api.loseDevice();
  return { restarting: await restarting, next: await next };
}

const LOST_TWICE = 'below a device is lost while it plays, and device-loss.gpu.test.ts loses ten';

test('ten losses while playing: each time the run continues by itself from the reached step', {
  timeout: 60_000,
  ...place({ rest: LOST_TWICE }),
}, async () => {
  const s = await openTestSession(config, { gpu: readsZeros() });
  s.control(FAST);
  for (let loss = 0; loss < 10; loss++) {
    // A device that lasts for a second was not lost because of what runs on it.
    if (loss % 4 === 3) await new Promise((resolve) => setTimeout(resolve, 1100));
    const { restarting, next } = await lose(s);
    expect(next).toMatchObject({ state: 'playing', microBatch: restarting.microBatch });
  }
  expect(losses(s)).toHaveLength(10);
  for (const { text, hint } of losses(s)) {
    expect(text).toMatch(/device was lost: .* Training continues by itself from step \d+ on /);
    expect(hint).toBe('');
  }
  const paused = s.until('state', ({ state }) => state === 'paused');
  s.control({ type: 'pause' });
  await agrees(s, (await paused).microBatch);
  await s.close();
});

test('losses in close succession: the run waits for the user, says why, and is at one step', async () => {
  const s = await openTestSession({ ...config, maxRestarts: 100 }, { gpu: readsZeros() });
  s.control(FAST);
  let { next } = await lose(s);
  for (let loss = 1; loss < 40 && next.state === 'playing'; loss++) ({ next } = await lose(s));
  expect(next).toMatchObject({ state: 'paused', reason: 'lost-again' });
  await agrees(s, next.microBatch);
  expect(losses(s).at(-1)).toMatchObject({
    text: expect.stringMatching(/in close succession.*: training waits at step \d+/),
    hint: expect.stringMatching(/^Press Play/),
    untilPlay: true,
  });
  // And goes on when Play is pressed.
  const again = s.until('losses');
  s.control(FAST);
  await again;
  await s.close();
}, 60_000);

test('lost while paused: it stays paused, at the same step', async () => {
  const s = await openTestSession(config, { gpu: readsZeros() });
  const running = s.until('losses', ({ records }) => (records.at(-1)?.step ?? 0) > 20);
  s.control(FAST);
  await running;
  const paused = s.until('state', ({ state }) => state === 'paused');
  s.control({ type: 'pause' });
  const { microBatch: step } = await paused;
  const back = s.until('state', ({ state, reason }) => state === 'paused' && reason === 'device-lost');
  const shown = s.until('snapshot');
  await s.api.loseDevice();
  expect((await back).microBatch).toBe(step);
  await shown;
  await agrees(s, step);
  await s.close();
}, 60_000);
