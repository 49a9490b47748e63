/**
 * What the modelled clock says about the Programs of the four modes: a teacher's expectations, held as inequalities.
 */
import * as v from 'valibot';
import { expect, describe as group, test } from 'vitest';
import { at, must } from '../base/invariant';
import { PARALLEL_MODES, PROGRAM_OPS } from '../parallel/modes';
import type { Program } from '../program/instruction';
import { type ConfigInput, configSchema } from '../protocol/config';
import { fullStep } from '../protocol/step-kind';
import { describe, HARDWARE } from './hardware';
import { modelledStep, simulate, speedup } from './simulate';

function compiled(input: ConfigInput): Program {
  const config = v.parse(configSchema, { worldSize: 4, ...input });
  const { layers } = config.model;
  const width = layers.findLast((layer) => layer.type === 'Linear');
  const head = at(layers, 0);
  const shapes = {
    inputShape: [head.type === 'Linear' ? head.in : 1],
    inputType: 'f32' as const,
    targetShape: [width?.type === 'Linear' ? width.out : 1],
    targetType: 'f32' as const,
  };
  const { dataIndices: processes } = PARALLEL_MODES[config.mode].mesh(config);
  const rows = Array.from({ length: processes }, () => config.batchSize / processes);
  return PARALLEL_MODES[config.mode]
    .facets(config)
    .compiler.compile({ config, ops: PROGRAM_OPS, ...shapes }, fullStep(rows));
}

/** Wide enough that kernels outweigh launches. */
const wide: ConfigInput = {
  model: {
    layers: [
      { type: 'Linear', in: 1024, out: 2048 },
      { type: 'ReLU' },
      { type: 'Linear', in: 2048, out: 2048 },
      { type: 'ReLU' },
      { type: 'Linear', in: 2048, out: 2048 },
      { type: 'ReLU' },
      { type: 'Linear', in: 2048, out: 10 },
    ],
  },
  loss: { type: 'MSELoss' },
  data: { type: 'randomRegression', samples: 4096, in: 1024, out: 10 },
  batchSize: 4096,
};

group('a wide net', () => {
  const single = compiled({ ...wide, mode: 'single' });
  const ddp = compiled({ ...wide, mode: 'ddp' });

  test('DDP is faster than one device over NVLink, less so over PCIe, and at most N times', () => {
    const nvlink = speedup(ddp, single, HARDWARE.nvlink8);
    const pcie = speedup(ddp, single, HARDWARE.pcie4);
    const ethernet = speedup(ddp, single, HARDWARE.ethernet10g);
    expect(nvlink).toBeGreaterThan(2);
    expect(nvlink).toBeLessThanOrEqual(4);
    expect(pcie).toBeLessThan(nvlink);
    expect(ethernet).toBeLessThan(pcie);
  });

  test('overlap hides communication, and the ring beats the naive all-reduce', () => {
    const stepUs = (options: ConfigInput['ddp']) =>
      modelledStep(compiled({ ...wide, mode: 'ddp', ddp: options }), HARDWARE.pcie4).stepUs;
    const overlapping = stepUs({ bucketCapMb: 8 });
    expect(overlapping).toBeLessThan(stepUs({ bucketCapMb: 8, overlap: false }));
    expect(overlapping).toBeLessThan(stepUs({ bucketCapMb: 8, algorithm: 'naive' }));
  });

  test('DDP beats DataParallel, whose device 0 carries the parameters out and the gradients in', () => {
    const dataParallel = compiled({ ...wide, mode: 'dataParallel' });
    expect(speedup(ddp, single, HARDWARE.pcie4)).toBeGreaterThan(speedup(dataParallel, single, HARDWARE.pcie4));
    const { perDevice } = modelledStep(dataParallel, HARDWARE.pcie4);
    for (const other of perDevice.slice(1)) expect(at(perDevice, 0).commUs).toBeGreaterThan(other.commUs);
  });

  test('naive model parallelism is never faster than one device: one device works at a time', () => {
    const split = compiled({ ...wide, mode: 'modelParallel' });
    const times = simulate(split, HARDWARE.nvlink8);
    const { stepUs, perDevice } = modelledStep(split, HARDWARE.nvlink8);
    expect(speedup(split, single, HARDWARE.nvlink8)).toBeLessThan(1.1);
    for (const { computeUs } of perDevice) expect(computeUs).toBeLessThan(0.6 * stepUs);
    const forwardAndBackward = split.lanes.flatMap((lane) =>
      lane.instructions.flatMap((i) =>
        i.kind === 'compute' && i.phase !== 'step' ? [{ device: lane.device, ...must(times.get(i.id), 'timing') }] : [],
      ),
    );
    const sorted = forwardAndBackward.sort((a, b) => a.startUs - b.startUs);
    sorted.slice(1).forEach((next, k) => {
      const one = at(sorted, k);
      if (one.device !== next.device) expect(next.startUs).toBeGreaterThanOrEqual(one.startUs + one.durUs);
    });
  });
});

test('a toy net is pure overhead on GPUs: four are slower than one; for transputers it is work', () => {
  const single = compiled({ mode: 'single' });
  for (const mode of ['dataParallel', 'ddp'] as const) {
    for (const gpus of ['nvlink8', 'pcie4', 'ethernet10g'] as const)
      expect(speedup(compiled({ mode }), single, HARDWARE[gpus])).toBeLessThan(1);
    expect(speedup(compiled({ mode }), single, HARDWARE.transputer)).toBeGreaterThan(1);
  }
});

test('half precision: products at the rate of tensor cores, two bytes an element, conversions for nothing', () => {
  const [full, half] = (['float32', 'autocast-bf16'] as const).map((precision) =>
    compiled({ ...wide, mode: 'single', precision }),
  ) as [Program, Program];
  const timesOf = (program: Program, wanted: (op: string) => boolean): readonly number[] => {
    const times = simulate(program, HARDWARE.nvlink8, []);
    return at(program.lanes, 0).instructions.flatMap((i) =>
      i.kind === 'compute' && wanted(i.op) ? [must(times.get(i.id), 'timing').durUs] : [],
    );
  };
  const longest = (program: Program): number => Math.max(...timesOf(program, (op) => op === 'ops/linear'));
  expect(longest(half)).toBeLessThan(longest(full) / 3);
  const conversions = timesOf(half, (op) => /^precision\/(round|pack|unpack)$/.test(op));
  expect(conversions.length).toBeGreaterThan(4);
  expect(new Set(conversions)).toEqual(new Set([0]));
  expect(modelledStep(half, HARDWARE.nvlink8).stepUs).toBeLessThan(modelledStep(full, HARDWARE.nvlink8).stepUs / 2);
});

test('each machine lists its assumptions', () => {
  for (const [id, hardware] of Object.entries(HARDWARE)) {
    expect(hardware.id).toBe(id);
    const { label, assumptions } = describe(hardware);
    expect(label).toBe(hardware.label);
    const rate = id === 'transputer' ? '0.435 MB/s' : `${hardware.linkBytesPerSecond / 1e9} GB/s`;
    expect(assumptions.join(' ')).toContain(`${hardware.linkLatencyUs} µs plus its bytes at ${rate}`);
    expect(assumptions.join(' ')).toContain(id === 'transputer' ? 'computes longer than it sends' : 'pure overhead');
  }
});
