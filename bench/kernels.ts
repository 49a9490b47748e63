/**
 * Measures how the time of a step is distributed on a GPU: it puts every instruction of the benchmark's nets and of the
 * presets between two GPU timestamps (medians over traced steps), and lists the instruction's kernels, bytes and
 * operations, and the rate of a plain copy on the same adapter. `node kernels.mjs [FILE] [WORD]`, with the package
 * `webgpu` beside it, prints tables and writes JSON to FILE; WORD selects the nets and presets with this word in their
 * titles.
 */
import { writeFileSync } from 'node:fs';
import { create, globals } from 'webgpu';
import { at, must } from '../src/base/invariant';
import { parseConfig } from '../src/config/parse-config';
import { type KernelTuning, SOFTWARE_TUNING } from '../src/graph/kernel-tuning';
import { lowerFor } from '../src/graph/workgroup-launches';
import { PROGRAM_OPS } from '../src/parallel/modes';
import type { Compute, Program } from '../src/program/instruction';
import { PRESETS } from '../src/protocol/presets';
import type { Files } from '../src/protocol/session';
import { programKey } from '../src/protocol/step-kind';
import { createBlueprint } from '../src/training/blueprint';
import { createTraining } from '../src/training/create-training';
import { DeviceKeeper } from '../src/training/device-keeper';
import { loadParts } from '../src/training/load-parts';
import { NETS } from './workloads/nets';

interface Row {
  /** The kernels to which the operator was lowered. */
  readonly kernel: string;
  readonly op: string;
  readonly shapes: string;
  count: number;
  us: number;
  bytes: number;
  flops: number;
}

const TRACES = 25;
const [, , file = 'kernels.json', word = ''] = process.argv;
Object.assign(globalThis, globals);
/** Kept until the end. The toggle keeps Dawn from rounding timestamps to 65 us. */
const gpu = create(['disable-dawn-features=timestamp_quantization']);

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return at(sorted, Math.floor(sorted.length / 2));
};

async function adapterFacts() {
  const adapter = must(await gpu.requestAdapter({ powerPreference: 'high-performance' }), 'an adapter');
  const { vendor, architecture, device, description } = adapter.info;
  const info = adapter.info as GPUAdapterInfo & { subgroupMinSize?: number; subgroupMaxSize?: number };
  const limits: Record<string, number> = {};
  for (const key in adapter.limits) {
    const value = adapter.limits[key as keyof GPUSupportedLimits];
    if (typeof value === 'number') limits[key] = value;
  }
  return {
    name: [vendor, architecture, device, description].join(' '),
    subgroups: [info.subgroupMinSize, info.subgroupMaxSize],
    features: [...adapter.features].sort(),
    limits,
  };
}

/** GB/s, counting read and written bytes, of copies of 256 MiB. */
async function copyRate(): Promise<number> {
  const adapter = must(await gpu.requestAdapter({ powerPreference: 'high-performance' }), 'an adapter');
  const size = Math.min(256 * 2 ** 20, adapter.limits.maxBufferSize);
  const device = await adapter.requestDevice({ requiredLimits: { maxBufferSize: size } });
  const [a, b] = [0, 1].map(() =>
    device.createBuffer({ size, usage: GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST }),
  );
  const run = async (count: number): Promise<number> => {
    const encoder = device.createCommandEncoder();
    for (let n = 0; n < count; n++) encoder.copyBufferToBuffer(must(a, 'a'), 0, must(b, 'b'), 0, size);
    const started = performance.now();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    return (2 * size * count) / (performance.now() - started) / 1e6;
  };
  await run(2);
  const count = /swiftshader|llvmpipe/i.test(JSON.stringify([adapter.info.description])) ? 2 : 100;
  const rates = [await run(count), await run(count), await run(count)];
  device.destroy();
  return median(rates);
}

function kernelsOf(program: Program, instruction: Compute, tuning: KernelTuning): string[] {
  const buffers = new Map(must(program.lanes[0], 'lane').buffers.map((buffer) => [buffer.name, buffer]));
  const type = (name: string) => must(buffers.get(name), name);
  const types = {
    inputs: instruction.inputs.map(type),
    outputs: instruction.outputs.map(type),
    attrs: instruction.attrs,
  };
  const op = must(PROGRAM_OPS.get(instruction.op), instruction.op);
  return lowerFor(op, types, tuning).map(({ kernel }) => kernel);
}

