/**
 * Expands views: buffers that are only a name for consecutive other buffers (a DDP bucket whose memory is its
 * gradients). Each transfer of a stretch of a view becomes transfers of the parts, on both sides alike, so the same
 * elements are combined in the same order. Called by the builder as it finishes.
 */
import { LockstepError } from '../base/errors';
import { at, must } from '../base/invariant';
import type { DeviceIndex, Slice } from '../protocol/trace';
import { elements } from '../tensor/shape';
import type { Instruction, Lane, Recv, Send } from './instruction';
import { accessedBuffers } from './instruction-access';

type Views = ReadonlyMap<string, readonly string[]>;
type Transfer = Send | Recv;

export function expandViews(
  lanes: readonly Lane[],
  views: ReadonlyMap<DeviceIndex, Views>,
  nextId: () => number,
): readonly Lane[] {
  if (views.size === 0) return lanes;
  const cuts = new Map(lanes.map((lane) => [lane.device, cutsOn(lane, views.get(lane.device))]));
  return lanes.map((lane) => {
    const own = views.get(lane.device);
    return {
      ...lane,
      buffers: lane.buffers.filter(({ name }) => !own?.has(name)),
      instructions: lane.instructions.flatMap((i) => expanded(i, own, cuts, lane.device, nextId)),
    };
  });
}

/** Where the parts of each view begin, and its end. */
type Cuts = ReadonlyMap<string, readonly number[]>;

function cutsOn({ buffers }: Lane, views: Views = new Map()): Cuts {
  const specs = new Map(buffers.map((b) => [b.name, b]));
  return new Map(
    [...views].map(([name, parts]) => {
      let end = 0;
      return [name, [0, ...parts.map((part) => (end += elements(must(specs.get(part), part).shape)))]];
    }),
  );
}

/**
 * The two devices of a transfer have the same view. Other devices may have another view of the same name, as the tensor
 * ranks with unequal parts do.
 */
function expanded(
  i: Instruction,
  own: Views | undefined,
  cuts: ReadonlyMap<DeviceIndex, Cuts>,
  device: DeviceIndex,
  nextId: () => number,
): readonly Instruction[] {
  const transfer = i.kind === 'send' || i.kind === 'recv';
  const starts = transfer
    ? (cuts.get(device)?.get(i.slice.buffer) ?? cuts.get(i.peer)?.get(i.slice.buffer))
    : undefined;
  if (transfer && starts) return inParts(i, own?.get(i.slice.buffer), starts, nextId);
  const view = accessedBuffers(i).find((name) => own?.has(name));
  if (view === undefined) return [i];
  throw new LockstepError(
    'config',
    `gradient_as_bucket_view: ${i.kind === 'compute' ? i.op : i.kind} needs ${view} as one contiguous buffer, but with gradientAsBucketView the gradients are stored in it.`,
    'Choose the algorithm ring or naive and the hook allreduce, or set ddp.gradientAsBucketView to false.',
  );
}

function inParts(
  i: Transfer,
  parts: readonly string[] | undefined,
  starts: readonly number[],
  nextId: () => number,
): readonly Instruction[] {
  const { slice, signals, ...rest } = i;
  const end = slice.offset + slice.length;
  const slices: Slice[] = [];
  for (let part = 0; part + 1 < starts.length; part++) {
    const [first, last] = [at(starts, part), at(starts, part + 1)];
    const from = Math.max(first, slice.offset);
    const length = Math.min(last, end) - from;
    if (length <= 0) continue;
    slices.push(parts ? { buffer: at(parts, part), offset: from - first, length } : { ...slice, offset: from, length });
  }
  return slices.map((own, k) => ({
    ...rest,
    id: k === 0 ? i.id : nextId(),
    slice: own,
    tag: `${i.tag}/${k}`,
    bytes: (i.bytes / slice.length) * own.length,
    flops: i.flops === 0 ? 0 : own.length,
    ...(signals !== undefined && k === slices.length - 1 ? { signals } : {}),
  }));
}
