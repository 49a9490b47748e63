/**
 * Rows of a weight [V, D] by int32 ids of any shape: torch.nn.functional.embedding. Attr `paddingIdx` (may count from
 * the end) names a row that gets no gradient. Repeated ids accumulate in order of position ('embedding/embedding-grad',
 * by the chains of 'shape/index-select'). An id out of range throws on the CPU; on the GPU its row is NaN and it
 * contributes no gradient. With attr `first` the weight is a part of a larger weight, its rows from `first` on; an id
 * of another part gives a row of zeros, as in torch's vocabulary-parallel embedding.
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { elements, type Shape } from '../../../tensor/shape';
import type { Extent } from '../../dims';
import type { Attrs, OpDef } from '../../op';
import { chainTypes, cpuChains, cpuPick, lowerChains, lowerPick, type TablePart } from '../shape/index-select';

export const tableOf = ([n = 0, inner = 0]: Shape): Extent => ({ outer: 1, n, inner });

/** The row without gradient, or -1; throws in PyTorch's words. */
function paddingRow(attrs: Attrs, rows: number): number {
  if (typeof attrs.paddingIdx !== 'number') return -1;
  const row = attrs.paddingIdx < 0 ? attrs.paddingIdx + rows : attrs.paddingIdx;
  if (row >= 0 && row < rows) return row;
  throw new LockstepError('shape', 'Padding_idx must be within num_embeddings');
}

export const partOf = ({ first }: Attrs): TablePart | undefined => (typeof first === 'number' ? { first } : undefined);

export const embedding: OpDef = {
  name: 'embedding/embedding',
  infer(inputs, attrs) {
    const ids = at(inputs, 0).shape;
    const weight = at(inputs, 1).shape;
    if (weight.length !== 2) throw new LockstepError('shape', "'weight' must be 2-D");
    paddingRow(attrs, at(weight, 0));
    return [{ shape: [...ids, at(weight, 1)], dtype: 'f32' }];
  },
  gradient(c) {
    const dy = c.outputGrad(0);
    if (dy === undefined || !c.needsGrad(1)) return [];
    const { shape } = at(c.types.inputs, 1);
    const skip = paddingRow(c.types.attrs, at(shape, 0));
    const attrs = { shape, skip, first: partOf(c.types.attrs)?.first ?? 0 };
    const [dweight] = c.emit('embedding/embedding-grad', [dy, c.input(0)], attrs, [1]);
    return [undefined, dweight];
  },
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const table = tableOf(at(inputTypes, 1).shape);
    const fault = (id: number) =>
      new LockstepError(
        'shape',
        'index out of range in self',
        `This embedding has the ids 0 to ${table.n - 1}, but the input contains ${id}. Make the vocabulary larger, or the ids smaller.`,
      );
    cpuPick([at(inputs, 1), at(inputs, 0), at(outputs, 0)], table, partOf(attrs) ?? fault);
  },
  lower: ({ inputs, attrs }) => [
    lowerPick(tableOf(at(inputs, 1).shape), elements(at(inputs, 0).shape), [1, 0, 2], partOf(attrs)),
  ],
  flops: () => 0,
};

export const chainsOf = ({ skip, first }: Attrs) => ({ skip: Number(skip), first: Number(first ?? 0) });

/**
 * Inputs dy [..., D] and ids; outputs the weight's gradient, with the shape of attr `shape`, and the chains. Attr
 * `skip`: a row without gradient, or -1; attr `first` (default 0) is subtracted from the ids.
 */
export const embeddingGrad: OpDef = {
  name: 'embedding/embedding-grad',
  infer(inputs, attrs) {
    const shape = attrs.shape as Shape;
    return chainTypes(shape, at(shape, 0), elements(at(inputs, 1).shape));
  },
  cpu({ inputs, outputs, attrs }) {
    const chains = [at(outputs, 0), at(outputs, 1), at(outputs, 2)] as const;
    cpuChains([at(inputs, 0), at(inputs, 1)], chains, tableOf(attrs.shape as Shape), chainsOf(attrs));
  },
  lower: ({ inputs, attrs }) =>
    lowerChains(tableOf(attrs.shape as Shape), elements(at(inputs, 1).shape), chainsOf(attrs)),
  flops: (types) => elements(at(types.inputs, 0).shape),
};
