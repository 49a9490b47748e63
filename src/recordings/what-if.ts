/**
 * The recorded steps with another bucket cap, or over another link: *modelled*, and to be labelled so wherever they are
 * shown. The model: gradients are ready at the recorded times; a bucket is handed over a fixed time after its last
 * gradient; its all-reduce begins when all ranks have handed it over and a lane is free, and takes latency + bytes /
 * bandwidth; the step ends as long after that as recorded. Communication does not slow down computing. The result
 * includes the model's error on the recording: `error`.
 */
import { LockstepError } from '../base/errors';
import { BUS_FACTOR } from '../protocol/bus-factor';
import { bandwidthText, bytesText, durationText, percentText } from './recorded-numbers';
import type { Recording } from './recording';
import { cutByCap, ddpSteps, type RecordedDdpStep } from './what-if/ddp-steps';
import { fitLink, type LinkModel, transferUs } from './what-if/link-model';

/** A change; at least one field is given. */
export interface WhatIfChange {
  /** In MiB, as DDP's bucket_cap_mb; applies to the first bucket, too. */
  readonly bucketCapMb?: number;
  /** Bus bandwidth in GB/s, as in nccl-tests. */
  readonly busBandwidth?: number;
  /** The latency of a collective of any size; absent: as recorded. */
  readonly latencyUs?: number;
}

export interface ModelledBucket {
  readonly bytes: number;
  /** The time since the step's start on the first rank. */
  readonly startUs: number;
  readonly endUs: number;
}

export interface WhatIfStep {
  readonly step: number;
  /** The step's duration, as means over ranks: recorded, modelled without the change, and modelled with it. */
  readonly recordedUs: number;
  readonly unchangedUs: number;
  readonly changedUs: number;
  readonly before: readonly ModelledBucket[];
  readonly after: readonly ModelledBucket[];
}

export interface WhatIf {
  readonly label: 'modelled';
  readonly change: WhatIfChange;
  readonly steps: readonly WhatIfStep[];
  /** The same, as means over steps. */
  readonly recordedUs: number;
  readonly unchangedUs: number;
  readonly changedUs: number;
  /** The largest difference between the model without the change and the recording, as a share of the recorded step. */
  readonly error: number;
  readonly linkBefore: LinkModel;
  readonly linkAfter: LinkModel;
  readonly ranks: number;
  readonly sentences: readonly string[];
}

/** The small part of a recording that the model needs. */
export interface RecordedSteps {
  readonly steps: readonly RecordedDdpStep[];
  readonly ranks: number;
}

/** Throws if the recording has no steps of DDP. */
export const recordedSteps = (recording: Recording): RecordedSteps => ({
  steps: ddpSteps(recording),
  ranks: recording.ranks.length,
});

export const whatIf = (recording: Recording, change: WhatIfChange): WhatIf =>
  whatIfOf(recordedSteps(recording), change);

export function whatIfOf({ steps, ranks }: RecordedSteps, change: WhatIfChange): WhatIf {
  checkChange(change);
  const transfers = steps.flatMap(({ allReduces }) =>
    allReduces.map(({ bytes, parts }) => {
      const lastUs = Math.max(...parts.map(({ startUs }) => startUs));
      return { bytes, us: Math.max(0, Math.max(...parts.map(({ endUs }) => endUs)) - lastUs) };
    }),
  );
  const linkBefore = fitLink(transfers);
  const linkAfter = changedLink(linkBefore, change, ranks);
  const lanes = concurrency(steps);
  const made = steps.map((step): WhatIfStep => {
    const gradients = step.ranks[0]?.gradients ?? [];
    const cuts =
      change.bucketCapMb === undefined ? step.cuts : cutByCap(gradients, Math.floor(change.bucketCapMb * 2 ** 20));
    const unchanged = play(step, step.cuts, linkBefore, lanes);
    const changed = play(step, cuts, linkAfter, lanes);
    return {
      step: step.step,
      recordedUs: mean(step.ranks.map(({ startUs, endUs }) => endUs - startUs)),
      unchangedUs: unchanged.stepUs,
      changedUs: changed.stepUs,
      before: unchanged.buckets,
      after: changed.buckets,
    };
  });
  const [recordedUs, unchangedUs] = [mean(made.map((s) => s.recordedUs)), mean(made.map((s) => s.unchangedUs))];
  const changedUs = mean(made.map((s) => s.changedUs));
  const error = Math.max(...made.map((s) => Math.abs(s.unchangedUs - s.recordedUs) / s.recordedUs));
  const found = { label: 'modelled', change, steps: made, recordedUs, unchangedUs, changedUs, error } as const;
  const result = { ...found, linkBefore, linkAfter, ranks };
  return { ...result, sentences: sentencesOf(result) };
}

function checkChange({ bucketCapMb, busBandwidth, latencyUs }: WhatIfChange): void {
  const refuse = (what: string, value: number): never => {
    throw new LockstepError('config', `${what} must be a number above 0, not ${value}.`);
  };
  if (bucketCapMb !== undefined && !(bucketCapMb > 0)) refuse('The bucket cap (MiB)', bucketCapMb);
  if (busBandwidth !== undefined && !(busBandwidth > 0)) refuse('The bandwidth (GB/s)', busBandwidth);
  if (latencyUs !== undefined && !(latencyUs >= 0)) refuse('The latency (µs)', latencyUs);
}

