/**
 * Every rank of a group must issue the same collectives in the same order. Each group has its own sequence. The
 * verifier compares PyTorch's fingerprints: sequence number, operation, size and dtype of the tensor. Called by
 * verifier.ts.
 */
import { LockstepError } from '../base/errors';
import { type Group, groupLabel } from '../protocol/mesh';
import { fingerprintOf, fingerprintText } from './fingerprint';
import type { Lane, Program } from './instruction';

interface Issued {
  /** Absent: the default group. */
  readonly group: Group | undefined;
  /** By lane, the fingerprint of every call in the sequence. */
  readonly lanes: Map<Lane, Map<number, string>>;
}

export function checkCollectives(program: Program): void {
  for (const issued of byGroup(program).values()) {
    const [first, ...others] = lanesOf(issued, program);
    for (const other of first ? others : []) if (first) compare(issued, first, other);
  }
}

function byGroup(program: Program): ReadonlyMap<number, Issued> {
  const groups = new Map<number, Issued>();
  for (const lane of program.lanes) {
    for (const i of lane.instructions) {
      if ((i.kind !== 'send' && i.kind !== 'recv') || !i.collective || i.collective.op === 'sendRecv') continue;
      const { group, seq } = i.collective;
      const known = groups.get(group?.id ?? 0) ?? { group, lanes: new Map<Lane, Map<number, string>>() };
      groups.set(group?.id ?? 0, known);
      checkMember(lane, group, known.group);
      const own = known.lanes.get(lane) ?? new Map<number, string>();
      known.lanes.set(lane, own);
      own.set(seq, fingerprintText(seq, fingerprintOf(i.collective)));
    }
  }
  return groups;
}

function checkMember({ rank }: Lane, group: Group | undefined, first: Group | undefined): void {
  if (!group || !first) return;
  if (group.ranks.join() !== first.ranks.join())
    throw new LockstepError(
      'program',
      `Two groups have the id ${group.id}: ${groupLabel(first)} and ${groupLabel(group)}.`,
    );
  if (!group.ranks.includes(rank))
    throw new LockstepError('program', `Rank ${rank} takes part in ${groupLabel(group)}, but is not a member of it.`);
}

/**
 * All lanes of the group; for the default group only lanes that issue anything, because a process may drive idle
 * devices.
 */
const lanesOf = ({ group, lanes }: Issued, program: Program): readonly Lane[] =>
  group ? program.lanes.filter(({ rank }) => group.ranks.includes(rank)) : [...lanes.keys()];

function compare({ group, lanes }: Issued, lane: Lane, other: Lane): void {
  const [seen, theirs] = [lanes.get(lane), lanes.get(other)];
  for (const seq of new Set([...(seen?.keys() ?? []), ...(theirs?.keys() ?? [])])) {
    const a = seen?.get(seq) ?? 'no collective';
    const b = theirs?.get(seq) ?? 'no collective';
    if (a === b) continue;
    throw new LockstepError(
      'program',
      `Detected mismatch between collectives on ranks${group ? ` of ${groupLabel(group)}` : ''}. Rank ${other.rank} is running collective: ${b}, but Rank ${lane.rank} is running collective: ${a}.`,
    );
  }
}
