/**
 * Why a moment is as it is: a second, smaller text beside its sentence, where that isn't obvious. A full sentence or
 * two, with its full stop. The page fetches it after the first screen. Pure; `npm run sentences` lists them.
 */
import { at } from '../../base/invariant';
import { hasMicroBatch } from '../../protocol/step-kind';
import type { Clock, StepTrace, TraceEvent } from '../../protocol/trace';
import { groupSize } from '../group-size';
import { deviceCount } from '../lanes';
import { turnWhy } from '../pipeline/turn-why';
import { isPipeline } from '../pipeline/turns';
import { hasRanks, hasServer } from '../words';
import { dividesAtFirst } from './divided';
import { hookWhy } from './hook-why';
import type { Moment } from './moment';
import { momentsOf } from './moments';
import { overlapOf } from './overlap';
import { messageWhy, roundWhy } from './round-why';
import { isDataParallel, isModelParallel } from './who';

export function whyOf(trace: StepTrace, moment: Moment, clock: Clock): string | undefined {
  const e = mainOf(trace, moment);
  if (moment.turn) return turnWhy(trace, moment);
  if (e.anchor === 'scale_grads')
    return 'A micro-batch’s loss is the mean over its own rows, and backward added up their gradients: divided, the sum is the gradient of the whole batch.';
  const hook = hookWhy(trace, moment, e);
  if (hook !== undefined) return hook;
  switch (moment.kind) {
    case 'load':
      return loadWhy(trace, moment);
    case 'round':
      return roundWhy(trace, moment, clock);
    case 'message':
      return messageWhy(trace, moment);
    case 'copy':
      return copyWhy(trace, e);
    case 'update':
      return updateWhy(trace);
    default:
      return computeWhy(trace, moment, e, clock);
  }
}

const mainOf = (trace: StepTrace, { events }: Moment): TraceEvent => {
  const own = events.map((index) => at(trace.events, index));
  return own.find((e) => e.kind !== 'load') ?? at(own, 0);
};

const firstOfPhase = (trace: StepTrace, moment: Moment): boolean =>
  momentsOf(trace).find(({ kind, phase }) => kind === 'compute' && phase === moment.phase)?.index === moment.index;

function loadWhy(trace: StepTrace, { events }: Moment): string | undefined {
  const e = at(trace.events, at(events, 0));
  // Random numbers are loaded, too.
  if (!events.some((event) => at(trace.events, event).phase === 'data')) return undefined;
  if (isModelParallel(trace) && e.writes.includes('y'))
    return 'Only this device has the output that is compared with them.';
  if (hasRanks(trace)) return samplesWhy(trace);
  if (hasServer(trace)) return 'Each worker has its own part of the batch.';
  return isDataParallel(trace) ? 'One process loads for all devices.' : undefined;
}

/** Ranks with different numbers of samples have rows of their own: no sampler deals them out. */
const samplesWhy = (trace: StepTrace): string =>
  new Set(trace.samples.map(({ length }) => length)).size > 1 || trace.events.some(({ anchor }) => anchor === 'join')
    ? 'Each rank has its own part of the data set.'
    : 'Each rank’s DistributedSampler picks its samples; together they are the whole batch.';

function computeWhy(trace: StepTrace, moment: Moment, e: TraceEvent, clock: Clock): string | undefined {
  switch (moment.phase) {
    case 'forward':
      return firstOfPhase(trace, moment) || isModelParallel(trace) ? forwardWhy(trace, e) : undefined;
    case 'loss':
      return lossWhy(trace);
    case 'backward':
      return backwardWhy(trace, moment, e, clock);
    default:
      return undefined;
  }
}

