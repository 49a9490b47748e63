/**
 * The layout of attention heads in their tensors. Kernels and CPU code address element (b, h, t, e) as offset + b batch
 * + h head + t row + e, so that the same code works on tensors [..., T, d] and on the packed output [B, T, 3 D] of one
 * Linear, whose thirds are queries, keys and values with head h in columns h d to h d + d.
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { elements, formatShape, type Shape, sameShape } from '../../../tensor/shape';
import { lastOf, rowsOf } from '../../launch';
import type { Attrs, TensorType } from '../../op';

/** In elements. */
export interface ElementPlace {
  readonly offset: number;
  readonly batch: number;
  readonly head: number;
  readonly row: number;
}

export interface Heads {
  readonly batch: number;
  readonly heads: number;
  readonly queries: number;
  readonly keys: number;
  readonly headDim: number;
  readonly scale: number;
  readonly causal: boolean;
  readonly q: ElementPlace;
  readonly k: ElementPlace;
  readonly v: ElementPlace;
  /** Of out and of its gradient. */
  readonly out: ElementPlace;
}

export const placeParams = ({ offset, batch, head, row }: ElementPlace): number[] => [offset, batch, head, row];

/** torch's default: 1 / sqrt(head dimension). */
const scaleOf = (attrs: Attrs, headDim: number): number =>
  typeof attrs.scale === 'number' ? attrs.scale : 1 / Math.sqrt(headDim);

function refuseEmpty(shape: Shape): void {
  if (elements(shape) > 0) return;
  throw new LockstepError(
    'shape',
    `attention got an empty input of size ${formatShape(shape)}`,
    'A batch needs at least one row.',
  );
}

/** q [..., Tq, d], k and v [..., Tk, d]: the leading dimensions (batch, heads) are equal. */
export function separateHeads(inputs: readonly TensorType[], attrs: Attrs): Heads {
  const [q, k, v] = [at(inputs, 0).shape, at(inputs, 1).shape, at(inputs, 2).shape];
  if (q.length < 2) throw new LockstepError('shape', `attention expects [..., T, d], got ${formatShape(q)}`);
  refuseEmpty(q);
  refuseEmpty(k);
  const lead = q.slice(0, -2);
  const [queries, headDim, keys] = [q.at(-2) ?? 1, lastOf(q), k.at(-2) ?? 1];
  const expected = [...lead, keys, headDim];
  for (const [name, shape] of Object.entries({ key: k, value: v })) {
    if (sameShape(shape, expected)) continue;
    throw new LockstepError(
      'shape',
      `Expected the ${name} of attention to have size ${formatShape(expected)}, got ${formatShape(shape)} (query ${formatShape(q)})`,
      'Queries, keys and values share batch, heads and head dimension; keys and values share their length.',
    );
  }
  const of = (length: number): ElementPlace => ({ offset: 0, batch: length * headDim, head: 0, row: headDim });
  const batch = elements(lead);
  const common = { batch, heads: 1, queries, keys, headDim, scale: scaleOf(attrs, headDim) };
  return { ...common, causal: attrs.causal === true, q: of(queries), k: of(keys), v: of(keys), out: of(queries) };
}

/** qkv [B, T, 3 D] (or [T, 3 D]) with attr `heads`. */
export function packedHeads(qkv: Shape, attrs: Attrs): Heads {
  const heads = Number(attrs.heads ?? 1);
  const width = lastOf(qkv) / 3;
  refuseEmpty(qkv);
  if (qkv.length < 2 || !Number.isInteger(width) || width % heads !== 0) {
    throw new LockstepError(
      'shape',
      `embed_dim must be divisible by num_heads (packed queries, keys and values of size ${formatShape(qkv)}, num_heads=${heads})`,
      'The last dimension must be three times the width, and the width must be a multiple of the number of heads.',
    );
  }
  const length = qkv.at(-2) ?? 1;
  const headDim = width / heads;
  const third = (i: number): ElementPlace => ({
    offset: i * width,
    batch: length * 3 * width,
    head: headDim,
    row: 3 * width,
  });
  return {
    batch: rowsOf(qkv) / length,
    heads,
    queries: length,
    keys: length,
    headDim,
    scale: scaleOf(attrs, headDim),
    causal: attrs.causal === true,
    q: third(0),
    k: third(1),
    v: third(2),
    out: { offset: 0, batch: length * width, head: headDim, row: width },
  };
}

/** Multiply-adds of one product over all scores, half of them where attention is causal. */
export const productSize = ({ batch, heads, queries, keys, headDim, causal }: Heads): number =>
  (batch * heads * queries * keys * headDim) / (causal ? 2 : 1);
