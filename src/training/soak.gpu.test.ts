/**
 * Long runs leave nothing behind. In CI a short form; `npm run soak` sets LOCKSTEP_SOAK_STEPS to 10,000 and
 * LOCKSTEP_SOAK_SWITCHES to 200: GPU bytes flat from the second step on, JavaScript heap and handles flat after
 * warm-up, and no device, buffer or handle left after a change of mode and model.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { place } from '../../scripts/tier';
import { at } from '../base/invariant';
import { parseConfig } from '../config/parse-config';
import { type Config, type ConfigInput, MODES } from '../protocol/config';
import { gptLayers, PRESETS } from '../protocol/presets';
import { type NodeGpu, nodeGpu } from '../runtime/webgpu/testing/node-gpu';
import { createBlueprint } from './blueprint';
import { createTraining } from './create-training';
import { DeviceKeeper } from './device-keeper';
import { watchGpu } from './testing/watched-gpu';

const STEPS = Number(process.env['LOCKSTEP_SOAK_STEPS'] ?? 40);
const SWITCHES = Number(process.env['LOCKSTEP_SOAK_SWITCHES'] ?? 12);
/** The long form prints what it saw. */
const LONG = process.env['LOCKSTEP_SOAK_STEPS'] !== undefined;
const CHUNK = 10;

let node: NodeGpu;
beforeAll(() => {
  node = nodeGpu();
});
afterAll(() => node.close());

/** After a collection where Node was started with --expose-gc; the long form is. */
function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
const handles = (): number => process.getActiveResourcesInfo().length;

const tell = (what: string, before: object, after: object): void => {
  process.stdout.write(`${what}\n  before ${JSON.stringify(before)}\n  after  ${JSON.stringify(after)}\n`);
};

/** Small batches keep the short form short; what leaks does so at any size. */
const soaked = (config: ConfigInput): Config =>
  parseConfig({ ...config, ...(LONG ? {} : { batchSize: 8 }), device: 'webgpu', compareSingle: false });

/** The presets' kinds of model at the size of a toy, so that what is measured is the switching. */
const TOYS: readonly ConfigInput[] = [
  PRESETS.mlp.config,
  {
    ...PRESETS.cnn.config,
    data: { type: 'digits', size: 8, samples: 40 },
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
  },
  {
    ...PRESETS.gpt.config,
    data: { type: 'text', context: 4, text: 'to be or not to be' },
    model: { layers: gptLayers({ vocab: 8, context: 4, width: 8, heads: 2, layers: 1 }) },
  },
];

const FLAT = 'webgpu-executor.gpu.test.ts allocates nothing after the second step';
test.each(Object.entries(PRESETS))(
  '%s: a long run is flat',
  { timeout: LONG ? 7_200_000 : 120_000, ...place({ rest: FLAT }) },
  async (name, { config }) => {
    const watched = watchGpu(node.gpu);
    const keeper = new DeviceKeeper(watched.gpu, true);
    const training = await createTraining(createBlueprint(soaked(config), {}), { keeper, gpu: watched.gpu });
    const warmUp = Math.max(CHUNK, Math.floor(STEPS / 10));
    for (let step = 0; step < warmUp; step += CHUNK) await training.run(CHUNK);
    const before = { ...watched.use(), made: watched.made(), heap: heapBytes(), handles: handles() };
    for (let step = warmUp; step < STEPS; step += CHUNK) await training.run(CHUNK);
    const after = { ...watched.use(), made: watched.made(), heap: heapBytes(), handles: handles() };
    if (LONG) tell(name, before, after);
    expect(after.made).toBe(before.made);
    expect(after.bytes).toBe(before.bytes);
    expect(after.handles).toBeLessThanOrEqual(before.handles);
    if (globalThis.gc) expect(after.heap).toBeLessThan(before.heap + 4_000_000);
    await training.dispose();
    keeper.forget();
    await Promise.all(watched.devices.map((device) => device.lost));
    expect(watched.use()).toEqual({ devices: 0, buffers: 0, bytes: 0 });
  },
);

const LEFT = 'kills.gpu.test.ts and session.gpu.test.ts count the devices and buffers that are left';
test('switching mode and model leaves nothing behind', {
  timeout: LONG ? 7_200_000 : 120_000,
  ...place({ rest: LEFT }),
}, async () => {
  const watched = watchGpu(node.gpu);
  const keeper = new DeviceKeeper(watched.gpu, true);
  const visit = async (i: number) => {
    const mode = at(MODES, i % MODES.length);
    const config = at(TOYS, Math.floor(i / MODES.length) % TOYS.length);
    // As with five modes: workers once in a round of them, in the last one, so that equal rounds hold equal devices.
    const placement = i % MODES.length === MODES.length - 1 ? 'workers' : 'shared';
    const run = { ...config, mode, placement, worldSize: 2, batchSize: 8 } as const;
    // Every micro-batch of a pipeline has a row: the text has four.
    const piped = { ...run, pipeline: { microBatches: 2 } };
    const blueprint = createBlueprint(soaked(mode === 'pipeline' ? piped : run), {});
    const training = await createTraining(blueprint, { keeper, gpu: watched.gpu });
    await training.run(3);
    await training.trace();
    await training.dispose();
  };
  const round = MODES.length * TOYS.length;
  for (let i = 0; i < round; i++) await visit(i);
  const before = { ...watched.use(), heap: heapBytes(), handles: handles() };
  for (let i = round; i < round + SWITCHES; i++) await visit(i);
  const after = { ...watched.use(), heap: heapBytes(), handles: handles() };
  if (LONG) tell('switching', before, after);
  expect(after.buffers).toBe(before.buffers);
  expect(after.devices).toBeLessThanOrEqual(before.devices);
  expect(after.handles).toBeLessThanOrEqual(before.handles);
  if (globalThis.gc) expect(after.heap).toBeLessThan(before.heap + 4_000_000);
  keeper.forget();
});
