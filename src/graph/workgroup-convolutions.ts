/**
 * Kernels of shaders/workgroup that replace 3 x 3 convolutions and their gradients on GPUs with fast workgroup memory.
 * They have the bits of the plain kernels, except for the gradient of a bias. Called by workgroup-launches.ts.
 */
import { at } from '../base/invariant';
import { grid } from './launch';
import type { DenseLaunch, Launch } from './op';

/** A workgroup's tile: pixels per side, and groups of four output channels. */
const SIDE = 16;

const numbers = ({ params }: DenseLaunch): readonly number[] => params.map(Number);

export function convolution(launch: DenseLaunch): DenseLaunch {
  const [n = 0, columnTiles = 0, rowTiles = 0, channelTiles = 0, , , outChannels = 0, , , outHeight = 0, outWidth = 0] =
    numbers(launch);
  const images = n / columnTiles / rowTiles / channelTiles; // of all groups
  const QUADS = outChannels <= 8 ? 2 : 4;
  const tiles = [outWidth / SIDE, outHeight / SIDE, outChannels / 4 / QUADS].map(Math.ceil);
  const workgroups = tiles.reduce((product, count) => product * count, images);
  return {
    ...launch,
    kernel: 'workgroup/conv2d-3x3',
    constants: { ...launch.constants, QUADS },
    params: [workgroups, ...tiles, ...launch.params.slice(4)],
    workgroups: grid(workgroups, 1),
  };
}

/** The widest row that fits into workgroup memory. */
const WIDEST_ROW = 64;

const isGradient = (launch: Launch | undefined): launch is DenseLaunch =>
  launch?.kind === 'dense' && launch.kernel === 'conv/conv2d-grad-params-3x3' && at(numbers(launch), 11) <= WIDEST_ROW;

const isChannelSum = (launch: Launch | undefined): boolean =>
  launch?.kernel === 'conv/channel-sums' || launch?.kernel === 'conv/channel-sums-vec4';

/** Fewest rows of a part. Shorter parts would cost more border rows and more sums of parts. */
const LEAST_ROWS = 8;

/** Merges several parts of the gradient into one. The kernels and their results stay the same. */
export function withLongParts(launches: readonly Launch[]): readonly Launch[] {
  const [gradient] = launches;
  if (!isGradient(gradient)) return launches;
  const [n = 0, rows = 0, , channelTiles = 0, batch = 0, groups = 0, inChannels = 0] = numbers(gradient);
  const outHeight = at(numbers(gradient), 10);
  const parts = n / channelTiles / groups / inChannels;
  const longer = rows * Math.ceil(LEAST_ROWS / rows);
  const fewer = Math.ceil((batch * outHeight) / longer);
  return launches.map((launch): Launch => {
    if (launch.kind !== 'dense') return launch;
    const [first = 0, , ...others] = launch.params;
    if (launch.kernel === 'conv/add-parts') return { ...launch, params: [first, fewer, ...others] };
    if (launch !== gradient && !isChannelSum(launch)) return launch;
    const count = (Number(first) / parts) * fewer;
    return { ...launch, params: [count, longer, ...others], workgroups: grid(count) };
  });
}

/** `after`: the second launch after this one. If it sums the gradient of the bias, this kernel does that as well. */
export function convolutionGradient(launch: DenseLaunch, after: Launch | undefined): DenseLaunch | undefined {
  if (!isGradient(launch)) return undefined;
  const [n = 0, , , channelTiles = 0, , groups = 0, inChannels = 0, outChannels = 0] = numbers(launch);
  const parts = n / channelTiles / groups / inChannels;
  const tiles = Math.ceil(outChannels / 16);
  const workgroups = parts * groups * tiles * Math.ceil(inChannels / 8);
  const [, rows = 0, length = 0, , ...sizes] = launch.params;
  return {
    ...launch,
    kernel: 'workgroup/conv2d-grad-params-3x3',
    params: [workgroups, rows, length, tiles, ...sizes, isChannelSum(after) ? 1 : 0],
    workgroups: grid(workgroups, 1),
  };
}

/** Whether the gradient two launches before (`before`) computes this sum over pixels as well. */
export const isInGradient = (launch: Launch, before: Launch | undefined): boolean =>
  isChannelSum(launch) && isGradient(before);
