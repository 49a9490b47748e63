/**
 * The device is destroyed at 30 random points of short runs: between any two submits of play, of traced steps, of
 * read-backs, of the replay after an earlier loss. Every run goes on as if nothing had happened: each step is reported
 * once, and losses and weights are bit for bit those of a run without a loss.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { place } from '../../scripts/tier';
import { must } from '../base/invariant';
import { runConfig } from '../headless/run';
import type { ConfigInput } from '../protocol/config';
import { type NodeGpu, nodeGpu } from '../runtime/webgpu/testing/node-gpu';
import { openTestSession, type TestSession } from '../session/testing/open-session';
import { Generator } from '../tensor/generator';
import { withTraining } from './testing/checkpoint-runs';
import { weightsFile } from './weights/weights-file';

/**
 * Submits within which a step is done, traced too: a loss comes within as many. With one device per rank each
 * instruction of a traced step has its own.
 */
const MOST_SUBMITS = { shared: 80, workers: 250 };

let node: NodeGpu;
beforeAll(() => {
  node = nodeGpu();
});
afterAll(() => node.close());

/** A GPU of which the device that submits is destroyed at a given submit from now on, before or after it. */
function fragileGpu() {
  let left = Number.POSITIVE_INFINITY;
  let before = false;
  const requestAdapter = async () => {
    const adapter = must(await node.gpu.requestAdapter(), 'an adapter');
    const requestDevice = adapter.requestDevice.bind(adapter);
    adapter.requestDevice = async (descriptor) => {
      const device = await requestDevice(descriptor);
      const submit = device.queue.submit.bind(device.queue);
      const destroy = device.destroy.bind(device);
      let alive = true;
      device.destroy = () => {
        alive = false;
        return destroy();
      };
      device.queue.submit = (commands) => {
        const now = alive && --left === 0;
        if (now && before) device.destroy();
        submit(commands);
        if (now && !before) device.destroy();
      };
      return device;
    };
    return adapter;
  };
  return {
    gpu: { requestAdapter } as unknown as GPU,
    arm(submits: number, first: boolean) {
      left = submits;
      before = first;
    },
  };
}

const dropout = [
  { type: 'Linear', in: 2, out: 6 },
  { type: 'Tanh' },
  { type: 'Dropout', p: 0.3 },
  { type: 'Linear', in: 6, out: 1 },
] as const;
const common = {
  device: 'webgpu',
  compareSingle: false,
  seed: 5,
  data: { type: 'xor', samples: 42 },
  maxRestarts: 100,
} as const;

const RUNS: Readonly<Record<string, ConfigInput>> = {
  'Adam with dropout': {
    ...common,
    model: { layers: [...dropout] },
    optimizer: { type: 'Adam', lr: 0.01 },
    batchSize: 12,
  },
  'DDP with dropout and its reference': {
    ...common,
    mode: 'ddp',
    worldSize: 2,
    model: { layers: [...dropout] },
    optimizer: { type: 'SGD', lr: 0.05, momentum: 0.9 },
    batchSize: 12,
    compareSingle: true,
  },
  'a CNN with BatchNorm': {
    ...common,
    model: {
      layers: [
        { type: 'Conv2d', in: 1, out: 2, kernel: 3, padding: 1 },
        { type: 'BatchNorm2d', features: 2 },
        { type: 'ReLU' },
        { type: 'MaxPool2d', kernel: 2 },
        { type: 'Flatten' },
        { type: 'Linear', in: 32, out: 10 },
      ],
    },
    loss: { type: 'CrossEntropyLoss' },
    optimizer: { type: 'SGD', lr: 0.05, momentum: 0.9 },
    data: { type: 'digits', size: 8, samples: 40 },
    batchSize: 8,
  },
  'model parallel with AdamW, a schedule and accumulation': {
    ...common,
    mode: 'modelParallel',
    worldSize: 2,
    optimizer: { type: 'AdamW', lr: 0.01 },
    scheduler: { type: 'StepLR', stepSize: 7 },
    batchSize: 12,
    accumulate: 2,
  },
  'DDP with one GPUDevice per rank': { ...common, mode: 'ddp', worldSize: 2, placement: 'workers', batchSize: 12 },
};

