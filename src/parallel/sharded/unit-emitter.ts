/**
 * The instructions of FSDP's units: gathers, copies, reduce-scatters, on every rank. fsdp.ts says when. Each rank keeps
 * shards for the whole run; what is whole has a buffer of its own for as long as it lives.
 */
import { at, must } from '../../base/invariant';
import { algorithmFor } from '../../collectives/algorithms';
import { parameterList } from '../../nn/model';
import type { LaneBuilder, Where } from '../../program/lane-builder';
import type { Group } from '../../protocol/mesh';
import { pieceShape } from '../../sharding/piece';
import { fill } from '../ddp/fill';
import type { StagePlace } from '../step/place';
import type { StageUse } from '../step/sync';
import type { Step } from '../step/walk';
import { regionsOf } from './pieces';
import { CHUNK_CAT, COPY_IN, COPY_OUT, KEEP, runAttrs, SHARD_OUT } from './shard-ops';
import {
  isPadded,
  parametersOn,
  partsToWhole,
  partToShards,
  shardsToParts,
  type UnitLayout,
  unitLayout,
  wholeToPart,
  wholeToParts,
} from './unit-layout';
import type { ShardedUnit } from './units';
import { shardGradient, unsharded, unshardedGradient } from './unsharded-graph';

export interface UnitPlace extends Pick<Step, 'builder' | 'input'> {
  /** Of ranks that have the same part of the stage, if tp cuts its layers. */
  readonly place: StagePlace;
  /** What the buffers of the root are named after, where a rank has the roots of several stages. */
  readonly rootName?: string;
}

export type Pass = 'forward' | 'backward';

/** Who gathers a unit together. */
interface Gathering {
  readonly ranks: number;
  readonly groups: readonly Group[];
  placeIn(lane: LaneBuilder): number;
  /** From what the ranks have kept of the forward pass, instead of their shards. */
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
  const replicas = [...new Set(place.lanes.map(({ rank }) => mesh.group('dpReplicate', rank)))];
  const ranks = mesh.shape.dpShard;
  const placeIn = ({ rank }: LaneBuilder): number => mesh.coordinate(rank).dpShard;
  const all: Gathering = { ranks, groups, placeIn, few: false };
  const few = reshardTo === undefined ? undefined : gatheringOfFew(all, reshardTo);
  const gatheringOf = ({ path }: ShardedUnit, pass: Pass): Gathering =>
    few !== undefined && pass === 'backward' && path !== '' ? few : all;
  /** The last copy out: what is gathered next waits for it, so at most two gathered units are there. */
  let copied: string | undefined;
  let waitedFor: string | undefined;
  let reduced: string | undefined;

  const layoutOf = ({ parameters }: ShardedUnit): UnitLayout => unitLayout(parameters, ranks);
  const keptBy = (unit: ShardedUnit): string => `${label(unit)}.kept`;
  const label = ({ path }: ShardedUnit): string => (path === '' ? rootName : path);
  const flatBuffer = (lane: LaneBuilder, name: string, length: number) =>
    lane.buffer({ name, shape: [length], dtype: 'f32', category: 'communication', persistent: false });
  const whereOf = ({ path }: ShardedUnit, pass: Pass, phase: Where['phase']): Where => ({
    phase,
    anchor: pass,
    module: path,
  });

  return {
    /** The end of backward waits for what the last reduce-scatter brings. */
    endPass(): void {
      if (reduced !== undefined)
        for (const lane of place.lanes) lane.handOver('comm', 'compute', { phase: 'reduce', anchor: 'backward' });
      copied = undefined;
      waitedFor = undefined;
      reduced = undefined;
    },

    /** The shards, which live for the whole run, and their gradients. */
    declare({ works }: StageUse): void {
      for (const { lane, graph } of works)
        for (const { name } of graph.registered) {
          if (!place.lanes.includes(lane)) continue;
          const value = must(
            graph.graph.values.find((each) => each.name === unsharded(name)),
            name,
          );
          const region = regionOf({ name, shape: must(shapes.get(name), name) }, lane.device);
          const shape = pieceShape(region.piece);
          if (shape[0] === 0) continue;
          const spec = { shape, dtype: value.type.dtype, persistent: true, region } as const;
          lane.buffer({ ...spec, name, category: 'parameter', pool: 'parameters' });
          lane.buffer({ ...spec, name: shardGradient(name), category: 'gradient', pool: 'gradients' });
        }
    },

    gather(unit: ShardedUnit, pass: Pass): void {
      const by = gatheringOf(unit, pass);
      const layout = unitLayout(unit.parameters, by.ranks);
      const where: Where = { ...whereOf(unit, pass, 'gather'), queue: 'comm' };
      const output = `${label(unit)}.gathered.${pass}`;
      for (const lane of place.lanes) {
        flatBuffer(lane, output, by.ranks * layout.perRank);
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
          length: layout.perRank,
          payload: 'parameter',
          where,
        });
      for (const lane of place.lanes) lane.signal('comm', `${output}.done`);
    },

