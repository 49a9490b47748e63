/**
 * A rank's local copies around the collectives of a unit, named after FSDP2's own operators
 * (torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py): they all copy runs of elements from inputs to outputs;
 * unit-layout.ts computes the runs. With the attribute `format` the outputs hold halves, and float32 inputs are cast to
 * halves (collectives/halves/half-copies.ts). Loaded for runs of mode sharded.
 */
import { at } from '../../base/invariant';
import { runsIn } from '../../collectives/copied-runs';
import { copyHalves, lowerHalves } from '../../collectives/halves/half-copies';
import type { OpDef, OpTable } from '../../graph/op';

const copies = (name: string): OpDef => ({
  name,
  infer: (inputs) => inputs,
  cpu(args) {
    const { inputs, outputs, attrs } = args;
    if (attrs.format !== undefined) copyHalves(args, runsIn(attrs));
    else
      for (const { from, to, length } of runsIn(attrs))
        at(outputs, to.operand).set(at(inputs, from.operand).subarray(from.offset, from.offset + length), to.offset);
  },
  lower: (types) =>
    types.attrs.format === undefined
      ? [
          {
            kind: 'segmented',
            kernel: 'comm/transfer',
            constants: { JOIN: 0 },
            params: [],
            segments: runsIn(types.attrs).map(({ from, to, length }) => ({
              at: [from, { operand: types.inputs.length + to.operand, offset: to.offset }],
              length,
            })),
          },
        ]
      : lowerHalves(types, runsIn(types.attrs)),
  flops: () => 0,
  moves: ({ attrs }) => (attrs.format === undefined ? runsIn(attrs) : undefined),
});

/** Copies a rank's shards one after the other into the input of the unit's all-gather. */
export const COPY_IN = 'fsdp/all-gather-copy-in';
/** Copies the parts of all ranks into the unit's whole parameters. */
export const COPY_OUT = 'fsdp/split-with-sizes-copy';
/** Copies the unit's whole gradients, one part per rank, into the input of its reduce-scatter. */
export const CHUNK_CAT = 'fsdp/chunk-cat';
/** Copies the result of the reduce-scatter into the gradients of a rank's shards. */
export const SHARD_OUT = 'fsdp/sharded-grad';

/** Copies the part of a unit's whole parameters that a rank keeps after the forward pass (reshardTo). */
export const KEEP = 'fsdp/post-forward-shard';

export const SHARD_OPS: OpTable = new Map(
  [COPY_IN, COPY_OUT, KEEP, CHUNK_CAT, SHARD_OUT].map((name) => [name, copies(name)]),
);
