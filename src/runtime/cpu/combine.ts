/**
 * How a receive combines elements: own = own <apply> received, in that order. For float32, sum and product round once;
 * min and max order by bits, -0 before +0, and a NaN on either side gives NaN, as torch.minimum and torch.maximum do
 * (gloo keeps the own NaN and loses the received one, NCCL loses both), so the result does not depend on the algorithm.
 * For int32, two's complement. The kernels of shaders/comm do the same. Called by cpu-actions.ts.
 */
import type { Apply } from '../../protocol/trace';
import { bitsOf } from '../../tensor/bits';
import type { HostArray } from '../../tensor/shape';

const NAN = 0x7fc00000;
const INFINITE = 0x7f800000;
const isNan = (bits: number): boolean => (bits & 0x7fffffff) > INFINITE;
/** Maps the bits of a float to an integer such that integers have the order of the floats. */
const ordered = (bits: number): number => bits ^ ((bits >> 31) & 0x7fffffff);

/** The same bits in the type of `like`: messages are always Float32Array. */
export function viewAs(like: HostArray, data: HostArray): HostArray {
  if (like instanceof Float32Array === data instanceof Float32Array) return data;
  const { buffer, byteOffset, length } = data;
  return like instanceof Float32Array ? new Float32Array(buffer, byteOffset, length) : bitsOf(data);
}

export function join(target: HostArray, received: HostArray, apply: Apply): void {
  const source = viewAs(target, received);
  switch (apply) {
    case 'put':
      target.set(source);
      return;
    case 'add':
      for (let i = 0; i < target.length; i++) target[i] = (target[i] as number) + (source[i] as number);
      return;
    case 'multiply':
      if (target instanceof Float32Array)
        for (let i = 0; i < target.length; i++) target[i] = (target[i] as number) * (source[i] as number);
      else for (let i = 0; i < target.length; i++) target[i] = Math.imul(target[i] as number, source[i] as number);
      return;
    case 'min':
    case 'max':
      extreme(target, source, apply);
      return;
    default:
      bitwise(bitsOf(target), bitsOf(source), apply);
  }
}

function extreme(target: HostArray, source: HostArray, apply: 'min' | 'max'): void {
  const floats = target instanceof Float32Array;
  const [own, other] = [bitsOf(target), bitsOf(source)];
  for (let i = 0; i < own.length; i++) {
    const [a, b] = [own[i] as number, other[i] as number];
    if (floats && (isNan(a) || isNan(b))) own[i] = NAN;
    else {
      const less = floats ? ordered(b) < ordered(a) : b < a;
      if (less === (apply === 'min')) own[i] = b;
    }
  }
}

function bitwise(target: Int32Array, source: Int32Array, apply: 'band' | 'bor' | 'bxor'): void {
  for (let i = 0; i < target.length; i++) {
    const [a, b] = [target[i] as number, source[i] as number];
    target[i] = apply === 'band' ? a & b : apply === 'bor' ? a | b : a ^ b;
  }
}

/**
 * A copy to send: the same bits in the array type of transports, in its own memory, which can always be transferred.
 */
export function message(slice: HostArray): Float32Array {
  const { buffer, byteOffset, byteLength } = slice;
  const copy = new Float32Array(byteLength / 4);
  new Uint8Array(copy.buffer).set(new Uint8Array(buffer, byteOffset, byteLength));
  return copy;
}
