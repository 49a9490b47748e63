/**
 * The bytes of a traced instruction that are kept for the pictures: the first elements of each buffer (or slice) that
 * it wrote (for the number see protocol/trace).
 */
import { capturedLength, capturedValues } from '../../program/captured';
import type { BufferSpec, Instruction } from '../../program/instruction';
import { writtenBuffers } from '../../program/instruction-access';
import type { Captured } from '../../protocol/trace';
import { bytesOf, elements } from '../../tensor/shape';
import { WORD_BYTES, wordsOf } from './gpu-words';
import type { Location } from './memory-layout';

export interface CapturePlan {
  readonly buffer: number;
  readonly offset: number;
  /** Its offset in the capture buffer. */
  readonly to: number;
  readonly length: number;
  readonly name: string;
  readonly first: number;
  /** Bytes of its elements. */
  readonly bytes: number;
  readonly spec: BufferSpec;
}

/** Captures of one instruction, laid out from byte `start` on. */
export function planCaptures(
  instruction: Instruction,
  locate: (name: string) => Location,
  start: number,
): readonly CapturePlan[] {
  let to = start;
  return [...new Set(writtenBuffers(instruction))].flatMap((name): CapturePlan[] => {
    const { buffer, offset, spec } = locate(name);
    const whole = { offset: 0, length: elements(spec.shape) };
    const slice = instruction.kind === 'recv' ? instruction.slice : whole;
    const length = capturedLength(spec, slice.length);
    if (length === 0) return [];
    const plan = {
      buffer,
      offset: offset + slice.offset * bytesOf(spec.dtype),
      to,
      length,
      bytes: wordsOf(spec.dtype, length) * WORD_BYTES,
      name,
      first: slice.offset,
      spec,
    };
    to += plan.bytes;
    return [plan];
  });
}

export const captureBytes = (plans: readonly CapturePlan[]): number => plans.reduce((sum, plan) => sum + plan.bytes, 0);

export function encodeCaptures(
  encoder: GPUCommandEncoder,
  plans: readonly CapturePlan[],
  source: (buffer: number) => GPUBuffer,
  target: GPUBuffer,
): void {
  for (const { buffer, offset, to, bytes } of plans)
    encoder.copyBufferToBuffer(source(buffer), offset, target, to, bytes);
}

export function readCaptures(plans: readonly CapturePlan[], image: ArrayBuffer): readonly Captured[] {
  return plans.map(({ name, first, to, length, bytes, spec }) => {
    const data =
      spec.dtype === 'i32' ? new Int32Array(image, to, length) : new Float32Array(image.slice(to, to + bytes));
    return capturedValues(name, spec, { first, data });
  });
}
