/** The numbers of two runs at the same step, and their differences, as rows of the table with explanations. Pure. */
import type { SessionInfo } from '../../protocol/session-info';
import type { Snapshot } from '../../protocol/snapshot';
import type { Clock, StepTrace } from '../../protocol/trace';
import { metricsOf } from '../../trace/metrics';
import {
  formatBytes,
  formatCount,
  formatLoss,
  formatPercent,
  formatSize,
  formatSmall,
  formatTime,
} from '../draw/format';

/** The numbers of one run at the step. */
export interface SideFacts {
  readonly stepUs: number;
  readonly bytes: number;
  readonly messages: number;
  /** The hidden share of communication, 0..1; undefined without communication. */
  readonly hidden: number | undefined;
  readonly peakBytes: number;
  readonly loss: number;
  /** The ids of the batch's rows. */
  readonly samples: ReadonlySet<number>;
}

export interface DifferenceRow {
  readonly name: string;
  /** An explanation in one line. */
  readonly about: string;
  readonly a: string;
  readonly b: string;
  /** B compared with A. */
  readonly difference: string;
}

/** The numbers over all micro-batches of one step. */
export function factsOf(traces: readonly StepTrace[], clock: Clock, info: SessionInfo): SideFacts | undefined {
  const last = traces.at(-1);
  if (!last) return undefined;
  const parts = traces.map((trace) => metricsOf(trace, clock, info));
  const sum = (of: (part: (typeof parts)[number]) => number) => parts.reduce((total, part) => total + of(part), 0);
  const communication = sum(({ use }) => use.reduce((total, { commUs }) => total + commUs, 0));
  const overlap = sum(({ use }) => use.reduce((total, { overlapUs }) => total + overlapUs, 0));
  const losses = traces.map((trace) => trace.losses.loss);
  return {
    stepUs: sum(({ stepUs }) => stepUs),
    bytes: sum(({ traffic }) => traffic.total),
    messages: traces.reduce((total, { events }) => total + events.filter(({ kind }) => kind === 'send').length, 0),
    hidden: communication > 0 ? overlap / communication : undefined,
    peakBytes: Math.max(...info.memory.map(({ peakBytes }) => peakBytes)),
    loss: losses.reduce((total, loss) => total + loss, 0) / losses.length,
    samples: new Set(traces.flatMap((trace) => trace.samples.flat())),
  };
}

const ratios = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });

/** 'B: 3.5 times A'. */
function ratioOf(a: number, b: number): string {
  if (a === b) return 'the same';
  if (a === 0 || b === 0) return `only ${a === 0 ? 'B' : 'A'}`;
  return b > a ? `× ${ratios.format(b / a)}` : `÷ ${ratios.format(a / b)}`;
}

const inCommon = (a: SideFacts, b: SideFacts): number => [...a.samples].filter((id) => b.samples.has(id)).length;

/** Whether both train on the same rows in this step. */
export const sameSamples = (a: SideFacts, b: SideFacts): boolean =>
  a.samples.size === b.samples.size && inCommon(a, b) === a.samples.size;

const signed = (difference: number, print: (value: number) => string): string =>
  difference === 0 ? 'the same' : `${difference < 0 ? '−' : '+'}${print(Math.abs(difference))}`;

export function differencesOf(a: SideFacts, b: SideFacts, clock: Clock): readonly DifferenceRow[] {
  const byRatio = (
    name: string,
    about: string,
    of: (facts: SideFacts) => number,
    print: (value: number) => string,
  ) => ({
    name,
    about,
    a: print(of(a)),
    b: print(of(b)),
    difference: ratioOf(of(a), of(b)),
  });
  return [
    byRatio('Step time', `from the first to the last event of the step, ${clock}`, (f) => f.stepUs, formatTime),
    byRatio('Bytes', 'sent in the step, by all devices together', (f) => f.bytes, formatBytes),
    byRatio('Messages', 'sends in the step, by all devices together', (f) => f.messages, formatCount),
    {
      name: 'Hidden',
      about: 'share of the communication during which the device also computes',
      a: formatPercent(a.hidden),
      b: formatPercent(b.hidden),
      difference:
        a.hidden === undefined || b.hidden === undefined
          ? '–'
          : signed(Math.round(100 * (b.hidden - a.hidden)), (points) => `${points} points`),
    },
    byRatio('Memory', 'reserved on the fullest device', (f) => f.peakBytes, formatSize),
    {
      name: 'Samples',
      about: 'rows of the data in this step’s batch, on all devices together',
      a: formatCount(a.samples.size),
      b: formatCount(b.samples.size),
      difference: sameSamples(a, b) ? 'the same' : `${formatCount(inCommon(a, b))} in common`,
    },
    {
      name: 'Loss',
      about: 'of this step’s batch, before its update',
      a: formatLoss(a.loss),
      b: formatLoss(b.loss),
      difference: signed(b.loss - a.loss, formatSmall),
    },
  ];
}

/** max |w_A - w_B|, if both hold the same parameters after the same step. */
export function weightDifference(a: Snapshot | undefined, b: Snapshot | undefined): number | undefined {
  if (!a || !b || a.step !== b.step || a.parameters.length !== b.parameters.length) return undefined;
  let most = 0;
  for (const [index, mine] of a.parameters.entries()) {
    const theirs = b.parameters[index];
    if (theirs?.length !== mine.length) return undefined;
    for (let i = 0; i < mine.length; i++) {
      const difference = Math.abs((mine[i] ?? 0) - (theirs[i] ?? 0));
      // NaN is returned at once: a comparison would ignore it.
      if (Number.isNaN(difference)) return difference;
      most = Math.max(most, difference);
    }
  }
  return most;
}