function forwardWhy(trace: StepTrace, e: TraceEvent): string | undefined {
  if (isModelParallel(trace)) {
    const others = deviceCount(trace) === 2 ? `cuda:${1 - e.device} waits` : 'The other devices wait';
    return `${others}: the layers follow each other, and each device needs the output of the one before it.`;
  }
  if (hasRanks(trace) && hasMicroBatch(trace.kind, ({ reduces }) => !reduces))
    return 'no_sync(): of this micro-batch no gradients are sent; they are added up in .grad until the last one of the step.';
  if (hasRanks(trace)) return 'The weights are the same on every rank, the samples are not.';
  return isDataParallel(trace)
    ? 'parallel_apply: one thread per device. The replicas have the same weights, and each its own chunk.'
    : undefined;
}

function lossWhy(trace: StepTrace): string | undefined {
  if (hasRanks(trace)) return 'Each rank has a loss of its own. The losses are not averaged; the gradients will be.';
  if (isDataParallel(trace)) return 'The outputs are all on one device: the others wait.';
  return isModelParallel(trace) ? 'Only the last device has the output of the model.' : undefined;
}

function backwardWhy(trace: StepTrace, moment: Moment, e: TraceEvent, clock: Clock): string | undefined {
  if (e.module === '' && firstOfPhase(trace, moment))
    return 'From the last layer to the first: by the chain rule, the gradient of each layer is computed from that of the layer after it.';
  if (e.name === 'optim/accumulate-grad') return accumulateWhy(trace);
  if (isAgain(e)) return 'Activation checkpointing saves memory in forward and pays for it with computation here.';
  if (overlapOf(trace, moment, clock))
    return 'DDP does not wait for the end of backward: the all-reduce of a bucket begins as soon as its gradients are there, and the computation hides it.';
  if (isModelParallel(trace)) return 'The other devices wait: now each needs the gradient from the one after it.';
  return undefined;
}

const accumulateWhy = (trace: StepTrace): string =>
  hasRanks(trace) && !hasMicroBatch(trace.kind, ({ reduces }) => reduces)
    ? 'no_sync(): nothing is sent now. The last micro-batch of the step all-reduces the sum of all.'
    : 'Gradient accumulation: optimizer.step() comes when .grad holds the sum of all micro-batches of the step.';

const isAgain = ({ writes }: TraceEvent): boolean => writes.some((name) => /\.again(\.\d+)?$/.test(name));

function copyWhy(trace: StepTrace, e: TraceEvent): string | undefined {
  if (e.name === 'ddp/pack') return packWhy(trace, e);
  if (e.name === 'ddp/unpack' && groupSize(trace, e) > 1)
    return isPipeline(trace)
      ? 'All replicas of a stage now hold the same gradients, so the same optimiser makes the same step in each.'
      : 'All ranks now hold the same gradients, so the same optimiser makes the same step everywhere.';
  if (e.name === 'comm/flatten')
    return 'One large message costs less than many small ones, because every message has a latency.';
  return undefined;
}

function packWhy(trace: StepTrace, e: TraceEvent): string | undefined {
  if (hasMicroBatch(trace.kind, ({ beforeRebuild }) => beforeRebuild))
    return 'Only the first step has this bucket: DDP notes in which order gradients get ready, and then builds its buckets anew.';
  if (groupSize(trace, e) === 1) return undefined;
  return dividesAtFirst(trace, e)
    ? 'Because they are divided first, their sum over the ranks is the mean: with equally many samples each, the gradient of the whole batch.'
    : 'DDP leaves the rest to the communication hook: how to send them, and when to divide by the number of ranks.';
}

function updateWhy(trace: StepTrace): string | undefined {
  if (isPipeline(trace))
    return 'Each rank updates the stages that it holds, when the gradients of all micro-batches are in.';
  if (hasServer(trace)) return 'Only the server has an optimiser; the workers pull the new weights in the next step.';
  if (hasRanks(trace) && !trace.events.some((e) => e.bucket !== undefined && e.collective)) return undefined;
  if (hasRanks(trace))
    return 'All ranks apply the same gradients: replicas that were equal stay equal, and no weights are sent.';
  if (isDataParallel(trace)) return 'The replicas on the other devices are thrown away; the next step makes them anew.';
  return isModelParallel(trace) ? 'Each device updates the layers that it holds.' : undefined;
}
