/**
 * Sizes of a mesh's axes and the arithmetic of its ranks: the position of a rank, and the ranks that share a line or a
 * batch with it. Everything follows from the settings, so the page knows it before any session. Called by
 * mesh/device-mesh, by the modes and by the page's picture of the mesh.
 */
import type { Config, Mode } from './config';
import { AXES, type Axis, DATA_AXES } from './mesh';

/** Number of ranks along each axis. */
export type MeshShape = Readonly<Record<Axis, number>>;
/** Position of a rank on each axis. */
export type Coordinate = Readonly<Record<Axis, number>>;

/** Axes without a size have one rank. */
export const shapeOf = (sizes: Partial<MeshShape>): MeshShape => ({
  pp: 1,
  dpReplicate: 1,
  dpShard: 1,
  cp: 1,
  tp: 1,
  ...sizes,
});

export type MeshSettings = Pick<Config, 'mesh' | 'worldSize' | 'mode'>;

/** The main axis of a mode's mesh: without a given size, it gets the remaining devices. */
export const openAxis = (mode: Mode): OpenAxis => OPEN_AXES[mode] ?? 'pp';

/** Axes whose size may be left open. */
export type OpenAxis = 'pp' | 'dpShard' | 'tp';
/** The modes whose mesh the settings size; the section `mesh` has no effect in the others. */
const OPEN_AXES: Readonly<Partial<Record<Mode, OpenAxis>>> = { pipeline: 'pp', tensor: 'tp', sharded: 'dpShard' };

/** The axis of a mode whose ranks lie along one axis, as many as there are devices. */
const LINES: Readonly<Partial<Record<Mode, Axis>>> = { ddp: 'dpReplicate' };

/** The size of each axis; an open axis without a size gets the remaining devices. */
export function meshSizes({ mesh, worldSize, mode }: MeshSettings): MeshShape {
  const [open, line] = [OPEN_AXES[mode], LINES[mode]];
  if (open === undefined) return shapeOf(line ? { [line]: worldSize } : {});
  const { pp = 1, dpShard = 1, tp = 1, ...given } = mesh;
  const others = shapeOf({ ...given, pp, dpShard, tp, [open]: 1 });
  return { ...others, [open]: mesh[open] ?? Math.max(1, Math.floor(worldSize / ranksOf(others))) };
}

export const ranksOf = (shape: MeshShape): number => sizeAlong(AXES, shape);

const sizeAlong = (axes: readonly Axis[], shape: MeshShape): number =>
  axes.reduce((size, axis) => size * shape[axis], 1);

/** Row-major, as torch lays ranks on a mesh: the last axis is innermost. */
export function placeOf(rank: number, shape: MeshShape): Coordinate {
  const place = { pp: 0, dpReplicate: 0, dpShard: 0, cp: 0, tp: 0 };
  let rest = rank;
  for (const axis of AXES.toReversed()) {
    place[axis] = rest % shape[axis];
    rest = Math.floor(rest / shape[axis]);
  }
  return place;
}

/** The rank at a coordinate, which must be inside the mesh. */
export const rankAt = (place: Coordinate, shape: MeshShape): number =>
  AXES.reduce((rank, axis) => rank * shape[axis] + place[axis], 0);

/** Ranks that differ from this one only along these axes, ascending: a line, or with several axes a plane. */
export const ranksAlong = (axes: readonly Axis[], place: Coordinate, shape: MeshShape): readonly number[] =>
  axes
    .reduce<readonly Coordinate[]>(
      (found, axis) => found.flatMap((each) => Array.from({ length: shape[axis] }, (_, k) => ({ ...each, [axis]: k }))),
      [place],
    )
    .map((each) => rankAt(each, shape))
    .sort((a, b) => a - b);

/** Ranks with the same number train on the same batch: those that differ only in stage, context or tensor part. */
export const dataIndexOf = (place: Coordinate, shape: MeshShape): number =>
  DATA_AXES.reduce((index, axis) => index * shape[axis] + place[axis], 0);

/** Number of different batches per step: one per data index. */
export const dataIndices = (shape: MeshShape): number => sizeAlong(DATA_AXES, shape);

/**
 * Whether fully_shard wraps the layers, so that ranks keep parameters in shards along dpShard: from stage 2 of ZeRO on,
 * and in mode sharded even on one rank.
 */
export const shardsParameters = (config: MeshSettings & Pick<Config, 'sharded'>): boolean =>
  config.sharded.stage >= 2 && (openAxis(config.mode) === 'dpShard' || meshSizes(config).dpShard > 1);

/** Number of parts of a batch on a mesh: the product of the data axes. */
export const replicasOf = (config: MeshSettings): number => dataIndices(meshSizes(config));
