/**
 * Tensors of norm layers seen as [batch, channels, plane], and how sums and maps over them are split into parts, one
 * per invocation: part (slice, lane) of a channel is every `slices`-th batch row and, there, every `lanes`-th element
 * (or vector of four) of the plane. The shaders under shaders/norm and the CPU kernels use the same parts.
 */
import { LockstepError } from '../../../base/errors';
import { elements, formatShape, type Shape, sameShape } from '../../../tensor/shape';
import type { TensorType } from '../../op';

export interface ChannelView {
  readonly batch: number;
  readonly channels: number;
  /** Contiguous elements of one (batch, channel) pair: height times width. */
  readonly plane: number;
}

export interface Split extends ChannelView {
  readonly slices: number;
  readonly lanes: number;
  /** Neighbours per lane at a time: 4 with the kernels `-vec4`, if 4 divides the plane. */
  readonly width: 1 | 4;
}

/** Elements that one invocation sums: enough to be worth an invocation, few enough for one float32 accumulator. */
const PART = 128;
/** Most parts of a channel, because one invocation combines them all. */
const MOST_PARTS = 256;
/** Elements that one invocation maps. */
const MAPPED = 32;
/** Neighbouring invocations that read one plane side by side. */
const RUN = 32;

/** [N, C, ...]; refuses an empty batch. */
export function viewOf(shape: Shape): ChannelView {
  if (shape.length < 2)
    throw new LockstepError(
      'shape',
      `expected at least 2D input (got ${shape.length}D input)`,
      'Pass an input of shape [N, C, ...].',
    );
  if (elements(shape) === 0)
    throw new LockstepError(
      'shape',
      `a norm layer got an empty input of size ${formatShape(shape)}`,
      'A batch needs at least one row.',
    );
  const [batch = 1, channels = 1, ...rest] = shape;
  return { batch, channels, plane: elements(rest) };
}

export const splitForSums = (view: ChannelView): Split => split(view, PART, MOST_PARTS, widthOf(view));
/** `width`: 1 for kernels without a vector version. */
export const splitForMap = (view: ChannelView, width = widthOf(view)): Split =>
  split(view, MAPPED, Number.POSITIVE_INFINITY, width);

const widthOf = ({ plane }: ChannelView): 1 | 4 => (plane % 4 === 0 ? 4 : 1);

/**
 * The number of lanes for a run: `run` lanes, or up to twice as many if all lanes then get equally much work, so that
 * neighbouring lanes end together.
 */
function evenly(run: number, lanes: number, most: number): number {
  for (let more = lanes; more <= Math.min(2 * lanes, most); more++) if (run % more === 0) return more;
  return lanes;
}

function split(view: ChannelView, perPart: number, most: number, width: 1 | 4): Split {
  const { batch, plane } = view;
  const parts = Math.min(most, Math.ceil((batch * plane) / perPart));
  const lanes = evenly(plane / width, Math.max(1, Math.min(parts, plane / width, Math.ceil(plane / RUN))), most);
  const slices = Math.max(1, Math.min(batch, Math.ceil(parts / lanes), Math.floor(most / lanes)));
  return { ...view, lanes, slices, width };
}

export const partsOf = (s: Split): number => s.slices * s.lanes;
export const invocationsOf = (s: Split): number => s.slices * s.lanes * s.channels;
export const splitParams = (s: Split): number[] => [s.batch, s.channels, s.plane / s.width, s.slices, s.lanes];
/** Scratch of a split sum: two numbers per part. */
export const partialType = (s: Split): TensorType => ({ shape: [2, s.channels, partsOf(s)], dtype: 'f32' });
export const perChannel = (channels: number): TensorType => ({ shape: [channels], dtype: 'f32' });

/** Throws in the words of torch's C++ checks: `weight should contain 8 elements not 4`. */
export function expectPerChannel(
  types: readonly (TensorType | undefined)[],
  names: readonly string[],
  channels: number,
) {
  types.forEach((type, i) => {
    if (!type || sameShape(type.shape, [channels])) return;
    const found = elements(type.shape);
    throw new LockstepError(
      'shape',
      `${names[i] ?? 'weight'} should contain ${channels} elements not ${found}`,
      'A norm layer has one number per channel; the channels are the second dimension of its input.',
    );
  });
}

/** Training normalises with the statistics of the batch: torch refuses a single value, whose variance is undefined. */
export function expectSeveralValues(size: Shape, printed = `torch.Size(${formatShape(size)})`): void {
  const [batch = 1, , ...rest] = size;
  if (batch * elements(rest) > 1) return;
  throw new LockstepError(
    'shape',
    `Expected more than 1 value per channel when training, got input size ${printed}`,
    'Use a batch of at least two samples, or drop a last batch of one sample (drop_last).',
  );
}
