/**
 * The instructions of FSDP's units: gathers, copies and (unit-reducer.ts) reduce-scatters, on every rank. fsdp.ts
 * decides when. Each rank keeps shards for the whole run; a gathered tensor has its own buffer until it is freed. With
 * a MixedPrecisionPolicy, gathered parameters are halves, which are converted to float32 where an operator reads them
 * (emit-halves.ts). A model in bfloat16 has shards that are stored as halves, too (stored.ts).
 */
import { must } from '../../base/invariant';
import { algorithmFor } from '../../collectives/algorithms';
import { runAttrs } from '../../collectives/copied-runs';
import { parameterList } from '../../nn/model';
import type { LaneBuilder, Where } from '../../program/lane-builder';
import { modelHalf, paramHalf } from '../../protocol/half-of';
import type { Group } from '../../protocol/mesh';
import { pieceShape } from '../../sharding/piece';
import { fill } from '../ddp/fill';
import { packedName, packedSpec } from '../emit-halves';
import type { StageUse } from '../step/sync';
import { storedAs } from '../stored';
import { regionsOf } from './pieces';
import { COPY_IN, COPY_OUT, KEEP } from './shard-ops';
import {
  flatBuffer,
  isPadded,
  parametersOn,
  partsToWhole,
  shardsToParts,
  type UnitLayout,
  unitLayout,
  wholeToPart,
} from './unit-layout';
import type { UnitPlace } from './unit-place';
import { unitReducer } from './unit-reducer';
import type { ShardedUnit } from './units';
import { shardGradient, unsharded } from './unsharded-graph';

export type Pass = 'forward' | 'backward';

/** The ranks that gather a unit together. */
interface Gathering {
  readonly ranks: number;
  readonly groups: readonly Group[];
  placeIn(lane: LaneBuilder): number;
  /** Whether they gather the parts that they kept after the forward pass (reshardTo), instead of their shards. */
  readonly few: boolean;
}

export type UnitEmitter = ReturnType<typeof unitEmitter>;

