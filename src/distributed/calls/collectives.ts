/**
 * The collectives, one function each: makes torch.distributed's checks, and prepares the group's request. Dist issues
 * it. Tensors of lists are sent as one stretch, rank after rank.
 */

import type { OpType } from '../../program/fingerprint';
import type { ReduceOp } from '../../protocol/collective';
import { allocate, elements, type HostArray } from '../../tensor/shape';
import type { Prepared } from '../process-group';
import type { Tensor } from '../tensor';
import { torchError } from '../torch-error';
import {
  checkList,
  checkReduceOp,
  checkSizes,
  checkTensor,
  checkTensors,
  type Members,
  rootIn,
} from './check-arguments';

const NOTHING: HostArray = new Float32Array(0);
const size = ({ shape }: Tensor): number => elements(shape);

interface Parts {
  readonly length?: number;
  readonly root?: number;
  readonly reduceOp?: ReduceOp;
  readonly input?: HostArray;
  readonly output?: HostArray;
  readonly inputs?: readonly Tensor[];
  readonly outputs?: readonly Tensor[];
  readonly finish?: () => void;
}

/** `tensor`: for the fingerprint, and changed in place unless stated otherwise. */
function prepared(opType: OpType, op: NonNullable<Prepared['request']>['op'], tensor: Tensor, parts: Parts): Prepared {
  const {
    length = size(tensor),
    root,
    reduceOp,
    input = tensor.data,
    output = NOTHING,
    inputs = [tensor],
    outputs = [tensor],
    finish,
  } = parts;
  const choices = { ...(root === undefined ? {} : { root }), ...(reduceOp === undefined ? {} : { reduceOp }) };
  return {
    fingerprint: { opType, shapes: [tensor.shape], dtypes: [tensor.dtype], ...choices },
    request: { op, dtype: tensor.dtype, length, ...choices },
    input,
    output,
    inputs,
    outputs,
    ...(finish ? { finish } : {}),
  };
}

/** The tensors of a list as one array. */
function joined(list: readonly Tensor[], like: Tensor): HostArray {
  const all = allocate(like.dtype, list.length * size(like));
  list.forEach((tensor, i) => {
    all.set(tensor.data, i * size(like));
  });
  return all;
}

/** Copies one array into the tensors of a list. */
const spread = (all: HostArray, list: readonly Tensor[]) => () => {
  let offset = 0;
  for (const tensor of list) {
    tensor.data.set(all.subarray(offset, offset + size(tensor)));
    offset += size(tensor);
  }
};

export function allReduce(tensor: Tensor, reduceOp: ReduceOp): Prepared {
  checkTensor(tensor, 'tensor');
  checkReduceOp(reduceOp, tensor);
  return prepared('ALLREDUCE', 'allReduce', tensor, { reduceOp });
}

export function broadcast(members: Members, tensor: Tensor, src: number): Prepared {
  checkTensor(tensor, 'tensor');
  return prepared('BROADCAST', 'broadcast', tensor, { root: rootIn(members, 'broadcast', src) });
}

/** Only the root's tensor changes. (gloo leaves partial sums in the others.) */
export function reduce(members: Members, tensor: Tensor, dst: number, reduceOp: ReduceOp): Prepared {
  checkTensor(tensor, 'tensor');
  const root = rootIn(members, 'reduce', dst);
  checkReduceOp(reduceOp, tensor);
  const input = members.rank === root ? tensor.data : tensor.data.slice();
  return prepared('REDUCE', 'reduce', tensor, { root, reduceOp, input });
}

export function scatter(
  members: Members,
  tensor: Tensor,
  scatterList: readonly Tensor[] | undefined,
  src: number,
): Prepared {
  checkTensor(tensor, 'tensor');
  const root = rootIn(members, 'scatter', src);
  const isSource = members.rank === root;
  if (isSource && scatterList === undefined)
    throw torchError(
      'ValueError',
      'Argument ``scatter_list`` must be specified on source rank.',
      `Rank ${src} must pass one tensor per rank.`,
    );
  if (!isSource && scatterList !== undefined)
    throw torchError(
      'ValueError',
      'Argument ``scatter_list`` must NOT be specified on non-source ranks.',
      `Only rank ${src} may pass the list.`,
    );
  if (scatterList !== undefined) {
    checkTensors(scatterList, 'scatter_list');
    checkList(members, 'scatter', scatterList, tensor, 'input');
  }
  const length = members.ranks.length * size(tensor);
  return prepared('SCATTER', 'scatter', tensor, {
    length,
    root,
    input: scatterList ? joined(scatterList, tensor) : allocate(tensor.dtype, length),
    output: tensor.data,
    inputs: scatterList ?? [],
  });
}

