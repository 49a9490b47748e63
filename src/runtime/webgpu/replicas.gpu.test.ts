/**
 * DDP on an adapter with fast copies: the average and the optimiser's step are computed once and copied. The bits are
 * those of an adapter without fast copies, where every device computes for itself.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { must } from '../../base/invariant';
import { SHADERS } from '../../graph/shader-sources';
import { PROGRAM_OPS } from '../../parallel/modes';
import type { Executor } from '../executor';
import type { OpenedDevice } from './device';
import { type NodeGpu, nodeGpu } from './testing/node-gpu';
import { type TestRun, testRun, writeParameters } from './testing/programs';
import { createWebgpuExecutor } from './webgpu-executor';

let gpu: NodeGpu;
let opened: OpenedDevice;
beforeAll(async () => {
  gpu = nodeGpu({ warm: true });
  opened = await gpu.open();
});
afterAll(() => gpu.close());

/** Large enough for copies to be worth it. */
const LAYERS = [{ type: 'Linear', in: 130, out: 120 }, { type: 'Tanh' }, { type: 'Linear', in: 120, out: 3 }];
const SETTINGS = { mode: 'ddp', worldSize: 4, batchSize: 8 } as const;

/** `fast`: whether the adapter is treated as one with fast copies. The executor counts its copies until its end. */
async function open(run: TestRun, fast: boolean): Promise<Executor & { copies(): number }> {
  const { device } = opened;
  const createCommandEncoder = device.createCommandEncoder.bind(device);
  let copies = 0;
  device.createCommandEncoder = (descriptor) => {
    const encoder = createCommandEncoder(descriptor);
    const copy = encoder.copyBufferToBuffer.bind(encoder) as (...given: unknown[]) => void;
    Object.assign(encoder, {
      copyBufferToBuffer: (...given: unknown[]) => {
        copies++;
        copy(...given);
      },
    });
    return encoder;
  };
  const executor = await createWebgpuExecutor({
    programs: run.programs,
    devices: run.devices,
    ops: PROGRAM_OPS,
    opened: { ...opened, info: { ...opened.info, software: fast } },
    shaders: SHADERS,
  });
  return {
    ...executor,
    copies: () => copies,
    dispose() {
      executor.dispose();
      device.createCommandEncoder = createCommandEncoder;
    },
  };
}

async function persistent(executor: Executor, run: TestRun): Promise<readonly Float32Array[]> {
  const lanes = run.programs[0]?.lanes ?? [];
  return executor.read(
    lanes.flatMap(({ device, buffers }) =>
      buffers.filter((b) => b.persistent).map(({ name }) => ({ device, buffer: name })),
    ),
  );
}

const bytes = (values: Float32Array | undefined): Buffer => Buffer.from(must(values, 'values').buffer);

const sameBits = (a: readonly Float32Array[], b: readonly Float32Array[]): boolean =>
  a.every((values, k) => Buffer.compare(bytes(values), bytes(b[k])) === 0);

type Meanwhile = (executor: Executor, run: TestRun, step: number) => Promise<void> | void;

/** Weights, gradients and states of all ranks after five steps. */
async function train(run: TestRun, fast: boolean, meanwhile: Meanwhile = () => undefined) {
  const executor = await open(run, fast);
  writeParameters(executor, run);
  for (let step = 0; step < 5; step++) {
    await meanwhile(executor, run, step);
    await executor.step(run.programAt(step), run.feed(step));
    await executor.losses();
  }
  const held = await persistent(executor, run);
  const copies = executor.copies();
  executor.dispose();
  expect(opened.takeError()).toBeUndefined();
  return { held, copies };
}

it.each([{ type: 'SGD' }, { type: 'SGD', momentum: 0.9 }, { type: 'Adam' }] as const)(
  'computes once what equal replicas compute: $type $momentum',
  async (optimizer) => {
    const run = testRun({ ...SETTINGS, optimizer }, LAYERS);
    const [once, each] = [await train(run, true), await train(run, false)];
    expect(sameBits(once.held, each.held)).toBe(true);
    expect(once.copies).toBeGreaterThan(each.copies + 5 * 4);
  },
);

it('updates a replica by itself that the host has made different, and one that a corrupted message has', async () => {
  const run = testRun({ ...SETTINGS, optimizer: { type: 'SGD', momentum: 0.9 } }, LAYERS);
  const tag = run.programs
    .flatMap(({ lanes }) => lanes.flatMap(({ instructions }) => instructions))
    .findLast((i) => i.kind === 'recv');
  const changes: readonly Meanwhile[] = [
    (executor, { parameters }, step) => {
      const weight = parameters.findLast(({ buffer }) => buffer === '0.weight');
      if (step === 2 && weight)
        executor.write(
          weight.device,
          weight.buffer,
          weight.data.map((w) => w + 1),
        );
    },
    (executor, _, step) => {
      if (tag?.kind === 'recv') executor.corrupt(step === 2 ? { tag: tag.tag, add: 1 } : undefined);
    },
    async (executor, { full, feed }, step) => {
      if (step === 2) await executor.trace(full, feed(10));
    },
  ];
  for (const meanwhile of changes) {
    const [once, each] = [await train(run, true, meanwhile), await train(run, false, meanwhile)];
    expect(sameBits(once.held, each.held)).toBe(true);
  }
});
