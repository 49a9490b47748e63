/**
 * 'comm/scale': multiplies `length` elements from `from` on by a factor, in place, as ReduceOp.AVG does before the sum.
 * In the table of bucket-ops.ts.
 */
import { at } from '../base/invariant';
import type { OpDef } from '../graph/op';

export const scaleOp: OpDef = {
  name: 'comm/scale',
  infer: (inputs) => inputs,
  cpu({ outputs, attrs }) {
    const [from, scale] = [Number(attrs.from), Math.fround(Number(attrs.scale))];
    const memory = at(outputs, 0).subarray(from, from + Number(attrs.length));
    for (let i = 0; i < memory.length; i++) memory[i] = (memory[i] as number) * scale;
  },
  lower: ({ attrs }) => [
    {
      kind: 'segmented',
      kernel: 'comm/scale',
      params: [{ f32: Number(attrs.scale) }],
      segments: [{ at: [{ operand: 0, offset: Number(attrs.from) }], length: Number(attrs.length) }],
    },
  ],
  flops: ({ attrs }) => Number(attrs.length),
  moves: ({ attrs }) => [
    {
      from: { operand: 0, offset: Number(attrs.from) },
      to: { operand: 0, offset: Number(attrs.from) },
      length: Number(attrs.length),
      scale: Math.fround(Number(attrs.scale)),
    },
  ],
};