async function tuningOf(keeper: DeviceKeeper) {
  const { opened } = await keeper.choose('webgpu');
  return (opened && (await opened.tunings.load(opened.info.adapter))) ?? SOFTWARE_TUNING;
}

async function measure(title: string, input: unknown, files: Files) {
  const config = { ...parseConfig({ ...(input as object), device: 'webgpu' }), compareSingle: false };
  await loadParts(config);
  const blueprint = createBlueprint(config, files);
  const keeper = new DeviceKeeper(gpu, true);
  const training = await createTraining(blueprint, { keeper, gpu });
  try {
    const tuning = await tuningOf(keeper);
    await training.run(20);
    let steps = 0;
    const started = performance.now();
    while (performance.now() - started < 700) {
      await training.run(50);
      steps += 50;
    }
    const stepUs = ((performance.now() - started) * 1000) / steps;
    const times = new Map<number, number[]>();
    let last = await training.trace();
    for (let n = 0; n < TRACES; n++) {
      last = await training.trace();
      for (const { id, durUs } of last.events) times.set(id, [...(times.get(id) ?? []), durUs]);
    }
    const program = must(
      blueprint.programs.find(({ kind }) => programKey(kind) === programKey(last.kind)),
      'program',
    );
    const rows = new Map<string, Row>();
    for (const instruction of must(program.lanes[0], 'lane').instructions) {
      if (instruction.kind !== 'compute') continue;
      const us = median(must(times.get(instruction.id), 'times'));
      const kernel = kernelsOf(program, instruction, tuning).join(' + ');
      const shapeOf = new Map(must(program.lanes[0], 'lane').buffers.map(({ name, shape }) => [name, shape.join('x')]));
      const shapes = [...instruction.inputs, ...instruction.outputs].map((name) => shapeOf.get(name)).join(', ');
      const key = `${kernel} ${shapes}`;
      const row = rows.get(key) ?? { kernel, op: instruction.op, shapes, count: 0, us: 0, bytes: 0, flops: 0 };
      row.count++;
      row.us += us;
      row.bytes += instruction.bytes;
      row.flops += instruction.flops;
      rows.set(key, row);
    }
    const sorted = [...rows.values()].sort((a, b) => b.us - a.us);
    return { title, stepUs, kernelUs: sorted.reduce((sum, { us }) => sum + us, 0), tuning, rows: sorted };
  } finally {
    await training.dispose();
    keeper.forget();
  }
}

async function main(): Promise<void> {
  const adapter = await adapterFacts();
  console.log(JSON.stringify(adapter));
  const copy = await copyRate();
  console.log(`copies: ${copy.toFixed(0)} GB/s`);
  const nets = [];
  const runs: [string, unknown, Files][] = [
    ...NETS.map((work): [string, unknown, Files] => [work.title, work.config, work.files]),
    ...Object.entries(PRESETS).map(([name, { config }]): [string, unknown, Files] => [`preset ${name}`, config, {}]),
  ];
  for (const [title, config, files] of runs.filter(([name]) => name.includes(word))) {
    try {
      const found = await measure(title, config, files);
      nets.push(found);
      console.log(`\n${title}: a step ${found.stepUs.toFixed(0)} us, kernels ${found.kernelUs.toFixed(0)} us`);
      for (const { kernel, shapes, count, us, bytes, flops } of found.rows.slice(0, 8))
        console.log(
          `  ${us.toFixed(1)} us  ${count} x ${kernel}  [${shapes}]  ${(bytes / us / 1000).toFixed(0)} GB/s  ${(flops / us / 1000).toFixed(0)} GFLOP/s`,
        );
    } catch (error) {
      console.log(`${title}: ${error instanceof Error ? error.stack : String(error)}`);
    }
    writeFileSync(file, JSON.stringify({ adapter, copyGBs: copy, nets }));
  }
}

await main();
process.exit(0);