    copyOut(unit: ShardedUnit, pass: Pass): void {
      const layout = unitLayout(unit.parameters, gatheringOf(unit, pass).ranks);
      const where = whereOf(unit, pass, 'gather');
      const gathered = `${label(unit)}.gathered.${pass}`;
      for (const lane of place.lanes) {
        lane.wait(`${gathered}.done`, where);
        const outputs = unit.parameters.map(({ name }) => unsharded(name));
        lane.compute(COPY_OUT, [gathered], outputs, runAttrs(partsToWhole(layout)), where);
        lane.signal('compute', `${label(unit)}.copied.${pass}`);
      }
      copied = `${label(unit)}.copied.${pass}`;
    },

    /** After the forward pass. What is gathered later is other memory. */
    free(unit: ShardedUnit): void {
      const next = gatheringOf(unit, 'backward');
      for (const lane of place.lanes) {
        if (next.few) keepPart(lane, unit, next);
        for (const { name } of unit.parameters) lane.renew(unsharded(name));
      }
    },

    /** `unit`: with the parameters that have a gradient. */
    reduce(unit: ShardedUnit, gradients: 'set' | 'add'): void {
      const layout = layoutOf(unit);
      const compute = whereOf(unit, 'backward', 'backward');
      const comm: Where = { ...whereOf(unit, 'backward', 'reduce'), queue: 'comm' };
      const [all, part] = [`${label(unit)}.gradients`, `${label(unit)}.reduced`];
      for (const lane of place.lanes) {
        flatBuffer(lane, all, ranks * layout.perRank);
        flatBuffer(lane, part, layout.perRank);
        if (reduced !== undefined) lane.wait(reduced, compute);
        if (isPadded(layout, [...Array(ranks).keys()])) fill(lane, lane.whole(all), 0, compute);
        const inputs = unit.parameters.map(({ name }) => unshardedGradient(name));
        lane.compute(CHUNK_CAT, inputs, [all], runAttrs(wholeToParts(layout)), compute);
        lane.signal('compute', `${all}.ready`);
        lane.wait(`${all}.ready`, comm);
      }
      const call = { builder, payload: 'gradient', where: comm } as const;
      for (const group of groups)
        algorithmFor(algorithm, 'reduceScatter').emit({
          ...call,
          op: 'reduceScatter',
          group,
          input: all,
          consumesInput: true,
          output: part,
          length: ranks * layout.perRank,
        });
      const scale = 1 / ranks;
      if (ranks > 1)
        for (const lane of place.lanes)
          lane.compute('comm/scale', [part], [part], { from: 0, length: layout.perRank, scale }, comm);
      if (mesh.shape.dpReplicate > 1) averageOverReplicas(part, layout.perRank, comm);
      for (const lane of place.lanes) {
        shardGradients(lane, layout, { part, gradients, where: comm });
        lane.signal('comm', `${part}.done`);
      }
      reduced = `${part}.done`;
    },
  };

  /** The shards of the rank, in their place among those of all ranks. */
  function copyIn(
    lane: LaneBuilder,
    layout: UnitLayout,
    { output, where }: { readonly output: string; readonly where: Where },
  ): void {
    const index = placeIn(lane);
    const { perRank } = layout;
    if (isPadded(layout, [index])) fill(lane, { buffer: output, offset: index * perRank, length: perRank }, 0, where);
    const own = parametersOn(layout, index).map(({ name }) => name);
    if (own.length > 0) lane.compute(COPY_IN, own, [output], runAttrs(shardsToParts(layout, index)), where);
  }

  function keepPart(lane: LaneBuilder, unit: ShardedUnit, by: Gathering): void {
    const layout = unitLayout(unit.parameters, by.ranks);
    const index = by.placeIn(lane);
    const where = whereOf(unit, 'forward', 'gather');
    const output = keptBy(unit);
    lane.buffer({ name: output, shape: [layout.perRank], dtype: 'f32', category: 'unsharded', persistent: false });
    if (isPadded(layout, [index])) fill(lane, lane.whole(output), 0, where);
    const runs = wholeToPart(layout, index);
    const inputs = unit.parameters.map(({ name }) => unsharded(name));
    if (runs.length > 0) lane.compute(KEEP, inputs, [output], runAttrs(runs), where);
    lane.signal('compute', output);
  }

  /** So many neighbours along dpShard each. */
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

  function averageOverReplicas(input: string, length: number, where: Where): void {
    const average = (group: Group) =>
      algorithmFor(algorithm, 'allReduce').emit({
        builder,
        op: 'allReduce',
        group,
        input,
        length,
        reduceOp: 'avg',
        payload: 'gradient',
        where,
      });
    replicas.forEach(average);
  }

  function shardGradients(
    lane: LaneBuilder,
    layout: UnitLayout,
    { part, gradients, where }: { readonly part: string; readonly gradients: 'set' | 'add'; readonly where: Where },
  ): void {
    const index = placeIn(lane);
    const own = parametersOn(layout, index).map(({ name }) => shardGradient(name));
    if (own.length === 0) return;
    const fresh = gradients === 'set' ? own : own.map((name) => `${name}.micro`);
    if (gradients === 'add')
      for (const [k, name] of fresh.entries())
        lane.buffer({ ...lane.spec(at(own, k)), name, persistent: false, category: 'gradient' }, { shared: false });
    lane.compute(SHARD_OUT, [part], fresh, runAttrs(partToShards(layout, index)), where);
    if (gradients === 'add')
      lane.compute('optim/accumulate-grad', [...fresh, ...own], own, { count: own.length }, where);
  }
}
