/**
 * The reduce-scatter of a unit's gradients, on every rank. With a MixedPrecisionPolicy whose reduce_dtype is a half,
 * gradients are sent and summed as halves; otherwise in float32. Source: foreach_reduce of
 * torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py. Called by unit-emitter.ts.
 */
import { algorithmFor } from '../../collectives/algorithms';
import { runAttrs } from '../../collectives/copied-runs';
import type { LaneBuilder, Where } from '../../program/lane-builder';
import { modelHalf, reduceHalf } from '../../protocol/half-of';
import type { Group } from '../../protocol/mesh';
import type { HalfFormat } from '../../tensor/half-bits';
import { fill } from '../ddp/fill';
import { MIXED_PRECISION } from '../stage-graph';
import { CHUNK_CAT, SHARD_ADD, SHARD_OUT } from './shard-ops';
import {
  flatBuffer,
  isPadded,
  parametersOn,
  partToShards,
  type UnitLayout,
  unitLayout,
  wholeToParts,
} from './unit-layout';
import type { UnitPlace } from './unit-place';
import type { ShardedUnit } from './units';
import { shardGradient, unshardedGradient } from './unsharded-graph';

interface UnitRanks extends Pick<UnitPlace, 'builder' | 'input' | 'place'> {
  /** Ranks that keep shards of the same replica. */
  readonly groups: readonly Group[];
  placeIn(lane: LaneBuilder): number;
  label(unit: ShardedUnit): string;
}

export function unitReducer({ builder, input, place, groups, placeIn, label }: UnitRanks) {
  const { mesh } = builder;
  const { algorithm } = input.config.ddp;
  const { dpShard: ranks, dpReplicate: copies } = mesh.shape;
  const replicas = [...new Set(place.lanes.map(({ rank }) => mesh.group('dpReplicate', rank)))];
  const half = reduceHalf(input.config);
  /** The type of the shards and of their gradients. */
  const stored = modelHalf(input.config.precision);
  let reduced: string | undefined;

  return {
    /** At the end of backward, waits for the last reduce-scatter. */
    endPass(): void {
      if (reduced !== undefined)
        for (const lane of place.lanes) lane.handOver('comm', 'compute', { phase: 'reduce', anchor: 'backward' });
      reduced = undefined;
    },

    /** `unit`: only with its parameters that have a gradient. */
    reduce(unit: ShardedUnit, gradients: 'set' | 'add'): void {
      const layout = unitLayout(unit.parameters, ranks, half);
      const compute: Where = { phase: 'backward', anchor: 'backward', module: unit.path };
      const comm: Where = { ...compute, phase: 'reduce', queue: 'comm' };
      const [all, part] = [`${label(unit)}.gradients`, `${label(unit)}.reduced`];
      const { before, after } = divisors(half, ranks * copies);
      for (const lane of place.lanes) {
        lane.buffer({ ...flatBuffer(layout, ranks, half), name: all, category: 'communication' });
        lane.buffer({ ...flatBuffer(layout, 1, half), name: part, category: 'communication' });
        if (reduced !== undefined) lane.wait(reduced, compute);
        if (isPadded(layout, [...Array(ranks).keys()])) fill(lane, lane.whole(all), 0, compute);
        const inputs = unit.parameters.map(({ name }) => unshardedGradient(name));
        lane.compute(CHUNK_CAT, inputs, [all], runAttrs(wholeToParts(layout), half, 1 / before), compute);
        lane.signal('compute', `${all}.ready`);
        lane.wait(`${all}.ready`, comm);
      }
      const call = { builder, payload: 'gradient', where: comm, ...(half ? { halves: half } : {}) } as const;
      for (const group of groups)
        algorithmFor(algorithm, 'reduceScatter').emit({
          ...call,
          op: 'reduceScatter',
          group,
          input: all,
          consumesInput: true,
          output: part,
          length: ranks * layout.places,
        });
      if (half) {
        overReplicas(part, layout.places, comm);
        for (const lane of place.lanes) asFloats(lane, layout, { part, format: half, scale: 1 / after, where: comm });
      } else {
        const scale = 1 / ranks;
        if (ranks > 1)
          for (const lane of place.lanes)
            lane.compute('comm/scale', [part], [part], { from: 0, length: layout.perRank, scale }, comm);
        overReplicas(part, layout.perRank, comm);
      }
      for (const lane of place.lanes) {
        shardGradients(lane, layout, { part: half ? floats(part) : part, gradients, where: comm });
        lane.signal('comm', `${part}.done`);
      }
      reduced = `${part}.done`;
    },
  };

  /** Halves are divided after they are summed, float32 gradients before. */
  function overReplicas(part: string, length: number, where: Where): void {
    if (copies === 1) return;
    const how = half ? { halves: half } : { reduceOp: 'avg' as const };
    const call = { builder, op: 'allReduce', input: part, length, payload: 'gradient', where, ...how } as const;
    for (const group of replicas) algorithmFor(algorithm, 'allReduce').emit({ ...call, group });
  }

  function shardGradients(
    lane: LaneBuilder,
    layout: UnitLayout,
    { part, gradients, where }: { readonly part: string; readonly gradients: 'set' | 'add'; readonly where: Where },
  ): void {
    const index = placeIn(lane);
    const own = parametersOn(layout, index).map(({ name }) => shardGradient(name));
    if (own.length === 0) return;
    const runs = partToShards(layout, index);
    const add = (sums: readonly string[]) => lane.compute(SHARD_ADD, [part, ...sums], sums, runAttrs(runs), where);
    if (gradients === 'set') lane.compute(SHARD_OUT, [part], own, runAttrs(runs, stored), where);
    else if (stored) MIXED_PRECISION.get().inFloat32(lane, own, where, add);
    else add(own);
  }
}

const floats = (part: string): string => `${part}.f32`;

interface Received {
  readonly part: string;
  readonly format: HalfFormat;
  /** The factor that makes the sum a mean. */
  readonly scale: number;
  readonly where: Where;
}

/** Converts the ranks' sum of halves to float32 and divides it; the quotient is rounded to a half again. */
function asFloats(lane: LaneBuilder, { perRank }: UnitLayout, { part, format, scale, where }: Received): void {
  const name = floats(part);
  lane.buffer({ name, shape: [perRank], dtype: 'f32', category: 'communication', persistent: false });
  lane.compute('halves/decode', [part], [name], { format }, where);
  if (scale === 1) return;
  lane.compute('comm/scale', [name], [name], { from: 0, length: perRank, scale }, where);
  lane.compute('precision/round', [name], [name], { format }, where);
}

/**
 * The divisors of gradients before and after the sum. float16 has a small range, so FSDP divides by a power of two near
 * the square root of the number of ranks before the sum, and by the remaining factor after it.
 */
function divisors(half: HalfFormat | undefined, ranks: number): { readonly before: number; readonly after: number } {
  let before = 1;
  if (half === 'f16') while (ranks % before === 0 && ranks / before > before) before *= 2;
  return { before, after: ranks / before };
}