function changedLink(before: LinkModel, { busBandwidth, latencyUs }: WhatIfChange, ranks: number): LinkModel {
  if (busBandwidth === undefined && latencyUs === undefined) return before;
  const algorithm = busBandwidth === undefined ? undefined : busBandwidth / BUS_FACTOR.allReduce(ranks);
  return {
    ...before,
    from: 'given',
    latencyUs: latencyUs ?? before.latencyUs,
    algorithmBandwidth: algorithm ?? before.algorithmBandwidth,
  };
}

/** The most all-reduces that ran at once on a rank: one on NCCL's stream, one per thread of gloo. */
function concurrency(steps: readonly RecordedDdpStep[]): number {
  const lanes = new Set(steps.flatMap(({ allReduces }) => allReduces.flatMap(({ parts }) => parts[0]?.lane ?? [])));
  return Math.max(1, lanes.size);
}

function play(
  { ranks }: RecordedDdpStep,
  cuts: readonly number[],
  link: LinkModel,
  lanes: number,
): { readonly stepUs: number; readonly buckets: readonly ModelledBucket[] } {
  const free = Array.from({ length: lanes }, () => Number.NEGATIVE_INFINITY);
  const originUs = ranks[0]?.startUs ?? 0;
  const buckets = cuts.map((end, k): ModelledBucket => {
    const begin = cuts[k - 1] ?? 0;
    const bytes = (ranks[0]?.gradients ?? []).slice(begin, end).reduce((sum, of) => sum + of.bytes, 0);
    const handed = ranks.map(({ gradients, handoverUs }) => {
      const ready = gradients.slice(begin, end).reduce((last, { readyUs }) => Math.max(last, readyUs), 0);
      return ready + handoverUs;
    });
    // All ranks use lanes in the same order: the lane that is free first.
    const lane = free.indexOf(Math.min(...free));
    const startUs = Math.max(free[lane] ?? 0, ...handed);
    const endUs = startUs + transferUs(link, bytes);
    free[lane] = endUs;
    return { bytes, startUs: startUs - originUs, endUs: endUs - originUs };
  });
  const lastUs = originUs + buckets.reduce((last, { endUs }) => Math.max(last, endUs), 0);
  const took = ranks.map(({ gradients, tailUs, startUs }) => {
    return Math.max(gradients.at(-1)?.readyUs ?? 0, lastUs) + tailUs - startUs;
  });
  return { stepUs: mean(took), buckets };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function sentencesOf(found: Omit<WhatIf, 'sentences'>): readonly string[] {
  const { change, steps, recordedUs, unchangedUs, changedUs, error, linkBefore, linkAfter, ranks } = found;
  const [first] = steps;
  const count = (buckets: readonly ModelledBucket[]): string =>
    `${buckets.length} bucket${buckets.length === 1 ? '' : 's'}`;
  const sizes = (buckets: readonly ModelledBucket[]): string =>
    bytesText(Math.max(...buckets.map(({ bytes }) => bytes)));
  const bus = ({ algorithmBandwidth }: LinkModel): string =>
    Number.isFinite(algorithmBandwidth) ? bandwidthText(algorithmBandwidth * BUS_FACTOR.allReduce(ranks)) : 'no limit';
  const linkText = (link: LinkModel): string => `${durationText(link.latencyUs)} + bytes at ${bus(link)} (bus)`;
  const gain = (unchangedUs - changedUs) / unchangedUs;
  const verdict =
    Math.abs(gain) < 0.005
      ? 'no change'
      : `${percentText(Math.abs(gain))} ${gain > 0 ? 'shorter' : 'longer'}${Math.abs(gain) <= error ? ', which is less than the error of the model' : ''}`;
  const sameCut = first?.before.every(({ bytes }, k) => first.after[k]?.bytes === bytes) === true;
  const cap =
    change.bucketCapMb === undefined || !first
      ? []
      : sameCut && first.before.length === first.after.length
        ? [`The cap of ${change.bucketCapMb} MiB gives the same ${count(first.before)} as in the recording.`]
        : [
            `${count(first.before)} of up to ${sizes(first.before)} ${first.before.length === 1 ? 'becomes' : 'become'} ${count(first.after)} of up to ${sizes(first.after)}.`,
          ];
  return [
    `Modelled: a step takes ${durationText(changedUs)} instead of ${durationText(unchangedUs)}, ${verdict}.`,
    ...cap,
    `An all-reduce takes ${linkText(linkBefore)}${linkBefore.sizes < 2 ? ', fitted to one size, so the latency is not known' : ''}${linkAfter === linkBefore ? '' : `; changed: ${linkText(linkAfter)}`}.`,
    `Check: without the change the model gives ${durationText(unchangedUs)} for a step, the recording ${durationText(recordedUs)}. For a single step the model is wrong by up to ${percentText(error)}.`,
  ];
}
