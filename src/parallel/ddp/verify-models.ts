/**
 * _verify_param_shape_across_processes: DistributedDataParallel's constructor compares the ranks' models before it
 * broadcasts: first the numbers of parameters (all-gathered), then their sizes (rank 0's are broadcast). Names the rank
 * that differs, in PyTorch's words. Called with the parameters that each rank has made.
 */
import { LockstepError } from '../../base/errors';
import { at } from '../../base/invariant';
import { sameShape } from '../../tensor/shape';

interface Shaped {
  readonly name: string;
  readonly shape: readonly number[];
}

const HINT =
  'Build the same model on every rank: the same layers with the same sizes, whatever the rank, the seed or the data.';

export function verifyModels(ranks: readonly (readonly Shaped[])[]): void {
  const first = ranks[0] ?? [];
  if (first.length === 0) {
    throw new LockstepError(
      'config',
      "DistributedDataParallel is not needed when a module doesn't have any parameter that requires a gradient.",
      'Add a layer with parameters.',
    );
  }
  ranks.forEach((own, rank) => {
    if (own.length === first.length) return;
    throw new LockstepError(
      'config',
      `DDP expects same model across all ranks, but Rank 0 has ${first.length} params, while rank ${rank} has inconsistent ${own.length} params.`,
      HINT,
      { rank, expected: first.length, actual: own.length },
    );
  });
  ranks.forEach((own, rank) => {
    own.forEach(({ name, shape }, i) => {
      const expected = at(first, i).shape;
      if (sameShape(shape, expected)) return;
      throw new LockstepError(
        'config',
        `[${rank}]: params[${i}] in this process with sizes [${shape.join(', ')}] appears not to match sizes of the same param in process 0.`,
        `${name} has sizes [${expected.join(', ')}] on rank 0. ${HINT}`,
        { rank, parameter: name, expected, actual: shape },
      );
    });
  });
}
