/**
 * Explains a moment if its reason isn't obvious: a second, smaller text beside its sentence, one or two full sentences.
 * The page loads this file after the first screen. Pure; `npm run sentences` lists them.
 */
import { at } from '../../base/invariant';
import { hasMicroBatch } from '../../protocol/step-kind';
import type { Clock, StepTrace, TraceEvent } from '../../protocol/trace';
import { groupSize } from '../group-size';
import { deviceCount } from '../lanes';
import { averageWhy } from '../pipeline/average-words';
import { isPipeline } from '../pipeline/pipeline-turns';
import { turnWhy } from '../pipeline/turn-why';
import { cutsLayers } from '../tensor-parts';
import { hasRanks, hasServer } from '../words';
import { dividesAtFirst } from './divided';
import { kindOf } from './group-keys';
import { hookWhy } from './hook-why';
import type { Moment } from './moment';
import { momentsOf } from './moments';
import { overlapOf } from './overlap';
import { precisionWhy } from './precision-why';
import { messageWhy, roundWhy } from './round-why';
import { shardedWhy } from './sharded-why';
import { tensorWhy } from './tensor-why';
import { isDataParallel, isModelParallel } from './who';

export function whyOf(trace: StepTrace, moment: Moment, clock: Clock): string | undefined {
  const e = mainOf(trace, moment);
  if (moment.turn) return turnWhy(trace, moment);
  if (moment.average) return averageWhy(moment.average);
  if (e.anchor === 'scale_grads')
    return 'Each micro-batch’s loss is the mean over its own rows, and backward added up the gradients of all micro-batches. Dividing the sum gives the gradient of the whole batch.';
  const hook = hookWhy(trace, moment, e);
  if (hook !== undefined) return hook;
  const precision = precisionWhy(trace, e);
  if (precision !== undefined) return precision;
  const sharded = shardedWhy(trace, e, { moment, clock });
  if (sharded !== undefined) return sharded;
  const isOfOptimizer = moment.phase === 'step' || moment.bucket !== undefined;
  if (
    cutsLayers(trace) &&
    moment.kind !== 'round' &&
    moment.kind !== 'message' &&
    moment.phase !== 'backward' &&
    !isOfOptimizer
  )
    return tensorWhy(trace, moment, e);
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

const mainOf = (trace: StepTrace, { events, kind }: Moment): TraceEvent => {
  const own = events.map((index) => at(trace.events, index));
  const isWork = (e: TraceEvent) => e.kind !== 'load' && (kind === 'copy' || kindOf(e) !== 'copy');
  return own.find(isWork) ?? own.find((e) => e.kind !== 'load') ?? at(own, 0);
};

const firstOfPhase = (trace: StepTrace, moment: Moment): boolean =>
  momentsOf(trace).find(({ kind, phase }) => kind === 'compute' && phase === moment.phase)?.index === moment.index;

function loadWhy(trace: StepTrace, { events }: Moment): string | undefined {
  const e = at(trace.events, at(events, 0));
  // Random numbers are loaded, too.
  if (!events.some((event) => at(trace.events, event).phase === 'data')) return undefined;
  if (isModelParallel(trace) && e.writes.includes('y'))
    return 'Only this device holds the model’s output, which the loss compares with the targets.';
  if (hasRanks(trace)) return samplesWhy(trace);
  if (hasServer(trace)) return 'Each worker gets its own part of the batch.';
  return isDataParallel(trace) ? 'One process loads the data for all devices.' : undefined;
}

/** Ranks with different numbers of samples have their own rows, without a DistributedSampler. */
const samplesWhy = (trace: StepTrace): string =>
  new Set(trace.samples.map(({ length }) => length)).size > 1 || trace.events.some(({ anchor }) => anchor === 'join')
    ? 'Each rank reads its own part of the data set.'
    : 'Each rank’s DistributedSampler picks that rank’s samples. Together the ranks load the whole batch.';

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
    return `${others}: a device can start only after the device before it has sent its output.`;
  }
  if (hasRanks(trace) && hasMicroBatch(trace.kind, ({ reduces }) => !reduces))
    return 'no_sync(): the gradients of this micro-batch are not sent. They add up in .grad until the last micro-batch of the step.';
  if (hasRanks(trace)) return 'Every rank has the same weights and different samples.';
  return isDataParallel(trace)
    ? 'parallel_apply: one thread per device. All replicas have the same weights; each replica gets its own chunk of the batch.'
    : undefined;
}

