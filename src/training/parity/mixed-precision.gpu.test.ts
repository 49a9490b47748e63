/**
 * Mixed precision on the WGSL kernels: the recorded autocast run of PyTorch 2.13, the same bits with one GPUDevice per
 * rank, the same bits with and without WGSL's f16, and a GradScaler that meets real overflows of float16, held to the
 * CPU device.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { once } from '../../base/once';
import { parseConfig } from '../../config/parse-config';
import type { ConfigInput } from '../../protocol/config';
import { mlpLayers } from '../../protocol/presets';
import { type NodeGpu, nodeGpu } from '../../runtime/webgpu/testing/node-gpu';
import { withoutFeature } from '../../runtime/webgpu/testing/without-feature';
import { createBlueprint } from '../blueprint';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';
import { AUTOCAST_CASE, MIXED_BASE, TENSOR_AUTOCAST_CASE, WHOLE_MODEL_CASES } from '../testing/mixed-cases';
import { runParity } from '../testing/run-parity';
import { expectSameBits, heldBy, runInWorkers } from '../testing/run-placements';
import type { Training } from '../training';

let node: NodeGpu;
beforeAll(() => {
  node = nodeGpu({ warm: true });
});
afterAll(() => node.close());

const shared = once(() => runParity(AUTOCAST_CASE, node.gpu));

test('autocast meets torch within one rounding of bfloat16', place({ modes: ['single'] }), async () => {
  const { measured } = await shared();
  expect(measured.loss_rel_all).toBeLessThanOrEqual(1e-2);
  expect(measured.first_grad_maxrel).toBeLessThanOrEqual(1e-2);
  expect(measured.final_param_maxabs).toBeLessThanOrEqual(1e-2);
});

test.each(WHOLE_MODEL_CASES)(
  '$name meets torch within a few roundings',
  place({ modes: ['single'] }),
  async (parity) => {
    const { measured } = await runParity(parity, node.gpu);
    expect(measured.loss_rel_all).toBeLessThanOrEqual(1e-2);
    expect(measured.final_param_maxabs).toBeLessThanOrEqual(1e-2);
  },
);

test('one GPUDevice per rank: the bits of the shared run', place({ modes: ['single'] }), async () => {
  expectSameBits((await shared()).held, await runInWorkers(AUTOCAST_CASE, node.gpu));
});

test(
  'a tensor group: within one rounding of torch, and the same bits with one GPUDevice per rank',
  place({ modes: ['tensor'] }),
  async () => {
    const { measured, held } = await runParity(TENSOR_AUTOCAST_CASE, node.gpu);
    expect(measured.loss_rel_all).toBeLessThanOrEqual(1e-2);
    expect(measured.final_param_maxabs).toBeLessThanOrEqual(1e-2);
    expect(measured.replicaDivergence).toBe(0);
    expectSameBits(held, await runInWorkers(TENSOR_AUTOCAST_CASE, node.gpu));
  },
);

async function withRun<T>(
  config: ConfigInput,
  gpu: GPU | undefined,
  use: (training: Training) => Promise<T>,
): Promise<T> {
  const device = gpu ? 'webgpu' : 'cpu';
  const blueprint = createBlueprint(parseConfig({ ...config, device, compareSingle: false }), {});
  const training = await createTraining(blueprint, { keeper: new DeviceKeeper(gpu, true), gpu });
  try {
    return await use(training);
  } finally {
    await training.dispose();
  }
}

const records = (config: ConfigInput, gpu?: GPU) => withRun(config, gpu, (training) => training.run(12));

test('float16 overflows, and the scaler backs off as on the CPU', place({ modes: ['ddp'] }), async () => {
  const config: ConfigInput = {
    ...MIXED_BASE,
    mode: 'ddp',
    worldSize: 2,
    precision: 'autocast-fp16',
    optimizer: { type: 'Adam', lr: 0.01 },
    gradScaler: { enabled: true, initScale: 2 ** 24, growthInterval: 3 },
  };
  const [gpu, cpu] = [await records(config, node.gpu), await records(config)];
  const story = (run: typeof gpu) => run.map(({ scaler }) => [scaler?.scale, scaler?.skipped]);
  expect(story(cpu).slice(0, 2)).toEqual([
    [2 ** 23, true],
    [2 ** 22, true],
  ]);
  expect(story(cpu).some(([, skipped]) => skipped === false)).toBe(true);
  expect(story(gpu)).toEqual(story(cpu));
  const far = gpu.map(({ loss }, i) => Math.abs(loss - (cpu[i]?.loss ?? 0)));
  expect(Math.max(...far)).toBeLessThan(1e-2);
});

test(
  'a MixedPrecisionPolicy: parameters and gradients travel as halves, near the CPU device',
  place({ modes: ['sharded'] }),
  async () => {
    const config: ConfigInput = {
      ...MIXED_BASE,
      // Odd rows over three ranks: shards begin and end in the middle of a word.
      model: { layers: mlpLayers([2, 5, 3, 1], 'Tanh') },
      batchSize: 12,
      dropLast: true,
      mode: 'sharded',
      worldSize: 3,
      sharded: { paramDtype: 'bfloat16', reshardAfterForward: true },
    };
    const [gpu, cpu] = [await records(config, node.gpu), await records(config)];
    const far = gpu.map(({ loss }, i) => Math.abs(loss - (cpu[i]?.loss ?? 0)));
    expect(Math.max(...far)).toBeLessThan(1e-2);
    // What is gathered before the first forward pass are copies of the same weights: the same halves to the bit.
    const gathered = (own?: GPU) =>
      withRun(config, own, async (training) => {
        const { events } = await training.trace();
        return events
          .filter(({ name, anchor }) => name === 'fsdp/split-with-sizes-copy' && anchor === 'forward')
          .map(({ device, name, module, captured }) => ({ device, name, module, captured }));
      });
    const [onGpu, onCpu] = [await gathered(node.gpu), await gathered()];
    expect(onCpu.flatMap(({ captured }) => captured).length).toBeGreaterThan(12);
    const key = ({ device, name, module }: (typeof onCpu)[number]) => `${device} ${name} ${module}`;
    const sorted = (events: typeof onCpu) => events.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
    expect(sorted(onGpu)).toEqual(sorted(onCpu));
  },
);

test(
  'DataParallel: outputs and their gradients travel as halves, and the scaler meets the overflows of the CPU device',
  place({ modes: ['dataParallel'] }),
  async () => {
    const config: ConfigInput = {
      ...MIXED_BASE,
      mode: 'dataParallel',
      worldSize: 3,
      batchSize: 8,
      precision: 'autocast-fp16',
      gradScaler: { enabled: true, initScale: 2 ** 24, growthInterval: 3 },
    };
    const [gpu, cpu] = [await records(config, node.gpu), await records(config)];
    expect(cpu.at(0)?.scaler?.skipped).toBe(true);
    expect(gpu.map(({ scaler }) => scaler?.scale)).toEqual(cpu.map(({ scaler }) => scaler?.scale));
    const far = gpu.map(({ loss }, i) => Math.abs(loss - (cpu[i]?.loss ?? 0)));
    expect(Math.max(...far)).toBeLessThan(1e-2);
  },
);

test.each(['ddp', 'sharded'] as const)(
  '%s around a model in bfloat16: near the CPU device, and the same bits with one GPUDevice per rank',
  place({ modes: ['ddp', 'sharded'] }),
  async (mode) => {
    const config: ConfigInput = {
      ...MIXED_BASE,
      model: { layers: mlpLayers([2, 5, 3, 1], 'Tanh') },
      mode,
      worldSize: 3,
      batchSize: 12,
      dropLast: true,
      precision: 'bf16',
    };
    const [gpu, cpu] = [await records(config, node.gpu), await records(config)];
    const far = gpu.map(({ loss }, i) => Math.abs(loss - (cpu[i]?.loss ?? 0)));
    expect(Math.max(...far)).toBeLessThan(3e-2);
    const apart = await records({ ...config, placement: 'workers' }, node.gpu);
    expect(apart.map(({ perRank }) => perRank)).toEqual(gpu.map(({ perRank }) => perRank));
  },
);

const IN_FLOAT16: Readonly<Record<string, ConfigInput>> = {
  'DDP under autocast, with a scale that overflows': {
    ...MIXED_BASE,
    mode: 'ddp',
    worldSize: 2,
    batchSize: 8,
    precision: 'autocast-fp16',
    optimizer: { type: 'Adam', lr: 0.01 },
    gradScaler: { enabled: true, initScale: 2 ** 24, growthInterval: 3 },
  },
  'a MixedPrecisionPolicy': {
    ...MIXED_BASE,
    model: { layers: mlpLayers([2, 5, 3, 1], 'Tanh') },
    batchSize: 12,
    dropLast: true,
    mode: 'sharded',
    worldSize: 3,
    placement: 'workers',
    sharded: { paramDtype: 'float16', reduceDtype: 'float16', reshardAfterForward: true },
  },
  'a whole model in float16': { ...MIXED_BASE, mode: 'single', precision: 'fp16-master', batchSize: 16 },
  "DDP's fp16_compress_hook": {
    ...MIXED_BASE,
    mode: 'ddp',
    worldSize: 3,
    batchSize: 8,
    ddp: { commHook: { type: 'fp16Compress' } },
  },
};

test.each(Object.entries(IN_FLOAT16))(
  "%s: WGSL's f16 gives the bits of packed halves",
  place({ modes: ['single', 'ddp', 'sharded'] }),
  async (_, config) => {
    const heldOn = (gpu: GPU) =>
      withRun(config, gpu, async (training) => {
        const held = await heldBy(training, await training.run(8));
        return { held, float16: training.device.float16 };
      });
    const adapter = await node.gpu.requestAdapter();
    const own = await heldOn(node.gpu);
    if (!adapter?.features.has('shader-f16')) {
      // SwiftShader, for example: there is only one form to run.
      expect(own.float16).toBe('packed');
      return;
    }
    const packed = await heldOn(withoutFeature(node.gpu, 'shader-f16'));
    expect([own.float16, packed.float16]).toEqual(['f16', 'packed']);
    expectSameBits(packed.held, own.held);
  },
);

test('a run in bfloat16 or float32 has no form of float16', place({ modes: ['single'] }), async () => {
  for (const precision of ['autocast-bf16', 'float32'] as const)
    await withRun({ ...MIXED_BASE, mode: 'single', precision }, node.gpu, async (training) => {
      expect(training.device.float16).toBeUndefined();
    });
});
