/**
 * The times of each gradient bucket in a traced step, on one device: when its gradients arrive, when it is full, when
 * its all-reduce begins and ends, and what it waits for in between. Derived from the events alone. Pure;
 * bucket-rows.tsx draws them.
 */
import type { BucketInfo, BucketsInfo } from '../../protocol/session-info';
import { hasMicroBatch, type StepKind } from '../../protocol/step-kind';
import type { Clock, DeviceIndex, StepTrace, TraceEvent } from '../../protocol/trace';
import { endUs, spanOf } from '../../trace/lanes';

export interface GradientArrival {
  readonly parameter: string;
  readonly atUs: number;
}

export interface BucketTimes {
  readonly index: number;
  readonly bytes: number;
  /** The gradients in the order of their arrival. */
  readonly arrivals: readonly GradientArrival[];
  /** The time at which the last gradient arrived. */
  readonly fullUs: number;
  /** The time at which the bucket was packed and could be sent. */
  readonly packedUs: number;
  readonly reduceStartUs: number;
  readonly reduceEndUs: number;
  /**
   * Why the all-reduce did not start at once: 'order', an earlier bucket was not full; 'queue', the previous all-reduce
   * was still running; 'backward', overlap is off; undefined: it started at once.
   */
  readonly waitsFor: 'order' | 'queue' | 'backward' | undefined;
  /** The bucket's events on all devices. */
  readonly events: readonly number[];
}

/** The buckets that a step of this kind uses. */
export const bucketsOfStep = ({ initial, rebuilt }: BucketsInfo, kind: StepKind | undefined): readonly BucketInfo[] =>
  rebuilt === undefined || (kind && hasMicroBatch(kind, ({ beforeRebuild }) => beforeRebuild)) ? initial : rebuilt;

const moves = (e: TraceEvent) => e.name === 'ddp/pack' || e.name === 'ddp/unpack';

export function bucketTimes(
  trace: StepTrace,
  clock: Clock,
  device: DeviceIndex,
  buckets: readonly BucketInfo[],
  overlap: boolean,
): readonly BucketTimes[] {
  const own = trace.events.flatMap((e, i) => (e.device === device ? [{ e, i, span: spanOf(trace, clock, i) }] : []));
  const backward = own.filter(({ e }) => e.phase === 'backward' && e.kind === 'compute' && !moves(e));
  const arrivalOf = (parameter: string): GradientArrival[] => {
    const gradient = `${parameter}.grad`;
    const writes = backward.filter(({ e }) => e.writes.some((w) => w === gradient || w.startsWith(`${gradient}.`)));
    const last = writes.at(-1);
    return last ? [{ parameter, atUs: endUs(last.span) }] : [];
  };
  const found: BucketTimes[] = [];
  buckets.forEach(({ bytes, parameters }, index) => {
    const reduce = own.filter(({ e }) => e.bucket === index && e.queue === 'comm');
    const pack = own.find(({ e }) => e.bucket === index && e.name === 'ddp/pack');
    const arrivals = parameters.flatMap(arrivalOf).sort((a, b) => a.atUs - b.atUs);
    // A single rank, or a pass without a reduction, sends nothing.
    const reduceStartUs = Math.min(...reduce.map(({ span }) => span.startUs));
    if (reduce.length === 0 || !Number.isFinite(reduceStartUs)) return;
    const packedUs = pack ? endUs(pack.span) : (arrivals.at(-1)?.atUs ?? reduceStartUs);
    const fullUs = arrivals.at(-1)?.atUs ?? packedUs;
    const before = found.at(-1);
    const slack = 1e-6;
    const waits = reduceStartUs > packedUs + slack || packedUs > fullUs + (pack?.span.durUs ?? 0) + slack;
    const late = found.some((other) => other.fullUs > fullUs + slack);
    const queued = before !== undefined && before.reduceEndUs > packedUs + slack;
    found.push({
      index,
      bytes,
      arrivals,
      fullUs,
      packedUs,
      reduceStartUs,
      reduceEndUs: Math.max(...reduce.map(({ span }) => endUs(span))),
      waitsFor: !waits ? undefined : late ? 'order' : !overlap && !before ? 'backward' : queued ? 'queue' : undefined,
      events: trace.events.flatMap((e, i) => (e.bucket === index ? [i] : [])),
    });
  });
  return found;
}

export function waitText(bucket: BucketTimes): string {
  const before = bucket.index - 1;
  switch (bucket.waitsFor) {
    case 'order':
      return `full, but bucket ${before} is not: buckets are launched in order`;
    case 'queue':
      return `packed, but the all-reduce of bucket ${before} still runs`;
    case 'backward':
      return 'packed, but with overlap off every all-reduce waits for the end of backward';
    default:
      return 'starts as soon as it is packed';
  }
}
