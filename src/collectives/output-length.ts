/** How large the result of a collective is. Called by who runs one collective alone: the lab and torch.distributed. */
import type { CollectiveOp } from '../protocol/collective';

/** Elements that come out on a rank, of `length` that each brings; undefined: the collective works in place. */
export function outputLength(op: CollectiveOp, length: number, worldSize: number): number | undefined {
  switch (op) {
    case 'allGather':
    case 'gather':
      return length * worldSize;
    case 'reduceScatter':
    case 'scatter':
      return length / worldSize;
    case 'allToAll':
      return length;
    default:
      return undefined;
  }
}
