/**
 * 'comm/fill': sets `length` elements from `from` on to a value, such as a bucket's zeros for a parameter without
 * gradient or for a rank that has run out of batches. In the table of bucket-ops.ts.
 */
import { at } from '../base/invariant';
import type { OpDef } from '../graph/op';

export const fillOp: OpDef = {
  name: 'comm/fill',
  infer: (inputs) => inputs,
  cpu({ outputs, attrs }) {
    const from = Number(attrs.from);
    at(outputs, 0).fill(Number(attrs.value), from, from + Number(attrs.length));
  },
  lower: ({ attrs }) => [
    {
      kind: 'segmented',
      kernel: 'comm/fill',
      params: [{ f32: Number(attrs.value) }],
      segments: [{ at: [{ operand: 0, offset: Number(attrs.from) }], length: Number(attrs.length) }],
    },
  ],
  flops: () => 0,
  fills: ({ attrs }) => [{ to: { operand: 0, offset: Number(attrs.from) }, length: Number(attrs.length) }],
};
