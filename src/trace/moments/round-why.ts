/**
 * Why a round of a collective, or another message, is as it is: what its algorithm gains by it. Called by
 * moment-why.ts.
 */
import { at } from '../../base/invariant';
import type { Clock, CollectiveRef, StepTrace } from '../../protocol/trace';
import { groupSize } from '../group-size';
import { deviceName, moduleWords } from '../words';
import { hierarchicalWhy } from './hierarchical-words';
import { hopsOf, isSwap } from './hops';
import type { Moment, MomentRound } from './moment';
import { momentsOf } from './moments';
import { overlapOf } from './overlap';

export function roundWhy(trace: StepTrace, moment: Moment, clock: Clock): string | undefined {
  const { round } = moment;
  switch (round?.op) {
    case 'allReduce':
      return allReduceWhy(trace, moment, round, clock);
    case 'broadcast':
      return broadcastWhy(trace, moment);
    case 'scatter':
      return moment.phase === 'backward'
        ? 'Each replica goes backward through its own layers, for its own chunk.'
        : 'The batch is cut along its first dimension, one chunk per device.';
    case 'gather':
      return 'The loss is computed in one place, from the outputs of the whole batch.';
    case 'reduce':
      return 'Each replica has the gradient of its chunk; their sum is the gradient of the whole batch.';
    default:
      return undefined;
  }
}

function allReduceWhy(trace: StepTrace, moment: Moment, round: MomentRound, clock: Clock): string | undefined {
  const { collective, index, part } = round;
  const begins = index === 0;
  const turns = part === 'all-gather' && isFirstOfPart(trace, moment);
  if (moment.bucket !== undefined && !begins && !turns) {
    const layer = overlapOf(trace, moment, clock)?.module;
    if (layer !== undefined)
      return `This round is hidden: meanwhile the ranks compute the gradient of ${moduleWords(layer)}.`;
  }
  const ranks = groupSize(trace, at(trace.events, at(moment.events, 0)));
  switch (collective.algorithm) {
    case 'ring':
      return ringWhy(trace, moment, begins, turns);
    case 'hierarchical':
      return hierarchicalWhy(trace, moment) ?? ringWhy(trace, moment, begins, turns);
    default:
      return begins ? beginWhy(trace, moment, ranks) : turns ? turnWhy(collective.algorithm) : undefined;
  }
}

function ringWhy(trace: StepTrace, moment: Moment, begins: boolean, turns: boolean): string | undefined {
  const e = at(trace.events, at(moment.events, 0));
  const ranks = groupSize(trace, e);
  const senders = hopsOf(trace, moment).from.size;
  if (
    (begins || turns) &&
    senders < ranks &&
    (e.collective?.tensor?.length ?? Number.POSITIVE_INFINITY) < ranks * ranks
  )
    return 'There are so few elements that not every chunk has any: an empty chunk is not sent.';
  if (begins && (e.collective?.rounds ?? 1) > 1)
    return `After ${ranks - 1} such ${ranks === 2 ? 'round' : 'rounds'} every rank holds one chunk summed over all ranks, and all links have been equally busy.`;
  return turns
    ? 'Each rank has one finished chunk and needs the others: they go around once more, and nothing is added.'
    : undefined;
}

/** Why the first round is as it is. */
function beginWhy(trace: StepTrace, moment: Moment, ranks: number): string | undefined {
  switch (moment.round?.collective.algorithm) {
    case 'naive':
      return `One rank collects everything: ${ranks - 1} whole tensors come in over its link, one after the other, while the others wait.`;
    case 'tree':
      return 'On the way up the number of sums halves in each round, so few rounds are enough for many ranks.';
    case 'doubleTree':
      return 'Two trees carry half of the tensor each. Who is inside one tree is a leaf of the other, so all links are busy.';
    case 'halvingDoubling':
      return isSwap(hopsOf(trace, moment))
        ? 'In each round half as much is left to sum: as few bytes as around a ring, in far fewer rounds.'
        : 'The number of ranks is no power of two: some hand theirs over first, and get the result at the end.';
    default:
      return undefined;
  }
}

/** Why nothing more is added from here on. */
function turnWhy(algorithm: CollectiveRef['algorithm']): string | undefined {
  switch (algorithm) {
    case 'naive':
      return 'One rank has the result, and all need it.';
    case 'tree':
    case 'doubleTree':
      return 'The root has the sum of all: it goes down the same way.';
    case 'halvingDoubling':
      return 'The same way back: what each rank has finished doubles in each round.';
    default:
      return undefined;
  }
}

const isFirstOfPart = (trace: StepTrace, { round, index }: Moment): boolean =>
  momentsOf(trace).find(
    (other) =>
      other.round?.seq === round?.seq &&
      other.round?.op === round?.op &&
      other.round?.part === round?.part &&
      other.round?.collective.group?.axis === round?.collective.group?.axis,
  )?.index === index;

function broadcastWhy(trace: StepTrace, moment: Moment): string | undefined {
  if (moment.phase === 'replicate')
    return 'DataParallel makes the replicas anew in every forward, so every step sends all weights to every device.';
  const [e] = hopsOf(trace, moment).sends;
  if (/\.(running_mean|running_var|num_batches_tracked)$/.test(e?.slice?.buffer ?? ''))
    return 'broadcast_buffers: batch norm’s statistics come from the samples of each rank, and would drift apart.';
  return trace.kind.type === 'construct'
    ? 'All replicas must begin with the same weights, whatever each rank has drawn. It happens once.'
    : undefined;
}

export function messageWhy(trace: StepTrace, moment: Moment): string | undefined {
  const { to, sends } = hopsOf(trace, moment);
  const anchor = sends[0]?.anchor;
  const receiver = deviceName(trace, [...to][0] ?? 0);
  if (anchor === 'pull') return 'A worker computes with the weights of the server and sends back only gradients.';
  if (anchor === 'push')
    return 'All gradients meet at the server: its link carries as much as those of all workers together.';
  if (anchor === 'send_activation') return `${receiver} has waited for this: its first layer needs that output.`;
  if (anchor === 'send_gradient') return `By the chain rule ${receiver} needs it to go on with backward.`;
  return undefined;
}