test('lost while Reset reads the new weights: Reset is done on the next device', async () => {
  const { gpu, arm } = fragileGpu();
  const s = await openTestSession(must(RUNS['Adam with dropout'], 'a run'), { gpu });
  const first = await s.api.traceStep();
  await s.api.traceStep();
  const back = s.until('state', ({ state, reason }) => state === 'paused' && reason === 'device-lost');
  const shown = s.until('snapshot', ({ snapshot }) => snapshot.step === 0);
  // Weights are written without a submit; their read-back is the first.
  arm(1, true);
  await s.api.reset();
  await back;
  await shown;
  const again = await s.api.traceStep();
  expect(again.step).toBe(0);
  expect(again.losses).toEqual(first.losses);
  await s.close();
});

const recordsOf = (s: TestSession) => s.events.flatMap((e) => (e.type === 'losses' ? e.records : []));

/**
 * Of several devices, each rank's own: what a shared one loses is a part of that. Five points have a loss by hand and
 * one after steps without a loss.
 */
const pointsOf = (config: ConfigInput): number => (config.placement === 'workers' ? 10 : 5);
const LOST_IN_QUICK = 'a device is lost while the session opens, resets and reads, and session.gpu.test.ts loses more';

for (const [name, config] of Object.entries(RUNS))
  test(`${name}: ${pointsOf(config)} losses of the device change nothing`, {
    timeout: 180_000,
    ...place({ rest: LOST_IN_QUICK }),
  }, async () => {
    const random = new Generator(Object.keys(RUNS).indexOf(name));
    const draw = (most: number) => 1 + Math.floor(random.uniform24() * most);
    const { gpu, arm } = fragileGpu();
    const s = await openTestSession(config, { gpu });
    expect(s.info.device.kind).toBe('webgpu');
    let playing = false;
    /** By itself where it played, or paused. */
    const recovered = async () => {
      await s.until('state', ({ state }) => state === 'restarting');
      const { state } = await s.until('state', (e) => e.state === 'playing' || e.state === 'paused');
      playing = state === 'playing';
    };
    const pause = async () => {
      if (!playing) return;
      const paused = s.until('state', ({ state }) => state === 'paused');
      s.control({ type: 'pause' });
      await paused;
      playing = false;
    };
    for (let point = 0; point < pointsOf(config); point++) {
      await pause();
      const back = recovered();
      // A session gives up after some losses without a step between them; every third comes after one.
      const most = MOST_SUBMITS[config.placement ?? 'shared'];
      arm(draw(most) + (point % 3 === 2 ? most : 0), random.uniform24() < 0.5);
      if (point % 5 === 4) {
        // By hand: a step that is under way is taken all the same.
        let lost = false;
        void back.then(() => {
          lost = true;
        });
        const steps: number[] = [];
        while (!lost) steps.push((await s.api.traceStep()).microBatch);
        expect(steps).toEqual(steps.map((_, i) => (steps[0] ?? 0) + i));
      } else s.control({ type: 'play', stepsPerSecond: 0 });
      await back;
    }
    arm(Number.POSITIVE_INFINITY, false);
    await pause();
    const played = s.until('losses');
    s.control({ type: 'play', stepsPerSecond: 0 });
    await played;
    const paused = s.until('state', ({ state }) => state === 'paused');
    s.control({ type: 'pause' });
    await paused;

    const records = recordsOf(s);
    const weights = await s.api.saveWeights();
    const undisturbed = await withTraining(
      config,
      {},
      async (t) => ({ losses: await t.run(records.length), weights: weightsFile(t.blueprint, await t.weights()) }),
      node.gpu,
    );
    expect(records.map(({ microBatch }) => microBatch)).toEqual(records.map((_, i) => i));
    expect(records).toEqual(undisturbed.losses);
    expect(weights).toEqual(undisturbed.weights);
    await s.close();
  });

const small: ConfigInput = must(RUNS['DDP with dropout and its reference'], 'a run');

test('lost while the session is set up: it opens on the next device', async () => {
  const { gpu, arm } = fragileGpu();
  // The constructor's broadcast.
  arm(1, true);
  const s = await openTestSession(small, { gpu });
  expect((await s.api.traceStep()).step).toBe(0);
  await s.close();
});

test('headless, lost when the last weights are read: the report is that of a run without a loss', async () => {
  const { gpu, arm } = fragileGpu();
  const undisturbed = await runConfig({ ...small, steps: 5 }, {}, { gpu: node.gpu });
  const { report, weights } = await runConfig(
    { ...small, steps: 5 },
    {},
    {
      gpu,
      onLoss: ({ step }) => {
        if (step === 4) arm(1, true);
      },
    },
  );
  expect(report.error).toBeUndefined();
  expect(report.notices.some(({ id }) => id === 'device-lost')).toBe(true);
  expect(report.losses).toEqual(undisturbed.report.losses);
  expect(weights()).toEqual(undisturbed.weights());
});
