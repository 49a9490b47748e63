/**
 * A hierarchical all-reduce sums within each node first, then between the nodes, and distributes the result within the
 * nodes. This file describes a round of it and explains why. A chunk between nodes is a part of a chunk within a node,
 * so the number of chunks distinguishes the rounds. Pure; called by the sentences.
 */
import { isAlongSame } from '../../protocol/mesh';
import type { StepTrace } from '../../protocol/trace';
import type { Hops } from './hops';
import type { Moment } from './moment';
import { momentsOf } from './moments';
import { whoAre } from './who';

/** Whether the round's messages go between nodes; undefined: all rounds of the collective are alike, as in one ring. */
export function acrossNodes(trace: StepTrace, { round }: Moment): boolean | undefined {
  const { seq, group, chunks = 1, algorithm } = round?.collective ?? { seq: -1, algorithm: 'direct' };
  if (algorithm !== 'hierarchical') return undefined;
  const counts = trace.events.flatMap(({ collective: c }) =>
    c?.seq === seq && c.algorithm === algorithm && isAlongSame(c.group, group) ? [c.chunks ?? 1] : [],
  );
  const [fewest, most] = [Math.min(...counts), Math.max(...counts)];
  return fewest === most ? undefined : chunks === most;
}

export function hierarchicalWords(trace: StepTrace, moment: Moment, hops: Hops): string {
  const who = whoAre(trace, hops.from);
  const subject = who.all ? 'every rank' : who.text;
  const one = who.all || !who.many;
  const sends = moment.round?.part === 'reduce-scatter';
  const what = sends ? `${one ? 'sends one' : 'send a'} chunk` : `${one ? 'passes one' : 'pass a'} finished chunk on`;
  const then = sends && hops.adds ? ', which adds it' : '';
  return acrossNodes(trace, moment)
    ? `between nodes, ${subject} ${what} to ${one ? 'its counterpart' : 'their counterparts'}${one ? then : then.replace('adds', 'add')}`
    : `within each node, ${subject} ${what} to ${one ? 'its' : 'a'} neighbour${then}`;
}

/** The reason for the first round of each kind and each half. */
export function hierarchicalWhy(trace: StepTrace, moment: Moment): string | undefined {
  const across = acrossNodes(trace, moment);
  if (across === undefined || !isFirst(trace, moment, across)) return undefined;
  if (moment.round?.part === 'reduce-scatter')
    return across
      ? 'Each rank holds one chunk summed over its node. Only that chunk crosses the slow links between the nodes.'
      : 'Each node first sums over its own fast links, so less data has to cross the slow links between the nodes.';
  return across
    ? 'Each chunk is now summed over all nodes, but its parts are on different nodes. The parts travel around the nodes.'
    : 'Each rank of a node holds one finished chunk. Over the fast links every rank collects all chunks.';
}

const isFirst = (trace: StepTrace, { round, index }: Moment, across: boolean): boolean =>
  momentsOf(trace).find(
    (other) =>
      other.round?.seq === round?.seq &&
      other.round?.part === round?.part &&
      isAlongSame(other.round?.collective.group, round?.collective.group) &&
      acrossNodes(trace, other) === across,
  )?.index === index;
