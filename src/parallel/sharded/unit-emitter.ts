/**
 * The instructions of FSDP's units: gathers, copies, reduce-scatters, on every rank. fsdp.ts says when. Each rank keeps
 * shards for the whole run; what is whole has a buffer of its own for as long as it lives.
 */
import { at, must } from '../../base/invariant';
import { algorithmFor } from '../../collectives/algorithms';
import type { LaneBuilder, Where } from '../../program/lane-builder';
import type { Group } from '../../protocol/mesh';
import { pieceShape } from '../../sharding/piece';
import { fill } from '../ddp/fill';
import type { StagePlace } from '../step/place';
import type { StageUse } from '../step/sync';
import type { Step } from '../step/walk';
import { shardOf } from './pieces';
import { CHUNK_CAT, COPY_IN, COPY_OUT, runAttrs, SHARD_OUT } from './shard-ops';
import {
  isPadded,
  parametersOn,
  partsToWhole,
  partToShards,
  shardsToPart,
  type UnitLayout,
  unitLayout,
  wholeToParts,
} from './unit-layout';
import type { ShardedUnit } from './units';
import { shardGradient, unsharded, unshardedGradient } from './unsharded-graph';

export interface UnitPlace extends Pick<Step, 'builder' | 'input'> {
  /** With all ranks of the mesh. */
  readonly place: StagePlace;
}

export type Pass = 'forward' | 'backward';

export function unitEmitter({ builder, input, place }: UnitPlace) {
  const { algorithm } = input.config.ddp;
  const { mesh } = builder;
  const groups = [...new Set(place.lanes.map(({ rank }) => mesh.group('dpShard', rank)))];
  const replicas = [...new Set(place.lanes.map(({ rank }) => mesh.group('dpReplicate', rank)))];
  const ranks = mesh.shape.dpShard;
  const placeIn = ({ rank }: LaneBuilder): number => mesh.coordinate(rank).dpShard;
  /** The last copy out: what is gathered next waits for it, so at most two gathered units are there. */
  let copied: string | undefined;
  let waitedFor: string | undefined;
  let reduced: string | undefined;

  const layoutOf = ({ parameters }: ShardedUnit): UnitLayout => unitLayout(parameters, ranks);
  const label = ({ path }: ShardedUnit): string => (path === '' ? 'root' : path);
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
          const value = must(
            graph.graph.values.find((each) => each.name === unsharded(name)),
            name,
          );
          const region = shardOf(value.type.shape, placeIn(lane), ranks);
          const shape = pieceShape(region.piece);
          if (shape[0] === 0) continue;
          const spec = { shape, dtype: value.type.dtype, persistent: true, region } as const;
          lane.buffer({ ...spec, name, category: 'parameter', pool: 'parameters' });
          lane.buffer({ ...spec, name: shardGradient(name), category: 'gradient', pool: 'gradients' });
        }
    },

    gather(unit: ShardedUnit, pass: Pass): void {
      const layout = layoutOf(unit);
      const where: Where = { ...whereOf(unit, pass, 'gather'), queue: 'comm' };
      const [part, all] = [`${label(unit)}.shards.${pass}`, `${label(unit)}.gathered.${pass}`];
      for (const lane of place.lanes) {
        const index = placeIn(lane);
        flatBuffer(lane, part, layout.perRank);
        flatBuffer(lane, all, ranks * layout.perRank);
        if (copied !== undefined && copied !== waitedFor) lane.wait(copied, where);
        if (isPadded(layout, [index])) fill(lane, lane.whole(part), 0, where);
        const own = parametersOn(layout, index).map(({ name }) => name);
        if (own.length > 0) lane.compute(COPY_IN, own, [part], runAttrs(shardsToPart(layout, index)), where);
      }
      waitedFor = copied;
      for (const group of groups)
        algorithmFor(algorithm, 'allGather').emit({
          builder,
          op: 'allGather',
          group,
          input: part,
          output: all,
          length: layout.perRank,
          payload: 'parameter',
          where,
        });
      for (const lane of place.lanes) lane.signal('comm', `${all}.done`);
    },

    copyOut(unit: ShardedUnit, pass: Pass): void {
      const layout = layoutOf(unit);
      const where = whereOf(unit, pass, 'gather');
      const all = `${label(unit)}.gathered.${pass}`;
      for (const lane of place.lanes) {
        lane.wait(`${all}.done`, where);
        const outputs = unit.parameters.map(({ name }) => unsharded(name));
        lane.compute(COPY_OUT, [all], outputs, runAttrs(partsToWhole(layout)), where);
        lane.signal('compute', `${label(unit)}.copied.${pass}`);
      }
      copied = `${label(unit)}.copied.${pass}`;
    },

    /** What is gathered later is other memory. */
    free(unit: ShardedUnit): void {
      for (const lane of place.lanes) for (const { name } of unit.parameters) lane.renew(unsharded(name));
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
