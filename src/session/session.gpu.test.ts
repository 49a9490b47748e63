/** The session on WebGPU: the same numbers as on the CPU, a lost device and a new one, and the notices about what it found. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConfigInput } from '../protocol/config';
import { type NodeGpu, nodeGpu } from '../runtime/webgpu/testing/node-gpu';
import { runConfig } from './run';
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

test('automatic takes the CPU where only a software adapter is, and says so', async () => {
  const s = await openTestSession({ ...ddp, device: 'auto' }, { gpu: node.gpu });
  expect(s.info.device.kind).toBe('cpu');
  expect(s.info.notices.map((n) => n.id)).toContain('software-adapter');
  await s.close();
});

test('a lost device: training goes on from the last step on a new one', async () => {
  const s = await openTestSession(ddp, { gpu: node.gpu });
  await s.api.traceStep();
  const before = await s.api.traceStep();
  const noticed = s.until('notice', ({ notice }) => notice.id === 'device-lost');
  await s.api.loseDevice();
  const { notice } = await noticed;
  expect(notice.text).toMatch(/goes on from step 2/);
  const after = await s.api.traceStep();
  expect(after.step).toBe(before.step + 1);
  const undisturbed = await runConfig({ ...ddp, steps: 3 }, {}, { gpu: node.gpu });
  expect(after.losses.perRank).toEqual(undisturbed.report.losses[2]?.perRank);
  await s.close();
});

test('a device lost while playing: no promise hangs, the run can go on', async () => {
  const s = await openTestSession(ddp, { gpu: node.gpu });
  const played = s.until('losses', ({ records }) => (records.at(-1)?.step ?? 0) > 10);
  s.control({ type: 'play', stepsPerSecond: 0 });
  await played;
  const restarted = s.until('state', ({ state, reason }) => state === 'paused' && reason === 'device-lost');
  await s.api.loseDevice();
  await restarted;
  const trace = await s.api.traceStep();
  expect(Number.isFinite(trace.losses.loss)).toBe(true);
  await s.close();
});

test.each(['single', 'dataParallel', 'ddp', 'modelParallel'] as const)(
  '%s: shared and a GPUDevice a rank give bitwise the same weights',
  async (mode) => {
    const config = { ...ddp, mode, steps: 15 };
    const shared = await runConfig(config, {}, { gpu: node.gpu });
    const workers = await runConfig({ ...config, placement: 'workers' }, {}, { gpu: node.gpu });
    expect(workers.report.weightsSha256).toBe(shared.report.weightsSha256);
    expect(shared.report.losses.map((l) => l.perRank)).toEqual(workers.report.losses.map((l) => l.perRank));
    if (mode === 'modelParallel') expect(shared.report.differenceFromSingle).toBe(0);
  },
);
