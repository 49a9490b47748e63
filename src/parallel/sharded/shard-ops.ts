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

/**
 * Adds the result of the reduce-scatter to the gradients of a rank's shards, which earlier micro-batches have summed.
 * FSDP2 adds a view of the result, so that no second gradient of a shard is stored. Inputs: the result, the gradients.
 */
export const SHARD_ADD = 'fsdp/accumulate-sharded-grad';

const shardAdd: OpDef = {
  name: SHARD_ADD,
  infer: (inputs) => inputs.slice(1),
  cpu({ inputs, outputs, attrs }) {
    for (const { from, to, length } of runsIn(attrs)) {
      const [part, sum] = [at(inputs, from.operand), at(outputs, to.operand)];
      for (let i = 0; i < length; i++) sum[to.offset + i] = at(sum, to.offset + i) + at(part, from.offset + i);
    }
  },
  lower: ({ inputs, attrs }) => [
    {
      kind: 'segmented',
      kernel: 'comm/transfer',
      constants: { JOIN: 1 },
      params: [],
      segments: runsIn(attrs).map(({ from, to, length }) => ({
        at: [from, { operand: inputs.length + to.operand, offset: to.offset }],
        length,
      })),
    },
  ],
  flops: ({ attrs }) => runsIn(attrs).reduce((sum, { length }) => sum + length, 0),
};

export const SHARD_OPS: OpTable = new Map(
  [...[COPY_IN, COPY_OUT, KEEP, CHUNK_CAT, SHARD_OUT].map(copies), shardAdd].map((op) => [op.name, op]),
);