export function unitEmitter({ builder, input, place, rootName = 'root' }: UnitPlace) {
  const regionOf = regionsOf(input.config);
  const shapes = new Map(parameterList(input.config.model.layers).map(({ name, shape }) => [name, shape]));
  const { algorithm } = input.config.ddp;
  const { stage, reshardTo: given } = input.config.sharded;
  const reshardTo = stage === 3 ? given : undefined;
  const { mesh } = builder;
  const groups = [...new Set(place.lanes.map(({ rank }) => mesh.group('dpShard', rank)))];
  const ranks = mesh.shape.dpShard;
  const half = paramHalf(input.config);
  /** The type of the shards. */
  const stored = modelHalf(input.config.precision);
  const placeIn = ({ rank }: LaneBuilder): number => mesh.coordinate(rank).dpShard;
  const all: Gathering = { ranks, groups, placeIn, few: false };
  const few = reshardTo === undefined ? undefined : gatheringOfFew(all, reshardTo);
  const gatheringOf = ({ path }: ShardedUnit, pass: Pass): Gathering =>
    few !== undefined && pass === 'backward' && path !== '' ? few : all;
  /** The last copy-out. The next gather waits for it, so at most two gathered units exist. */
  let copied: string | undefined;
  let waitedFor: string | undefined;

  const label = ({ path }: ShardedUnit): string => (path === '' ? rootName : path);
  const reducer = unitReducer({ builder, input, place, groups, placeIn, label });
  const layoutFor = ({ parameters }: ShardedUnit, by: Gathering): UnitLayout => unitLayout(parameters, by.ranks, half);
  const keptBy = (unit: ShardedUnit): string => `${label(unit)}.kept`;
  /** Names of the buffers of the whole parameters. */
  const wholeNames = ({ parameters }: ShardedUnit): readonly string[] =>
    parameters.map(({ name }) => (half ? packedName(unsharded(name)) : unsharded(name)));

  return {
    endPass(): void {
      reducer.endPass();
      copied = undefined;
      waitedFor = undefined;
    },

    reduce: reducer.reduce,

    /** Declares the shards, which live for the whole run, and their gradients. */
    declare({ works }: StageUse): void {
      for (const { lane, graph } of works)
        for (const { name } of graph.registered) {
          if (!place.lanes.includes(lane)) continue;
          const value = must(
            graph.graph.values.find((each) => each.name === unsharded(name)),
            name,
          );
          if (half) {
            const spec = packedSpec(unsharded(name), value.type.shape, half);
            const shared = graph.ofBatch?.has(unsharded(name)) === true;
            lane.buffer({ ...spec, category: 'unsharded' }, { shared });
          }
          const region = regionOf({ name, shape: must(shapes.get(name), name) }, lane.device);
          const shape = pieceShape(region.piece);
          if (shape[0] === 0) continue;
          const onHost = input.config.sharded.cpuOffload ? { onHost: true as const } : {};
          const tensor = storedAs({ shape, dtype: value.type.dtype }, stored);
          const spec = { ...tensor, persistent: true, region, ...onHost } as const;
          lane.buffer({ ...spec, name, category: 'parameter', pool: 'parameters' });
          lane.buffer({ ...spec, name: shardGradient(name), category: 'gradient', pool: 'gradients' });
        }
    },

    gather(unit: ShardedUnit, pass: Pass): void {
      const by = gatheringOf(unit, pass);
      const layout = layoutFor(unit, by);
      const where: Where = { ...whereOf(unit, pass, 'gather'), queue: 'comm' };
      const output = `${label(unit)}.gathered.${pass}`;
      for (const lane of place.lanes) {
        lane.buffer({ ...flatBuffer(layout, by.ranks, half), name: output, category: 'communication' });
        if (copied !== undefined && copied !== waitedFor) lane.wait(copied, where);
        if (by.few) lane.wait(keptBy(unit), where);
        else copyIn(lane, layout, { output, where });
      }
      waitedFor = copied;
      for (const group of by.groups)
        algorithmFor(algorithm, 'allGather').emit({
          builder,
          op: 'allGather',
          group,
          input: by.few ? keptBy(unit) : output,
          output,
          length: layout.places,
          payload: 'parameter',
          where,
        });
      for (const lane of place.lanes) lane.signal('comm', `${output}.done`);
    },

    copyOut(unit: ShardedUnit, pass: Pass): void {
      const layout = layoutFor(unit, gatheringOf(unit, pass));
      const where = whereOf(unit, pass, 'gather');
      const gathered = `${label(unit)}.gathered.${pass}`;
      for (const lane of place.lanes) {
        lane.wait(`${gathered}.done`, where);
        lane.compute(COPY_OUT, [gathered], wholeNames(unit), runAttrs(partsToWhole(layout), half), where);
        lane.signal('compute', `${label(unit)}.copied.${pass}`);
      }
      copied = `${label(unit)}.copied.${pass}`;
    },

    /** Frees the unit after the forward pass; a later gather allocates new memory. */
    free(unit: ShardedUnit): void {
      const next = gatheringOf(unit, 'backward');
      for (const lane of place.lanes) {
        if (next.few) keepPart(lane, unit, next);
        for (const name of wholeNames(unit)) lane.renew(name);
      }
    },
  };

  /** Copies the shards of the rank to their place among the shards of all ranks. */
  function copyIn(
    lane: LaneBuilder,
    layout: UnitLayout,
    { output, where }: { readonly output: string; readonly where: Where },
  ): void {
    const index = placeIn(lane);
    const { places } = layout;
    if (isPadded(layout, [index])) fill(lane, { buffer: output, offset: index * places, length: places }, 0, where);
    const own = parametersOn(layout, index).map(({ name }) => name);
    if (own.length > 0) lane.compute(COPY_IN, own, [output], runAttrs(shardsToParts(layout, index), half), where);
  }

  function keepPart(lane: LaneBuilder, unit: ShardedUnit, by: Gathering): void {
    const layout = layoutFor(unit, by);
    const index = by.placeIn(lane);
    const where = whereOf(unit, 'forward', 'gather');
    const output = keptBy(unit);
    lane.buffer({ ...flatBuffer(layout, 1, half), name: output, category: 'unsharded' });
    if (isPadded(layout, [index])) fill(lane, lane.whole(output), 0, where);
    const runs = wholeToPart(layout, index);
    if (runs.length > 0) lane.compute(KEEP, wholeNames(unit), [output], runAttrs(runs, half), where);
    lane.signal('compute', output);
  }

  /** Groups of `count` neighbours along dpShard. */
  function gatheringOfFew(from: Gathering, count: number): Gathering {
    const parts = from.groups.flatMap((group) =>
      Array.from({ length: group.ranks.length / count }, (_, k) => group.ranks.slice(k * count, (k + 1) * count)),
    );
    return {
      ranks: count,
      groups: parts.map((own) => mesh.newGroup(own, { purpose: 'post_forward' })),
      placeIn: (lane) => from.placeIn(lane) % count,
      few: true,
    };
  }
}

const whereOf = ({ path }: ShardedUnit, pass: Pass, phase: Where['phase']): Where => ({
  phase,
  anchor: pass,
  module: path,
});