function lossWhy(trace: StepTrace): string | undefined {
  if (hasRanks(trace))
    return 'Each rank computes the loss of its own samples. The losses are not averaged; the gradients will be.';
  if (isDataParallel(trace)) return 'All outputs are on this device, so the other devices wait.';
  return isModelParallel(trace) ? 'Only the last device holds the output of the model.' : undefined;
}

function backwardWhy(trace: StepTrace, moment: Moment, e: TraceEvent, clock: Clock): string | undefined {
  if (e.module === '' && firstOfPhase(trace, moment))
    return 'Backward runs from the last layer to the first: by the chain rule, the gradient of a layer is computed from the gradient of the layer after it.';
  if (e.name === 'optim/accumulate-grad') return accumulateWhy(trace);
  if (isAgain(e))
    return 'Activation checkpointing did not keep this output in forward, to save memory, so backward has to compute it again.';
  const beside = overlapOf(trace, moment, clock);
  if (beside && beside.bucket === undefined && cutsLayers(trace))
    return 'The gradient of a layer’s weights needs no other rank. Each rank computes it while the all-reduce of the gradient of the layer’s input is under way.';
  if (beside)
    return 'DDP does not wait for the end of backward. It all-reduces a bucket as soon as all gradients of the bucket are ready, while backward computes the next layers.';
  if (isModelParallel(trace))
    return 'The other devices wait: a device can start its backward pass only after the device with the next layers has sent a gradient.';
  return undefined;
}

const accumulateWhy = (trace: StepTrace): string =>
  hasRanks(trace) && !hasMicroBatch(trace.kind, ({ reduces }) => reduces)
    ? 'no_sync(): nothing is sent now. The last micro-batch of the step all-reduces the sum over all micro-batches.'
    : 'Gradient accumulation: optimizer.step() runs once .grad holds the sum over all micro-batches of the step.';

const isAgain = ({ writes }: TraceEvent): boolean => writes.some((name) => /\.again(\.\d+)?$/.test(name));

function copyWhy(trace: StepTrace, e: TraceEvent): string | undefined {
  if (e.name === 'ddp/pack') return packWhy(trace, e);
  if (e.name === 'ddp/unpack' && groupSize(trace, e) > 1)
    return isPipeline(trace)
      ? 'All replicas of a stage now hold the same gradients, so the optimiser makes the same update in every replica.'
      : 'All ranks now hold the same gradients, so the optimiser makes the same update on every rank.';
  if (e.name === 'comm/flatten')
    return 'One large message costs less than many small ones, because every message has a latency.';
  return undefined;
}

function packWhy(trace: StepTrace, e: TraceEvent): string | undefined {
  if (hasMicroBatch(trace.kind, ({ beforeRebuild }) => beforeRebuild))
    return 'Only the first step uses this bucket. DDP records the order in which gradients become ready and rebuilds its buckets in that order.';
  if (groupSize(trace, e) === 1) return undefined;
  return dividesAtFirst(trace, e)
    ? 'Every rank divides before the all-reduce, so the sum over the ranks is the mean. If all ranks have equally many samples, that mean is the gradient of the whole batch.'
    : 'The communication hook decides how to send the gradients and when to divide them by the number of ranks.';
}

function updateWhy(trace: StepTrace): string | undefined {
  if (isPipeline(trace))
    return 'Each rank updates its own stages, once the gradients of all micro-batches are added up.';
  if (hasServer(trace)) return 'Only the server has an optimiser. The workers pull the new weights in the next step.';
  if (hasRanks(trace) && !trace.events.some((e) => e.bucket !== undefined && e.collective)) return undefined;
  if (hasRanks(trace))
    return 'All ranks apply the same gradients, so equal replicas stay equal and no weights need to be sent.';
  if (isDataParallel(trace))
    return 'DataParallel discards the replicas on the other devices and makes new ones in the next step.';
  return isModelParallel(trace) ? 'Each device updates the layers that it holds.' : undefined;
}
