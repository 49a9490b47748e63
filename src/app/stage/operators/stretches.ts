/**
 * The stretches of a flat buffer, one per tensor that an instruction copies into or out of the buffer or that is a view
 * of it: which tensor, where in the buffer, and its values there. A bucket's stretches are DDP's parameters in the
 * bucket's order; other flat buffers hold the tensors that the instruction reads or writes, in order. Pure; called by
 * bucket.ts.
 */
import { lookup } from '../../../base/lookup';
import type { TraceEvent } from '../../../protocol/trace';
import type { DrawnOperand } from './drawn';
import type { Operation } from './operator-picture';
import { product } from './tensors';

export interface ParameterStretch {
  /** The name in state_dict, or the tensor's own name. */
  readonly name: string;
  readonly offset: number;
  readonly length: number;
  /** undefined if nothing is copied there: the stretch is zeros. */
  readonly tensor: DrawnOperand | undefined;
  /** The captured tensor, and the offset in it, that hold the stretch's values. */
  readonly held: { readonly operand: DrawnOperand; readonly offset: number } | undefined;
  /**
   * For stretches beyond the captured start of the buffer: values computed from the tensor; undefined before the copy.
   */
  readonly copied: Float32Array | undefined;
}

export interface FlatBuffer {
  /** `views`: the tensors are views of the buffer, and the instruction changes them in place. */
  readonly way: 'into' | 'out of' | 'views';
  /** The flat buffer; undefined if the tensors are views. */
  readonly buffer: DrawnOperand | undefined;
  readonly length: number;
  readonly stretches: readonly ParameterStretch[];
  /** The number by which the copy divides. */
  readonly divisor: number;
}

const WAYS: Readonly<Record<string, FlatBuffer['way']>> = {
  'ddp/pack': 'into',
  'comm/flatten': 'into',
  'ddp/unpack': 'out of',
  'comm/unflatten': 'out of',
  'comm/scale': 'views',
};

/** The number by which a copy divides, from the first element that is not 0: 4 if 0.8 became 0.2. */
function divisorOf(tensors: readonly DrawnOperand[], buffer: DrawnOperand | undefined): number {
  let offset = 0;
  for (const { shape, values } of tensors) {
    for (let i = 0; i < (values?.length ?? 0); i++) {
      const [from = 0, to] = [values?.[i], buffer?.values?.[offset + i]];
      if (to !== undefined && Math.abs(from) > 1e-20 && Math.abs(to) > 1e-20) return Math.round(from / to);
    }
    offset += product(shape);
  }
  return 1;
}

const holds = (parameter: string, { buffer }: DrawnOperand): boolean =>
  buffer === parameter || buffer.startsWith(`${parameter}.grad`) || buffer === `${parameter}.slot`;

export function flatBufferOf(operation: Operation): FlatBuffer | undefined {
  const { event, index, together, bucket } = operation;
  const way = lookup(WAYS, event.name);
  if (!way) return undefined;
  // Parameters without a gradient split the bucket's filling into several copies.
  const events = [event, ...together.filter((e) => e.name === event.name && e.bucket === event.bucket)];
  const named = (side: 'reads' | 'writes') => [...new Set(events.flatMap((e: TraceEvent) => e[side]))];
  const operand = (buffer: string, made: boolean): DrawnOperand | undefined => {
    const found = operation.operand(buffer);
    return found && { ...found, made };
  };
  const tensors = named(way === 'into' ? 'reads' : 'writes').flatMap((b) => operand(b, way !== 'into') ?? []);
  const flat = way === 'views' ? undefined : named(way === 'into' ? 'writes' : 'reads')[0];
  const buffer = flat === undefined ? undefined : operand(flat, way === 'into');
  if (tensors.length === 0 || (way !== 'views' && !buffer)) return undefined;
  const divisor = way === 'into' && event.name === 'ddp/pack' ? divisorOf(tensors, buffer) : 1;
  const done = ((buffer ?? tensors[0])?.event ?? -1) >= index;
  const places = placesOf(tensors, bucket?.parameters);
  const stretches = places.map(({ name, offset, length, tensor }): ParameterStretch => {
    const end = offset + Math.min(length, tensor?.values?.length ?? length);
    const there = buffer !== undefined && (buffer.values === undefined || buffer.values.length >= end);
    const held = there
      ? { operand: buffer, offset }
      : way === 'views' && tensor
        ? { operand: tensor, offset: 0 }
        : undefined;
    const values = done ? tensor?.values : undefined;
    return {
      name,
      offset,
      length,
      tensor,
      held,
      copied: divisor === 1 ? values : values?.map((v) => v * Math.fround(1 / divisor)),
    };
  });
  const length = places.reduce((most, p) => Math.max(most, p.offset + p.length), 0);
  return { way, buffer, length, stretches, divisor };
}

interface Placed {
  readonly name: string;
  readonly offset: number;
  readonly length: number;
  readonly tensor: DrawnOperand | undefined;
}

/** The tensors' places: the bucket's order, or, without a bucket, one after the other. */
function placesOf(
  tensors: readonly DrawnOperand[],
  parameters: readonly { readonly name: string; readonly offset: number; readonly length: number }[] | undefined,
): readonly Placed[] {
  const known = parameters?.map((p) => ({ ...p, tensor: tensors.find((t) => holds(p.name, t)) }));
  if (known?.some(({ tensor }) => tensor)) return known;
  let end = 0;
  return tensors.map((tensor) => {
    const length = product(tensor.shape);
    end += length;
    return { name: tensor.name, offset: end - length, length, tensor };
  });
}
