/** Entries of flight recorder dumps, sorted by process group, rank and sequence number. */

import type { RecordingRank } from '../recording';
import type { FlightEntry, FlightRank } from './flight-recording';

/** A group's collectives of one rank, by sequence number. */
export interface OfRank {
  readonly rank: RecordingRank;
  readonly entries: ReadonlyMap<number, FlightEntry>;
}

export interface OfGroup {
  readonly group: string;
  readonly description: string;
  readonly ranks: readonly OfRank[];
}

/** gloo's recorder leaves the state at "scheduled"; its entries are done when they are retired. */
export const isDone = ({ state, retired, profilingName }: FlightEntry): boolean =>
  state === 'completed' || (retired && profilingName.startsWith('gloo:'));

export function groupsIn(ranks: readonly FlightRank[]): readonly OfGroup[] {
  const groups = new Map<
    string,
    { group: string; description: string; members: Map<RecordingRank, Map<number, FlightEntry>> }
  >();
  for (const { rank, entries, groups: named } of ranks) {
    // Groups of different ranks may have the same name (split_group); the members tell them apart if the dump lists
    // them.
    const ofName = new Map<string, { readonly members: string; readonly dumped: readonly RecordingRank[] }>();
    for (const { group, ranks: members } of named) {
      if (ofName.has(group) || !members.includes(rank)) continue;
      const inside = new Set(members);
      const dumped = ranks.map((other) => other.rank).filter((other) => inside.has(other));
      ofName.set(group, { members: members.join(' '), dumped });
    }
    for (const entry of entries) {
      const of = ofName.get(entry.group);
      const key = `${entry.group}\n${entry.groupDescription}\n${of?.members ?? ''}`;
      const known = groups.get(key) ?? { group: entry.group, description: entry.groupDescription, members: new Map() };
      groups.set(key, known);
      // Members of the group that have a dump, even without a single call.
      if (!known.members.has(rank))
        for (const other of of?.dumped ?? []) if (!known.members.has(other)) known.members.set(other, new Map());
      const own = known.members.get(rank) ?? new Map<number, FlightEntry>();
      known.members.set(rank, own);
      // Sends and receives pair up two by two; "coalesced" closes a list that is there already.
      if (!entry.isP2p && !own.has(entry.collectiveSeqId)) own.set(entry.collectiveSeqId, entry);
    }
  }
  return [...groups.values()].map(({ group, description, members }) => ({
    group,
    description,
    ranks: [...members].map(([rank, entries]) => ({ rank, entries })).sort((a, b) => a.rank - b.rank),
  }));
}
