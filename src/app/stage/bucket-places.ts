/**
 * The buckets of a step, with the chunks into which the step's transfers cut them. Pure; called by the scene once per
 * trace.
 */
import type { SessionInfo } from '../../protocol/session-info';
import { hasMicroBatch } from '../../protocol/step-kind';
import type { Slice, StepTrace } from '../../protocol/trace';
import { elements } from './devices';

export interface BucketPlace {
  readonly index: number;
  /** The bucket's flat tensor, or, if each .grad is a view of the bucket, all these gradients in order. */
  readonly buffers: readonly string[];
  readonly length: number;
  /** The chunks; each is a slice of one tensor. */
  readonly chunks: readonly Slice[];
  /** The bucket's parameters, in order. */
  readonly parameters: readonly { readonly name: string; readonly offset: number; readonly length: number }[];
}

/** The parameters of a bucket in order, as the mode describes them. */
export function bucketContents(
  info: Pick<SessionInfo, 'buckets' | 'parameters'>,
  trace: StepTrace,
  index: number,
): Pick<BucketPlace, 'length' | 'parameters'> {
  const before = hasMicroBatch(trace.kind, ({ beforeRebuild }) => beforeRebuild);
  const own = (before ? info.buckets?.initial : info.buckets?.rebuilt) ?? info.buckets?.initial ?? [];
  let length = 0;
  const parameters = (own[index]?.parameters ?? []).map((name) => {
    const size = elements(info.parameters.find((p) => p.name === name)?.shape ?? [0]);
    length += size;
    return { name, offset: length - size, length: size };
  });
  return { length, parameters };
}

/** Where the transfers of a step cut a buffer. */
function cutBy(trace: StepTrace, buffer: string): readonly Slice[] {
  const cuts = new Map<number, Slice>();
  for (const { slice } of trace.events) if (slice?.buffer === buffer && slice.length > 0) cuts.set(slice.offset, slice);
  return [...cuts.values()].sort((a, b) => a.offset - b.offset);
}

/**
 * The step's buckets, in the order in which they are sent, with contents from the mode and chunks from the bucket's
 * transfers. A packed bucket is one buffer; with gradient_as_bucket_view each gradient is sent from its place.
 */
export function placeBuckets(info: SessionInfo, trace: StepTrace | undefined): readonly BucketPlace[] {
  if (!trace) return [];
  const own = trace.events.filter((e) => e.device === 0);
  const packs = own.filter((e) => e.name === 'ddp/pack');
  if (packs.length === 0) return viewedBuckets(info, trace, own);
  return packs.flatMap((pack, order): BucketPlace[] => {
    const buffer = pack.writes[0];
    if (buffer === undefined) return [];
    const index = pack.bucket ?? order;
    const { length, parameters } = bucketContents(info, trace, index);
    const chunks = cutBy(trace, buffer);
    const whole = { buffer, offset: 0, length };
    return [{ index, buffers: [buffer], length, parameters, chunks: chunks.length > 0 ? chunks : [whole] }];
  });
}

function viewedBuckets(info: SessionInfo, trace: StepTrace, own: StepTrace['events']): readonly BucketPlace[] {
  const sent = new Map<number, Set<string>>();
  for (const { bucket, slice } of own) {
    if (bucket === undefined || !slice) continue;
    sent.set(bucket, (sent.get(bucket) ?? new Set<string>()).add(slice.buffer));
  }
  return [...sent].flatMap(([index, names]): BucketPlace[] => {
    const { length, parameters } = bucketContents(info, trace, index);
    const buffers = parameters.map(({ name }) => `${name}.grad`);
    // A communication hook sends a buffer of its own, so it has no views.
    if (![...names].every((name) => buffers.includes(name))) return [];
    return [{ index, buffers, length, parameters, chunks: buffers.flatMap((buffer) => cutBy(trace, buffer)) }];
  });
}

/** '2.weight, 2.bias': the parameters that overlap this slice of the bucket. */
export function parametersIn({ buffers, parameters }: BucketPlace, slice: Slice): readonly string[] {
  return parameters
    .filter(({ name, offset, length }) =>
      buffers.length > 1
        ? `${name}.grad` === slice.buffer
        : offset < slice.offset + slice.length && slice.offset < offset + length,
    )
    .map((p) => p.name);
}
