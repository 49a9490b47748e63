/** Explains a round of a collective, or another message: what its algorithm gains by it. Called by moment-why.ts. */
import { at } from '../../base/invariant';
import { isAlongSame } from '../../protocol/mesh';
import type { Clock, StepTrace } from '../../protocol/trace';
import { groupSize } from '../group-size';
import { deviceName, moduleWords } from '../words';
import { ALGORITHM_WHY } from './algorithm-why';
import { hierarchicalWhy } from './hierarchical-words';
import { hopsOf, isSwap } from './hops';
import type { Moment, MomentRound } from './moment';
import { momentsOf } from './moments';
import { overlapOf } from './overlap';

export function roundWhy(trace: StepTrace, moment: Moment, clock: Clock): string | undefined {
  const { round } = moment;
  if (round?.whole)
    return 'This step has many rounds, so all rounds of this collective are one moment. “Step round” stops after every round.';
  switch (round?.op) {
    case 'allReduce':
      return allReduceWhy(trace, moment, round, clock);
    case 'broadcast':
      return broadcastWhy(trace, moment);
    case 'scatter':
      return moment.phase === 'backward'
        ? 'Each replica runs backward through its own copy of the layers, for its own chunk.'
        : 'The batch is cut along its first dimension, one chunk per device.';
    case 'gather':
      return 'One device computes the loss, from the outputs of the whole batch.';
    case 'reduce':
      return 'Each replica has the gradient of its own chunk. The sum over all replicas is the gradient of the whole batch.';
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
      return `This round adds no time: the ranks compute the gradient of ${moduleWords(layer)} meanwhile.`;
  }
  const ranks = groupSize(trace, at(trace.events, at(moment.events, 0)));
  switch (collective.algorithm) {
    case 'ring':
      return ringWhy(trace, moment, begins, turns);
    case 'hierarchical':
      return hierarchicalWhy(trace, moment) ?? ringWhy(trace, moment, begins, turns);
    case 'direct':
      return undefined;
    default: {
      const words = ALGORITHM_WHY[collective.algorithm];
      return begins ? words.begins(ranks, isSwap(hopsOf(trace, moment))) : turns ? words.turns : undefined;
    }
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
    return 'The tensor has too few elements to fill every chunk, and empty chunks are not sent.';
  if (begins && (e.collective?.rounds ?? 1) > 1)
    return `After ${ranks === 2 ? 'this round' : `${ranks - 1} such rounds`} every rank holds one chunk summed over all ranks, and every link has carried the same load.`;
  return turns
    ? 'Each rank holds one finished chunk. The chunks travel around the ring once more, without additions, until every rank has all of them.'
    : undefined;
}

const isFirstOfPart = (trace: StepTrace, { round, index }: Moment): boolean =>
  momentsOf(trace).find(
    (other) =>
      other.round?.seq === round?.seq &&
      other.round?.op === round?.op &&
      other.round?.part === round?.part &&
      isAlongSame(other.round?.collective.group, round?.collective.group),
  )?.index === index;

function broadcastWhy(trace: StepTrace, moment: Moment): string | undefined {
  if (moment.phase === 'replicate')
    return 'DataParallel makes new replicas in every forward pass, so every step sends all weights to every device.';
  const [e] = hopsOf(trace, moment).sends;
  if (/\.(running_mean|running_var|num_batches_tracked)$/.test(e?.slice?.buffer ?? ''))
    return 'broadcast_buffers: each rank computes batch norm’s statistics from its own samples. Without this broadcast the statistics would drift apart.';
  return trace.kind.type === 'construct'
    ? 'All replicas must start with the same weights, whatever weights each rank drew. This broadcast happens once, in the constructor.'
    : undefined;
}

export function messageWhy(trace: StepTrace, moment: Moment): string | undefined {
  const { to, sends } = hopsOf(trace, moment);
  const anchor = sends[0]?.anchor;
  const receiver = deviceName(trace, [...to][0] ?? 0);
  if (anchor === 'pull') return 'A worker computes with the weights of the server and sends back only gradients.';
  if (anchor === 'push')
    return 'All workers send their gradients to the server, so the server’s link carries as much as all workers’ links together.';
  if (anchor === 'send_activation') return `${receiver} has been waiting: its first layer needs this output.`;
  if (anchor === 'send_gradient')
    return `By the chain rule ${receiver} needs this gradient to continue its backward pass.`;
  return undefined;
}
