/**
 * The operators of PowerSGD on flat buffers that hold several consecutive matrices: 'power-sgd/product' (one of its
 * three products, each operand with a place and strides of its own), 'power-sgd/orthogonalize', 'power-sgd/error-in'
 * and 'power-sgd/error-out' (error feedback). Emitted by power-sgd.ts alone.
 */
import { at } from '../../../../base/invariant';
import { lookup } from '../../../../base/lookup';
import { grid } from '../../../../graph/launch';
import type { Attrs, OpDef, OpTable } from '../../../../graph/op';
import { elements } from '../../../../tensor/shape';
import { gramSchmidt, householder } from './orthogonal';

/** out[a, b] = sum over k of left[a, k] right[b, k]; see shaders/comm/strided-product.wgsl for the names. */
const PRODUCT = [
  'rows',
  'columns',
  'depth',
  'leftAt',
  'leftRow',
  'leftStep',
  'rightAt',
  'rightRow',
  'rightStep',
  'outAt',
] as const;
export type ProductAttrs = Readonly<Record<(typeof PRODUCT)[number], number>>;

const num = (attrs: Attrs, name: string): number => Number(lookup(attrs, name));

/** Inputs left, right, out; output out. */
const product: OpDef = {
  name: 'power-sgd/product',
  infer: (inputs) => [at(inputs, 2)],
  cpu({ inputs, outputs, attrs }) {
    const [left, right, out] = [at(inputs, 0), at(inputs, 1), at(outputs, 0)];
    const [columns, depth, leftStep, rightStep] = ['columns', 'depth', 'leftStep', 'rightStep'].map((k) =>
      num(attrs, k),
    ) as [number, number, number, number];
    for (let i = 0; i < num(attrs, 'rows') * columns; i++) {
      const l = num(attrs, 'leftAt') + Math.floor(i / columns) * num(attrs, 'leftRow');
      const r = num(attrs, 'rightAt') + (i % columns) * num(attrs, 'rightRow');
      let sum = 0;
      for (let k = 0; k < depth; k++)
        sum = Math.fround(sum + Math.fround((left[l + k * leftStep] as number) * (right[r + k * rightStep] as number)));
      out[num(attrs, 'outAt') + i] = sum;
    }
  },
  lower: ({ attrs }) => [
    {
      kind: 'dense',
      kernel: 'comm/strided-product',
      bindings: [0, 1, 3],
      params: PRODUCT.map((name) => num(attrs, name)),
      workgroups: grid(num(attrs, 'rows') * num(attrs, 'columns')),
    },
  ],
  flops: ({ attrs }) => 2 * num(attrs, 'rows') * num(attrs, 'columns') * num(attrs, 'depth'),
};

/** In place; attrs `at`, `rows`, `columns`. */
const orthogonalize: OpDef = {
  name: 'power-sgd/orthogonalize',
  infer: (inputs) => [at(inputs, 0)],
  cpu({ outputs, attrs }) {
    const [start, rows, columns] = [num(attrs, 'at'), num(attrs, 'rows'), num(attrs, 'columns')];
    const data = at(outputs, 0).subarray(start, start + rows * columns) as Float32Array;
    if (columns > 2) householder({ data, rows, columns });
    else gramSchmidt({ data, rows, columns });
  },
  lower: ({ attrs }) => [
    {
      kind: 'dense',
      kernel: 'comm/orthogonalize',
      constants: { QR: num(attrs, 'columns') > 2 ? 1 : 0 },
      bindings: [1],
      params: [num(attrs, 'rows'), num(attrs, 'columns'), num(attrs, 'at')],
      workgroups: [1, 1],
    },
  ],
  flops: ({ attrs }) => 2 * num(attrs, 'rows') * num(attrs, 'columns') ** 2,
};

const feedback = (name: string, out: boolean): OpDef => ({
  name,
  infer: (inputs) => inputs,
  cpu({ outputs }) {
    const [error, bucket] = [at(outputs, 0), at(outputs, 1)];
    for (let i = 0; i < bucket.length; i++) {
      if (out) error[i] = (error[i] as number) - (bucket[i] as number);
      else {
        bucket[i] = (bucket[i] as number) + (error[i] as number);
        error[i] = bucket[i] as number;
      }
    }
  },
  lower: ({ inputs }) => [
    {
      kind: 'dense',
      kernel: 'comm/error-feedback',
      constants: { OUT: out ? 1 : 0 },
      bindings: [2, 3],
      params: [elements(at(inputs, 1).shape)],
      workgroups: grid(elements(at(inputs, 1).shape)),
    },
  ],
  flops: ({ inputs }) => elements(at(inputs, 1).shape),
});

export const LOW_RANK_OPS: OpTable = new Map(
  [product, orthogonalize, feedback('power-sgd/error-in', false), feedback('power-sgd/error-out', true)].map((op) => [
    op.name,
    op,
  ]),
);
