/** The size of a collective's result. Called by code that runs a single collective: the lab and torch.distributed. */
import type { CollectiveOp } from '../protocol/collective';

/** Elements of a rank's output if each rank's input has `length`; undefined: the collective works in place. */
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
