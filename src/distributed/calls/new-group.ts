/** The ranks of a new group, sorted as PyTorch does, or why there can be no such group. */
import { torchError } from '../torch-error';

export function newGroupRanks(ranks: readonly number[] | undefined, worldSize: number): readonly number[] {
  if (ranks === undefined) return Array.from({ length: worldSize }, (_, rank) => rank);
  if (ranks.length > worldSize)
    throw torchError(
      'RuntimeError',
      "the new group's world size should be less or equal to the world size set by init_process_group",
      `The world has ${worldSize} ranks.`,
    );
  if (ranks.some((rank) => rank < 0 || rank >= worldSize))
    throw torchError(
      'RuntimeError',
      "The new group's rank should be within the the world_size set by init_process_group",
      `The world has ranks 0 to ${worldSize - 1}.`,
    );
  if (new Set(ranks).size < ranks.length || ranks.length === 0)
    throw torchError(
      'ValueError',
      `new_group: [${ranks.join(', ')}] ${ranks.length === 0 ? 'has no ranks' : 'names a rank twice'}.`,
      'List each member once.',
    );
  return ranks.toSorted((a, b) => a - b);
}
