/**
 * What a collective of a training run takes and gives, as PyTorch's flight recorder has it: sizes and dtypes of
 * tensors, not of the buffers in which they travel. Called by flight-dump.ts.
 */

import type { BufferSpec, Instruction, Lane } from '../../program/instruction';
import type { Config } from '../../protocol/config';
import { DTYPE_NAME } from '../../tensor/dtype-name';
import { elements, type Shape } from '../../tensor/shape';

interface TensorSize {
  readonly shape: Shape;
  readonly dtype: string;
}
export interface FlightTensors {
  readonly inputs: readonly TensorSize[];
  readonly outputs: readonly TensorSize[];
}

/** Halves travel two to an int32 word. */
const HALF: Readonly<Partial<Record<Config['ddp']['commHook']['type'], string>>> = {
  fp16Compress: 'Half',
  bf16Compress: 'BFloat16',
};

export function flightTensors(instructions: readonly Instruction[], lane: Lane, { ddp }: Config): FlightTensors {
  const messages = instructions.flatMap((i) => (i.kind === 'send' || i.kind === 'recv' ? [i] : []));
  // Where a rank sends, what it only receives into is beside the tensor and is joined with it.
  const sends = messages.filter(({ kind }) => kind === 'send');
  const names = new Set((sends.length > 0 ? sends : messages).map(({ slice }) => slice.buffer));
  const half = messages[0]?.collective?.bucket === undefined ? undefined : HALF[ddp.commHook.type];
  const outputs = lane.buffers.filter(({ name }) => names.has(name)).map((spec) => sizeOf(spec, lane, half));
  const { op, chunks = 1 } = messages[0]?.collective ?? {};
  const inputs =
    op === 'allGather' ? outputs.map(({ shape, dtype }) => ({ shape: [elements(shape) / chunks], dtype })) : outputs;
  return { inputs, outputs };
}

function sizeOf({ name, shape, dtype }: BufferSpec, { buffers }: Lane, half: string | undefined): TensorSize {
  const packed = half !== undefined && dtype === 'i32' ? buffers.find((b) => name.startsWith(`${b.name}.`)) : undefined;
  return packed && half ? { shape: packed.shape, dtype: half } : { shape, dtype: DTYPE_NAME[dtype] };
}
