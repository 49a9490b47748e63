/**
 * WGSL's f16 in the kernels that convert float16, on devices that have it. A kernel is one source: to_half and to_float
 * convert in whole numbers, and here two functions of the same names take their place, which convert with f16. Only
 * conversions use f16, so all results have the same bits: torch's kernels, too, compute in float32 and round once.
 * WGSL leaves rounding and small halves to the device, so precision/check-halves tries every half on the device first.
 * Loaded by create-tuned-executor.ts for runs with float16.
 */
import { F16_FUNCTIONS } from '../../graph/half-shaders';
import { grid } from '../../graph/launch';
import { replaceFunctions } from '../../graph/replace-functions';
import type { ExecutorInfo } from '../executor';
import type { OpenedDevice } from './device';
import { packParams } from './dispatch';
import { COPY_DST, COPY_SRC, MAP_READ, MODE_READ, STORAGE, UNIFORM } from './gpu-flags';
import { pipelinesOf } from './pipelines';

type Shaders = Readonly<Record<string, string>>;

type Compiler = Pick<OpenedDevice, 'device' | 'compiled'>;

export interface Float16Kernels {
  readonly shaders: Shaders;
  readonly float16: NonNullable<ExecutorInfo['float16']>;
}

/** The kernels for runs with float16 on this device. */
export async function float16Kernels(opened: Compiler, shaders: Shaders): Promise<Float16Kernels> {
  if (!opened.device.features.has('shader-f16')) return { shaders, float16: 'packed' };
  const withF16 = Object.fromEntries(Object.entries(shaders).map(([id, text]) => [id, inF16(text)]));
  opened.compiled.exactF16 ??= isExact(opened, withF16);
  return (await opened.compiled.exactF16) ? { shaders: withF16, float16: 'f16' } : { shaders, float16: 'inexact' };
}

/** The same kernel with the functions of F16_FUNCTIONS; a kernel without such functions stays as it is. */
const inF16 = (text: string): string => replaceFunctions(text, Object.values(F16_FUNCTIONS), 'enable f16;');

/** All patterns of 16 bits. */
const HALVES = 65_536;

/** Runs precision/check-halves. A driver whose compiler refuses the kernel keeps the packed form, too. */
async function isExact(opened: Compiler, shaders: Shaders): Promise<boolean> {
  const { device } = opened;
  // A kernel that does not compile is an answer, not an error of the run.
  device.pushErrorScope('validation');
  const compiling = pipelinesOf(opened).compile({ kernel: 'precision/check-halves', constants: {} }, shaders);
  const [kernel] = await Promise.all([compiling.catch(() => undefined), device.popErrorScope()]);
  if (!kernel) return false;
  const buffer = (size: number, usage: number) => device.createBuffer({ label: 'check of float16', size, usage });
  const group = (layout: GPUBindGroupLayout, own: GPUBuffer) =>
    device.createBindGroup({ layout, entries: [{ binding: 0, resource: { buffer: own } }] });
  const params = packParams([HALVES], [0]);
  const uniform = buffer(params.byteLength, UNIFORM | COPY_DST);
  const wrong = buffer(16, STORAGE | COPY_SRC);
  const answer = buffer(16, COPY_DST | MAP_READ);
  try {
    device.queue.writeBuffer(uniform, 0, params);
    const encoder = device.createCommandEncoder({ label: 'check of float16' });
    const pass = encoder.beginComputePass();
    pass.setPipeline(kernel.pipeline);
    pass.setBindGroup(0, group(kernel.tensors, wrong));
    pass.setBindGroup(1, group(kernel.params, uniform));
    pass.dispatchWorkgroups(...grid(HALVES));
    pass.end();
    encoder.copyBufferToBuffer(wrong, 0, answer, 0, 16);
    device.queue.submit([encoder.finish()]);
    await answer.mapAsync(MODE_READ);
    return new Int32Array(answer.getMappedRange())[0] === 0;
  } finally {
    for (const each of [uniform, wrong, answer]) each.destroy();
  }
}
