/**
 * The fingerprint of a rank's next call in its group, after PyTorch's CollectiveFingerPrint: it must be equal on all
 * ranks. The verifier compares fingerprints within a Program; the ledger of torch.distributed's groups compares them
 * call by call.
 */
import { must } from '../base/invariant';
import type { CollectiveOp, ReduceOp } from '../protocol/collective';
import type { CollectiveRef } from '../protocol/trace';
import { DTYPE_NAME } from '../tensor/dtype-name';
import type { DType, Shape } from '../tensor/shape';

/** c10d's OpType, with the collective that carries it out and the user's name for it. */
export const OP_TYPES = {
  ALLREDUCE: { op: 'allReduce', call: 'all_reduce' },
  BROADCAST: { op: 'broadcast', call: 'broadcast' },
  REDUCE: { op: 'reduce', call: 'reduce' },
  SCATTER: { op: 'scatter', call: 'scatter' },
  GATHER: { op: 'gather', call: 'gather' },
  ALLGATHER: { op: 'allGather', call: 'all_gather' },
  REDUCE_SCATTER: { op: 'reduceScatter', call: 'reduce_scatter' },
  ALLTOALL: { op: 'allToAll', call: 'all_to_all' },
  ALLTOALL_BASE: { op: 'allToAll', call: 'all_to_all_single' },
  BARRIER: { op: 'barrier', call: 'barrier' },
  MONITORED_BARRIER: { op: 'barrier', call: 'monitored_barrier' },
  NEW_GROUP: { op: undefined, call: 'new_group' },
} as const satisfies Record<string, { readonly op: CollectiveOp | undefined; readonly call: string }>;
export type OpType = keyof typeof OP_TYPES;

export interface Fingerprint {
  readonly opType: OpType;
  /** Shapes of each rank's input; none for a barrier. */
  readonly shapes: readonly Shape[];
  readonly dtypes: readonly DType[];
  /**
   * The root, if any. PyTorch's fingerprint leaves out this field and the next; ranks that differ in them hang in
   * PyTorch, or get wrong numbers.
   */
  readonly root?: number;
  readonly reduceOp?: ReduceOp;
  /** Ranks of a new group. */
  readonly ranks?: readonly number[];
  /** Within a Program, because ranks with different algorithms would miss each other's messages. */
  readonly algorithm?: string;
  readonly bucket?: number;
}

export function fingerprintText(seq: number, fingerprint: Fingerprint): string {
  const { opType, shapes, dtypes, root, reduceOp, ranks, algorithm, bucket } = fingerprint;
  const parts = [
    `SequenceNumber=${seq}`,
    `OpType=${opType}`,
    ...(shapes.length === 0 ? [] : [`TensorShape=${shapes.map((s) => `[${s.join(', ')}]`).join(', ')}`]),
    ...(dtypes.length === 0 ? [] : [`TensorDtypes=${dtypes.map((d) => DTYPE_NAME[d]).join(', ')}`]),
    ...(root === undefined ? [] : [`Root=${root}`]),
    ...(reduceOp === undefined ? [] : [`ReduceOp=${reduceOp.toUpperCase()}`]),
    ...(ranks === undefined ? [] : [`Ranks=[${ranks.join(', ')}]`]),
    ...(algorithm === undefined ? [] : [`Algorithm=${algorithm}`]),
    ...(bucket === undefined ? [] : [`Bucket=${bucket}`]),
  ];
  return `CollectiveFingerPrint(${parts.join(', ')})`;
}

export const callName = (opType: OpType): string => OP_TYPES[opType].call;

const TYPES = Object.keys(OP_TYPES) as OpType[];

/** The fingerprint of a Program's collective, from any of its messages. */
export function fingerprintOf({ op, tensor, reduceOp, algorithm, bucket }: CollectiveRef): Fingerprint {
  return {
    opType: must(
      TYPES.find((type) => OP_TYPES[type].op === op),
      op,
    ),
    shapes: tensor ? [[tensor.length]] : [],
    dtypes: tensor ? [tensor.dtype] : [],
    algorithm,
    ...(reduceOp === undefined ? {} : { reduceOp }),
    ...(bucket === undefined ? {} : { bucket }),
  };
}
