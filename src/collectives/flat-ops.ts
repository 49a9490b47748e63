/**
 * Many tensors as one: 'comm/flatten' copies its inputs one after the other into one flat buffer, as torch's
 * _flatten_dense_tensors; 'comm/unflatten' copies the stretches of a flat buffer into its outputs. Coalesced broadcasts
 * and sums use them. attrs.view: PyTorch takes views of the flat buffer here and copies nothing, so the modelled clock
 * does not count the copy. In the table of bucket-ops.ts.
 */
import { at } from '../base/invariant';
import type { OpDef, SegmentedLaunch, TensorType } from '../graph/op';
import { elements } from '../tensor/shape';

/** Each tensor, with its offset in the flat buffer. */
function along(types: readonly TensorType[]): readonly { readonly length: number; readonly offset: number }[] {
  let end = 0;
  return types.map(({ shape }) => {
    const length = elements(shape);
    end += length;
    return { length, offset: end - length };
  });
}

const launch = (segments: SegmentedLaunch['segments']): SegmentedLaunch => ({
  kind: 'segmented',
  kernel: 'comm/transfer',
  constants: { JOIN: 0 },
  params: [],
  segments,
});

export const flatten: OpDef = {
  name: 'comm/flatten',
  infer: (inputs) => [{ shape: [inputs.reduce((n, t) => n + elements(t.shape), 0)], dtype: at(inputs, 0).dtype }],
  cpu({ inputs, outputs }) {
    let offset = 0;
    for (const tensor of inputs) {
      at(outputs, 0).set(tensor, offset);
      offset += tensor.length;
    }
  },
  lower: ({ inputs }) => [
    launch(
      along(inputs).map(({ length, offset }, operand) => ({
        at: [
          { operand, offset: 0 },
          { operand: inputs.length, offset },
        ],
        length,
      })),
    ),
  ],
  flops: () => 0,
  moves: ({ inputs }) =>
    along(inputs).map(({ length, offset }, operand) => ({
      from: { operand, offset: 0 },
      to: { operand: 0, offset },
      length,
      scale: 1,
    })),
};

export const unflatten: OpDef = {
  name: 'comm/unflatten',
  infer: (inputs) => inputs,
  cpu({ inputs, outputs }) {
    let offset = 0;
    for (const tensor of outputs) {
      tensor.set(at(inputs, 0).subarray(offset, offset + tensor.length));
      offset += tensor.length;
    }
  },
  lower: ({ outputs }) => [
    launch(
      along(outputs).map(({ length, offset }, k) => ({
        at: [
          { operand: 0, offset },
          { operand: 1 + k, offset: 0 },
        ],
        length,
      })),
    ),
  ],
  flops: () => 0,
  moves: ({ outputs }) =>
    along(outputs).map(({ length, offset }, operand) => ({
      from: { operand: 0, offset },
      to: { operand, offset: 0 },
      length,
      scale: 1,
    })),
};
