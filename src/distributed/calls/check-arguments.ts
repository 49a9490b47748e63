/**
 * Refuses wrong arguments before a call is issued, with torch.distributed's messages. Called by the other files of this
 * folder.
 */
import type { ReduceOp } from '../../protocol/collective';
import type { Backend } from '../../protocol/process-group';
import { elements, sameShape } from '../../tensor/shape';
import { isTensor, type Tensor } from '../tensor';
import { torchError } from '../torch-error';

/** The group as the checks need it. */
export interface Members {
  /** Global ranks. */
  readonly ranks: readonly number[];
  /** This rank's own, among them. */
  readonly rank: number;
  readonly backend: Backend;
  readonly isDefault: boolean;
}

export const processGroupName = (backend: Backend): string =>
  backend === 'nccl' ? 'ProcessGroupNCCL' : 'ProcessGroupGloo';

/** Callers in plain JavaScript may pass anything. */
export function checkTensor(value: unknown, parameter: string): asserts value is Tensor {
  if (isTensor(value)) return;
  throw torchError(
    'RuntimeError',
    `Invalid function argument. Expected parameter \`${parameter}\` to be of type torch.Tensor.`,
    'Create a tensor with tensor([1, 2, 3]) or ones([3]).',
  );
}

export function checkTensors(value: unknown, parameter: string): asserts value is readonly Tensor[] {
  if (Array.isArray(value) && value.every(isTensor)) return;
  throw torchError(
    'RuntimeError',
    `Invalid function argument. Expected parameter \`${parameter}\` to be of type List[torch.Tensor].`,
    'Pass a list with one tensor per rank of the group.',
  );
}

/** The rank within the group for a global rank given as source or destination. */
export function rootIn({ ranks, backend, isDefault }: Members, call: string, root: number): number {
  const rank = ranks.indexOf(root);
  if (rank >= 0) return rank;
  if (!isDefault)
    throw torchError(
      'RuntimeError',
      `Global rank ${root} is not part of group [${ranks.join(', ')}]`,
      'src and dst are global ranks, even in a sub-group.',
    );
  throw torchError(
    'RuntimeError',
    `${processGroupName(backend)}::${call}: invalid root rank: ${root}`,
    `The group has ranks 0 to ${ranks.length - 1}.`,
  );
}

export function peerIn({ ranks, rank, isDefault }: Members, kind: 'send' | 'recv', peer: number): number {
  const found = ranks.indexOf(peer);
  const [word, Word] = kind === 'send' ? ['destination', 'Invalid destination'] : ['source', 'Invalid source'];
  if (found < 0 && !isDefault)
    throw torchError(
      'RuntimeError',
      `Global rank ${peer} is not part of group [${ranks.join(', ')}]`,
      'src and dst are global ranks, even in a sub-group.',
    );
  if (found < 0)
    throw torchError(
      'IndexError',
      `vector::_M_range_check: __n (which is ${peer}) >= this->size() (which is ${ranks.length})`,
      `The group has ranks 0 to ${ranks.length - 1}.`,
    );
  if (found === rank)
    throw torchError(
      'ValueError',
      `${Word} rank: ${word} rank should not be the same as the rank of the current process.`,
      'A rank has no connection to itself; PyTorch 1.13 crashes here with a segmentation fault (exit code -11). Copy the tensor instead.',
    );
  return found;
}

export function checkReduceOp(op: ReduceOp, { dtype }: Tensor): void {
  if (op === 'avg' && dtype !== 'f32')
    throw torchError(
      'RuntimeError',
      'Cannot use ReduceOp.AVG with integral dtype here',
      'Use SUM and divide, or a float32 tensor.',
    );
  if ((op === 'band' || op === 'bor' || op === 'bxor') && dtype === 'f32')
    throw torchError(
      'RuntimeError',
      `Cannot use ReduceOp.${op.toUpperCase()} with non-integral dtype`,
      'Bitwise operations need int32 tensors.',
    );
}

/** Checks a list with one tensor like `like` per rank. */
export function checkList(
  { ranks, backend }: Members,
  call: string,
  list: readonly Tensor[],
  like: Tensor,
  side: 'input' | 'output',
): void {
  const group = processGroupName(backend);
  if (list.length !== ranks.length)
    throw torchError(
      'RuntimeError',
      call === 'allgather'
        ? `${group}::allgather: invalid output tensor list at index 0 (expected length ${ranks.length}, got ${list.length})`
        : `${group}::${call}: Incorrect ${side} list size ${list.length}. ${side === 'input' ? 'Input' : 'Output'} list size should be ${ranks.length}, same as size of the process group.`,
      `The group has ${ranks.length} ${ranks.length === 1 ? 'rank' : 'ranks'}; pass one tensor per rank.`,
    );
  list.forEach((tensor, i) => {
    if (!sameShape(tensor.shape, like.shape))
      throw torchError(
        'RuntimeError',
        `${group}::${call}: invalid tensor size at index ${i} (expected (${like.shape.join(', ')}), got (${tensor.shape.join(', ')}))`,
        'All tensors in the list must have the shape of the other argument.',
      );
    if (tensor.dtype !== like.dtype)
      throw torchError(
        'RuntimeError',
        `${group}::${call}: invalid tensor type at index ${i}`,
        'All tensors in the list must have the dtype of the other argument.',
      );
  });
}

/** Checks that `large` is `factor` times `small`. */
export function checkSizes(call: string, large: Tensor, small: Tensor, factor: number, words: string): void {
  if (elements(large.shape) === factor * elements(small.shape) && large.dtype === small.dtype) return;
  throw torchError(
    'RuntimeError',
    `${call}: ${words}`,
    `[${large.shape.join(', ')}] is not ${factor} times [${small.shape.join(', ')}], or the dtypes differ.`,
  );
}
