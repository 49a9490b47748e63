/**
 * Analyses flight recorder dumps of a hang, as torch's fr_trace does: the collective in which ranks wait, the ranks
 * that have not called it, and where ranks call different ones. Called by the page and by `lockstep import`.
 */
import { brief } from '../base/brief';
import { differences } from './flight/diverging-calls';
import type { FlightEntry, FlightRecording } from './flight/flight-recording';
import { groupsIn, isDone, type OfGroup, type OfRank } from './flight/groups';
import { callText, ranksText } from './recorded-numbers';
import type { FlightAnalysis, FlightGroup } from './recording-analysis';

export function analyseFlight({ ranks }: FlightRecording): FlightAnalysis {
  const found = groupsIn(ranks).map((group) => ({ group, made: groupOf(group) }));
  const troubled = found.filter(({ made }) => made.mismatches.length > 0);
  const sentences = [
    ...troubled.flatMap(({ group, made }) => made.mismatches.map(({ text }) => `Group ${groupName(group)}: ${text}`)),
    ...found.filter(({ made }) => made.mismatches.length === 0).map(({ group }) => calmSentence(group)),
  ];
  return { groups: found.map(({ made }) => made), sentences: sentences.filter((text) => text !== '') };
}

const groupName = ({ group, description }: OfGroup): string =>
  description === '' || description === 'undefined' ? brief(group) : `${brief(group)} (${brief(description)})`;

function groupOf(group: OfGroup): FlightGroup {
  return {
    group: group.group,
    description: group.description,
    ranks: group.ranks.map(({ rank }) => rank),
    last: group.ranks.map(({ rank, entries }) => ({
      rank,
      scheduled: lastOf(entries, () => true),
      started: lastOf(entries, (entry) => entry.state !== 'scheduled' || isDone(entry)),
      completed: lastOf(entries, isDone),
    })),
    mismatches: differences(group),
  };
}

function lastOf(entries: OfRank['entries'], is: (entry: FlightEntry) => boolean): number | undefined {
  let last: number | undefined;
  for (const [sequence, entry] of entries) if (is(entry)) last = Math.max(last ?? sequence, sequence);
  return last;
}

function calmSentence(group: OfGroup): string {
  const [first] = group.ranks;
  const last = first && lastOf(first.entries, () => true);
  const entry = last === undefined ? undefined : first?.entries.get(last);
  if (!first || !entry) return '';
  const who = ranksText(group.ranks.map(({ rank }) => rank));
  const call = callText(entry);
  if (group.ranks.length === 1)
    return `Group ${groupName(group)}: ${who} is the only recorded rank; its last collective is number ${last}, ${call}.`;
  const isDoneAll = group.ranks.every(({ entries }) => [...entries.values()].every(isDone));
  const all = `Group ${groupName(group)}: ${who} called the same collectives; the last is number ${last}, ${call}`;
  return isDoneAll
    ? `${all}. All are completed.`
    : `${all}, which is ${entry.state} on all ranks and completed on none.`;
}