export function gather(
  members: Members,
  tensor: Tensor,
  gatherList: readonly Tensor[] | undefined,
  dst: number,
): Prepared {
  checkTensor(tensor, 'tensor');
  const root = rootIn(members, 'gather', dst);
  const isDestination = members.rank === root;
  if (isDestination && gatherList === undefined)
    throw torchError(
      'ValueError',
      'Argument ``gather_list`` must be specified on destination rank.',
      `Rank ${dst} must pass one tensor per rank, to receive its values.`,
    );
  if (!isDestination && gatherList !== undefined)
    throw torchError(
      'ValueError',
      'Argument ``gather_list`` must NOT be specified on non-destination ranks.',
      `Only rank ${dst} may pass the list.`,
    );
  if (gatherList !== undefined) {
    checkTensors(gatherList, 'gather_list');
    checkList(members, 'gather', gatherList, tensor, 'output');
  }
  const output = gatherList ? allocate(tensor.dtype, members.ranks.length * size(tensor)) : NOTHING;
  return prepared('GATHER', 'gather', tensor, {
    root,
    output,
    outputs: gatherList ?? [],
    finish: spread(output, gatherList ?? []),
  });
}

export function allGather(members: Members, tensorList: readonly Tensor[], tensor: Tensor): Prepared {
  checkTensors(tensorList, 'tensor_list');
  checkTensor(tensor, 'tensor');
  checkList(members, 'allgather', tensorList, tensor, 'output');
  const output = allocate(tensor.dtype, members.ranks.length * size(tensor));
  return prepared('ALLGATHER', 'allGather', tensor, {
    output,
    outputs: tensorList,
    finish: spread(output, tensorList),
  });
}

/** all_gather_into_tensor: one tensor for all. */
export function allGatherIntoTensor(members: Members, output: Tensor, input: Tensor): Prepared {
  checkTensor(output, 'output_tensor');
  checkTensor(input, 'input_tensor');
  checkSizes(
    'all_gather_into_tensor',
    output,
    input,
    members.ranks.length,
    'output tensor size must be equal to world_size times input tensor size',
  );
  return prepared('ALLGATHER', 'allGather', input, { output: output.data, outputs: [output] });
}

export function reduceScatter(
  members: Members,
  output: Tensor,
  inputList: readonly Tensor[],
  reduceOp: ReduceOp,
): Prepared {
  checkTensor(output, 'output');
  checkTensors(inputList, 'input_list');
  checkList(members, 'reduce_scatter', inputList, output, 'input');
  checkReduceOp(reduceOp, output);
  return prepared('REDUCE_SCATTER', 'reduceScatter', output, {
    length: members.ranks.length * size(output),
    reduceOp,
    input: joined(inputList, output),
    output: output.data,
    inputs: inputList,
  });
}

export function reduceScatterTensor(members: Members, output: Tensor, input: Tensor, reduceOp: ReduceOp): Prepared {
  checkTensor(output, 'output');
  checkTensor(input, 'input');
  checkSizes(
    'reduce_scatter_tensor',
    input,
    output,
    members.ranks.length,
    'input tensor must be the same size as output size times world size',
  );
  checkReduceOp(reduceOp, output);
  return prepared('REDUCE_SCATTER', 'reduceScatter', output, {
    length: size(input),
    reduceOp,
    input: input.data.slice(),
    output: output.data,
    inputs: [input],
  });
}

/** Lists of tensors of one size: the i-th goes to rank i. */
export function allToAll(members: Members, outputList: readonly Tensor[], inputList: readonly Tensor[]): Prepared {
  checkTensors(outputList, 'output_tensor_list');
  checkTensors(inputList, 'input_tensor_list');
  const [like] = inputList;
  if (!like)
    throw torchError('RuntimeError', 'all_to_all: the input list is empty', 'Pass one tensor per rank of the group.');
  checkList(members, 'alltoall', inputList, like, 'input');
  checkList(members, 'alltoall', outputList, like, 'output');
  const output = allocate(like.dtype, members.ranks.length * size(like));
  return prepared('ALLTOALL', 'allToAll', like, {
    length: output.length,
    input: joined(inputList, like),
    output,
    inputs: inputList,
    outputs: outputList,
    finish: spread(output, outputList),
  });
}

/** Cuts dimension 0 into equal parts: part i goes to rank i. */
export function allToAllSingle({ ranks }: Members, output: Tensor, input: Tensor): Prepared {
  checkTensor(output, 'output');
  checkTensor(input, 'input');
  if ((input.shape[0] ?? 0) % ranks.length !== 0)
    throw torchError(
      'RuntimeError',
      "Tensor's dim 0 does not divide equally across group size",
      'PyTorch 1.13 with gloo raises no error here and returns garbage. Parts of different sizes are not supported.',
    );
  checkSizes('all_to_all_single', output, input, 1, 'output must have as many elements as input');
  return prepared('ALLTOALL_BASE', 'allToAll', input, {
    input: input.data.slice(),
    output: output.data,
    outputs: [output],
  });
}

export const barrier = (opType: 'BARRIER' | 'MONITORED_BARRIER'): Prepared => ({
  fingerprint: { opType, shapes: [], dtypes: [] },
  request: { op: 'barrier', dtype: 'i32', length: 0 },
  input: NOTHING,
  output: NOTHING,
  inputs: [],
  outputs: [],
});
