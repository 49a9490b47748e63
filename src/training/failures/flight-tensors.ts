/**
 * The inputs and outputs of a collective in PyTorch's flight recorder: sizes and dtypes of tensors, not of the buffers
 * that are sent. Called by flight-dump.ts.
 */

import type { BufferSpec, Instruction, Lane } from '../../program/instruction';
import { DTYPE_NAME } from '../../tensor/dtype-name';
import type { HalfFormat } from '../../tensor/half-bits';
import { elements, type Shape } from '../../tensor/shape';

interface TensorSize {
  readonly shape: Shape;
  readonly dtype: string;
}
export interface FlightTensors {
  readonly inputs: readonly TensorSize[];
  readonly outputs: readonly TensorSize[];
}

const HALF: Readonly<Record<HalfFormat, string>> = { f16: 'Half', bf16: 'BFloat16' };

export function flightTensors(instructions: readonly Instruction[], lane: Lane): FlightTensors {
  const messages = instructions.flatMap((i) => (i.kind === 'send' || i.kind === 'recv' ? [i] : []));
  // If a rank sends, its receive buffers are separate from the tensor and are combined into it.
  const sends = messages.filter(({ kind }) => kind === 'send');
  const names = new Set((sends.length > 0 ? sends : messages).map(({ slice }) => slice.buffer));
  const outputs = lane.buffers.filter(({ name }) => names.has(name)).map(sizeOf);
  const { op, chunks = 1 } = messages[0]?.collective ?? {};
  const inputs =
    op === 'allGather' ? outputs.map(({ shape, dtype }) => ({ shape: [elements(shape) / chunks], dtype })) : outputs;
  return { inputs, outputs };
}

/** Halves are sent two per int32 word. */
const sizeOf = ({ shape, dtype, halves }: BufferSpec): TensorSize =>
  halves ? { shape: halves.shape, dtype: HALF[halves.format] } : { shape, dtype: DTYPE_NAME[dtype] };
