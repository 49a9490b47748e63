/**
 * Runs single launches outside a Program, to measure kernels or to check them: how long one dispatch takes, and what it
 * writes. Used by the measurements of a tuning and by the check of subgroups.
 */
import { must } from '../../../base/invariant';
import type { DenseLaunch } from '../../../graph/op';
import { packParams } from '../dispatch';
import { COPY_DST, MAP_READ, MODE_READ, UNIFORM } from '../gpu-flags';
import type { PipelineCache } from '../pipelines';

export interface Bench {
  readonly device: GPUDevice;
  readonly pipelines: PipelineCache;
  readonly shaders: Readonly<Record<string, string>>;
  /** By operand. */
  readonly buffers: readonly GPUBuffer[];
}

/** Shorter times measure submitting more than computing. */
const LONG_ENOUGH_MS = 5;
const MOST_DISPATCHES = 128;
/** A dispatch that takes this long, even with all that a first dispatch takes, is not repeated. */
const SLOW_MS = 50;

/** Milliseconds of one dispatch. */
export async function timeOf(launch: DenseLaunch, bench: Bench): Promise<number> {
  const { encode, destroy } = await bind(launch, bench);
  const { device } = bench;
  const run = async (dispatches: number): Promise<number> => {
    const encoder = device.createCommandEncoder();
    encode(encoder, dispatches);
    const commands = encoder.finish();
    const start = performance.now();
    device.queue.submit([commands]);
    await device.queue.onSubmittedWorkDone();
    return performance.now() - start;
  };
  try {
    const first = await run(1);
    if (first >= SLOW_MS) return first;
    for (let dispatches = 1; ; dispatches *= 2) {
      const ms = await run(dispatches);
      if (ms >= LONG_ENOUGH_MS || dispatches >= MOST_DISPATCHES) return Math.max(ms, 1e-3) / dispatches;
    }
  } finally {
    destroy();
  }
}

/** The bits of the buffers `read` after one dispatch, which finds zeros in them. */
export async function wordsAfter(launch: DenseLaunch, bench: Bench, read: readonly number[]): Promise<Uint32Array> {
  const { device } = bench;
  const { encode, destroy } = await bind(launch, bench);
  const buffers = read.map((operand) => must(bench.buffers[operand], 'operand'));
  const size = buffers.reduce((sum, buffer) => sum + buffer.size, 0);
  const answer = device.createBuffer({ label: 'answer', size, usage: COPY_DST | MAP_READ });
  try {
    const encoder = device.createCommandEncoder();
    for (const buffer of buffers) encoder.clearBuffer(buffer);
    encode(encoder, 1);
    let to = 0;
    for (const buffer of buffers) {
      encoder.copyBufferToBuffer(buffer, 0, answer, to, buffer.size);
      to += buffer.size;
    }
    device.queue.submit([encoder.finish()]);
    await answer.mapAsync(MODE_READ);
    return new Uint32Array(answer.getMappedRange().slice(0));
  } finally {
    destroy();
    answer.destroy();
  }
}

async function bind(launch: DenseLaunch, { device, pipelines, shaders, buffers }: Bench) {
  const { kernel, constants = {}, bindings, workgroups } = launch;
  const { pipeline, tensors, params } = await pipelines.compile({ kernel, constants }, shaders);
  const words = packParams(
    launch.params,
    bindings.map(() => 0),
  );
  const uniform = device.createBuffer({ label: 'tuning', size: words.byteLength, usage: UNIFORM | COPY_DST });
  device.queue.writeBuffer(uniform, 0, words);
  const entries = bindings.map((operand, binding) => ({
    binding,
    resource: { buffer: must(buffers[operand], 'operand') },
  }));
  const groups = [
    device.createBindGroup({ layout: tensors, entries }),
    device.createBindGroup({ layout: params, entries: [{ binding: 0, resource: { buffer: uniform } }] }),
  ];
  return {
    destroy: () => uniform.destroy(),
    encode(encoder: GPUCommandEncoder, dispatches: number): void {
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      groups.forEach((group, index) => {
        pass.setBindGroup(index, group);
      });
      for (let i = 0; i < dispatches; i++) pass.dispatchWorkgroups(...workgroups);
      pass.end();
    },
  };
}
