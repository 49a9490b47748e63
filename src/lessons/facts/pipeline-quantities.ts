/**
 * Quantities of a pipeline's run: its schedule's bubble (counted, by formula, and measured in the run) and length, the
 * activations that it keeps, and the bytes of one message. Pure. Undefined in runs without a pipeline.
 */
import { pictureOfTrace } from '../../app/pipeline/picture-of-trace';
import { type RunSchedule, runSchedule } from '../../app/pipeline/use-run-schedule';
import { closedFormsOf } from '../../schedules/closed-form';
import { type Timing, timingOf } from '../../schedules/timing';
import type { Facts } from './facts';
import type { Quantity } from './quantity';
import { most } from './readings';

/** Undefined if the run has no schedule: then no event belongs to an action of a schedule. */
const scheduleOf = ({ info, trace }: Facts): RunSchedule | undefined =>
  info && trace?.events.some(({ action }) => action !== undefined) ? runSchedule(info.config) : undefined;

/** Counts 1 for a forward, 2 for a backward (1 for each half) and 0 for a message. */
function timingIn(facts: Facts): Timing | undefined {
  const run = scheduleOf(facts);
  return run && timingOf(run.schedule);
}

/** Undefined for custom schedules, too. */
function bubbleByFormula(facts: Facts): number | undefined {
  const schedule = scheduleOf(facts)?.schedule;
  if (schedule?.name === undefined) return undefined;
  const { name, ranks, stages, microBatches } = schedule;
  return closedFormsOf({ name, ranks, stagesPerRank: stages / ranks, microBatches }).bubble?.value;
}

/** From the first computation of the step to the last, on the page's clock; messages take their time. */
function bubbleOfRun(facts: Facts): number | undefined {
  const run = scheduleOf(facts);
  const { trace, app } = facts;
  return run && trace && pictureOfTrace(trace, app.clock, run.schedule, { index: 0, of: run.replicas }).bubble;
}

/** On a pipeline rank; without an argument, on the rank that keeps the most. */
function peakLive(facts: Facts, argument: string): number | undefined {
  const peaks = timingIn(facts)?.peakLive;
  return peaks && (argument === '' ? most(peaks) : peaks[Number(argument)]);
}

/** Bytes of one micro-batch's activations that one stage sends to the next. */
const bytesPerHop = ({ trace }: Facts): number | undefined =>
  trace?.events.find(({ kind, action }) => kind === 'send' && action?.kind === 'F')?.bytes;

export const PIPELINE_QUANTITIES = {
  stages: { label: 'stages', format: 'count', of: (facts) => scheduleOf(facts)?.schedule.stages },
  microBatches: {
    label: 'micro-batches',
    format: 'count',
    of: (facts) => scheduleOf(facts)?.schedule.microBatches,
  },
  /** Counted in the picture, where a forward takes 1 unit of time, a backward 2, and a message none. */
  bubble: { label: 'bubble', format: 'percent', of: (facts) => timingIn(facts)?.bubble },
  bubbleByFormula: { label: 'bubble by formula', format: 'percent', of: bubbleByFormula },
  bubbleOfRun: { label: 'bubble of the run, modelled', format: 'percent', of: bubbleOfRun },
  makespan: {
    label: 'length of the schedule, in forward passes',
    format: 'count',
    of: (facts) => timingIn(facts)?.makespan,
  },
  /** The number of (stage, micro-batch) pairs, on the rank that keeps the most; `:0`: on rank 0. */
  peakLive: { label: 'activations kept, at most', format: 'count', of: peakLive },
  bytesPerHop: { label: 'bytes from stage to stage, per micro-batch', format: 'bytes', of: bytesPerHop },
} satisfies Readonly<Record<string, Quantity>>;
