/**
 * More collectives of a graph: those for layers that are cut among ranks (family 'partition'), and two that no mode
 * uses yet.
 */
import { LockstepError } from '../../base/errors';
import { at } from '../../base/invariant';
import { formatShape } from '../../tensor/shape';
import type { Attrs, OpDef, TensorType } from '../op';
import {
  ALL_GATHER,
  ALL_REDUCE,
  BROADCAST,
  CHUNK,
  collective,
  IDENTITY,
  REDUCE,
  REDUCE_SCATTER,
  summed,
} from './collective';

const same = (input: TensorType): TensorType => input;

function chunked({ shape, dtype }: TensorType, { ranks }: Attrs): TensorType {
  const rows = at(shape, 0) / Number(ranks);
  if (Number.isInteger(rows)) return { shape: [rows, ...shape.slice(1)], dtype };
  throw new LockstepError(
    'shape',
    'input tensor must be the same size as output size times world size',
    `The first dimension of ${formatShape(shape)} does not divide by ${ranks} ranks.`,
  );
}

const scattered = (input: TensorType, attrs: Attrs): TensorType => chunked(summed(input), attrs);

export const CUT_COLLECTIVES: readonly OpDef[] = [
  collective(IDENTITY, ALL_REDUCE, same),
  collective(REDUCE_SCATTER, ALL_GATHER, scattered),
  collective(CHUNK, ALL_GATHER, chunked),
];

export const BROADCAST_AND_REDUCE: readonly OpDef[] = [
  collective(BROADCAST, REDUCE, same),
  collective(REDUCE, BROADCAST, summed),
];
