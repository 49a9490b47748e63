/**
 * What a rank does on its own around the collectives of a unit, named after FSDP2's own operators
 * (torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py): they all copy runs of elements from inputs to outputs,
 * and unit-layout.ts says which. With the attribute `format` the outputs hold halves, and float32 inputs are cast to
 * these (half-copies.ts). Loaded for runs of mode sharded.
 */
import { at } from '../../base/invariant';
import type { Attrs, OpDef, OpMove, OpTable } from '../../graph/op';
import type { HalfFormat } from '../../tensor/half-bits';
import { copyHalves, lowerHalves } from './half-copies';

/** Numbers that say one run: input, where it begins there, output, where it begins there, length. */
const FIELDS = 5;

export interface CopiedRun {
  readonly from: OpMove['from'];
  readonly to: OpMove['to'];
  readonly length: number;
}

/** `half`: what the outputs hold; `scale`: what float32 inputs are multiplied by before they are cast. */
export const runAttrs = (runs: readonly CopiedRun[], half?: HalfFormat, scale = 1): Attrs => ({
  runs: runs.flatMap(({ from, to, length }) => [from.operand, from.offset, to.operand, to.offset, length]),
  ...(half ? { format: half } : {}),
  ...(scale === 1 ? {} : { scale }),
});

function runsIn({ runs }: Attrs): readonly OpMove[] {
  const numbers = runs as readonly number[];
  return Array.from({ length: numbers.length / FIELDS }, (_, k) => {
    const [from = 0, start = 0, to = 0, offset = 0, length = 0] = numbers.slice(k * FIELDS, (k + 1) * FIELDS);
    return { from: { operand: from, offset: start }, to: { operand: to, offset }, length, scale: 1 };
  });
}

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

/** A rank's shards, one behind the other, as the unit's all-gather takes them. */
export const COPY_IN = 'fsdp/all-gather-copy-in';
/** What all ranks brought, as the unit's whole parameters. */
export const COPY_OUT = 'fsdp/split-with-sizes-copy';
/** The unit's whole gradients, cut for each rank, as its reduce-scatter takes them. */
export const CHUNK_CAT = 'fsdp/chunk-cat';
/** What the reduce-scatter gave, as the gradients of a rank's shards. */
export const SHARD_OUT = 'fsdp/sharded-grad';

/** Of a unit's whole parameters, the part that a rank keeps after the forward pass for few ranks to gather. */
export const KEEP = 'fsdp/post-forward-shard';

export const SHARD_OPS: OpTable = new Map(
  [COPY_IN, COPY_OUT, KEEP, CHUNK_CAT, SHARD_OUT].map((name) => [name, copies(name)]),
);
