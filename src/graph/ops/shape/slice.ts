/**
 * Part of a tensor, as x[start:end:step] of torch: attrs `start`, `end`, `step` are lists (one entry per dimension from
 * the first on; dimensions without entry are whole), or numbers along attr `dim`. Negative positions count from the
 * end; positions past the end are clamped. With `select` a single sliced dimension of size 1 is dropped, as in x[i].
 * The gradient puts dy among zeros ('shape/place').
 */

import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { lookup } from '../../../base/lookup';
import type { Shape } from '../../../tensor/shape';
import { denseStrides, dimOf } from '../../dims';
import type { Attrs, OpDef } from '../../op';
import { moveOp } from './moves';

interface Range {
  readonly start: number;
  readonly step: number;
  readonly size: number;
}

function rangeOf(size: number, start: number, end: number, step: number): Range {
  if (step === 0) throw new LockstepError('shape', 'slice step cannot be zero');
  if (step < 0) throw new LockstepError('shape', 'step must be greater than zero');
  const clamp = (v: number) => Math.min(size, Math.max(0, v < 0 ? v + size : v));
  const from = clamp(start);
  const count = Math.ceil((clamp(end) - from) / step);
  if (count > 0) return { start: from, step, size: count };
  const hint = 'Tensors without elements are not supported; choose start before end.';
  throw new LockstepError('shape', `the slice ${start}:${end}:${step} of a dimension of size ${size} is empty`, hint);
}

export function rangesOf(shape: Shape, attrs: Attrs): readonly Range[] {
  const along = typeof attrs.dim === 'number' ? dimOf(attrs, shape.length) : undefined;
  const entry = (name: string, d: number, fallback: number): number => {
    const value = lookup(attrs, name);
    if (along !== undefined) return d === along && typeof value === 'number' ? value : fallback;
    return (value as readonly number[] | undefined)?.[d] ?? fallback;
  };
  return shape.map((size, d) => rangeOf(size, entry('start', d, 0), entry('end', d, size), entry('step', d, 1)));
}

export const slice: OpDef = moveOp({
  name: 'shape/slice',
  infer(inputs, attrs) {
    const { shape, dtype } = at(inputs, 0);
    const sizes = rangesOf(shape, attrs).map(({ size }) => size);
    const dropped = attrs.select === true ? dimOf(attrs, shape.length) : undefined;
    if (dropped !== undefined && sizes[dropped] !== 1)
      throw new LockstepError('internal', 'a selected dimension has size 1');
    const left = sizes.filter((_, d) => d !== dropped);
    return [{ shape: left.length === 0 ? [1] : left, dtype }];
  },
  gradient(c) {
    const dy = c.outputGrad(0);
    if (dy === undefined || !c.needsGrad(0)) return [];
    const { shape } = at(c.types.inputs, 0);
    const ranges = rangesOf(shape, c.types.attrs);
    return c.emit(
      'shape/place',
      [dy],
      {
        shape,
        sizes: ranges.map((range) => range.size),
        start: ranges.map((range) => range.start),
        step: ranges.map((range) => range.step),
      },
      [0],
    );
  },
  plan({ inputs, attrs }) {
    const { shape } = at(inputs, 0);
    const strides = denseStrides(shape);
    const ranges = rangesOf(shape, attrs);
    const sizes = ranges.map((range) => range.size);
    return {
      moves: [
        {
          input: 0,
          output: 0,
          sizes,
          from: ranges.reduce((sum, { start }, d) => sum + start * at(strides, d), 0),
          fromStrides: ranges.map(({ step }, d) => step * at(strides, d)),
          to: 0,
          toStrides: denseStrides(sizes),
        },
      ],
    };
  },
});
