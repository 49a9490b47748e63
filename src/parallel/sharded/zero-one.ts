/**
 * ZeRO stage 1, as ZeroRedundancyOptimizer does it: DDP averages all gradients on every rank. Each rank steps some
 * whole parameters, keeps the optimiser states of only these, and then broadcasts them. Source:
 * torch/distributed/optim/zero_redundancy_optimizer.py. Called by compile.ts.
 */
import { at } from '../../base/invariant';
import type { ProgramBuilder } from '../../program/builder';
import type { LaneBuilder, Where } from '../../program/lane-builder';
import type { TrainingKind } from '../../protocol/step-kind';
import { elements, type Shape } from '../../tensor/shape';
import { broadcast } from '../ddp/broadcast';
import type { StagePlace } from '../step/place';
import type { Sync } from '../step/sync';

interface Partitioned {
  readonly name: string;
  readonly shape: Shape;
}

/**
 * _partition_parameters: assigns the parameters, largest first, each to the rank with the fewest elements so far; the
 * lowest rank wins a tie.
 */
export function partitionOf<T extends Partitioned>(parameters: readonly T[], ranks: number): readonly (readonly T[])[] {
  const parts = Array.from({ length: ranks }, () => ({ elements: 0, own: [] as T[] }));
  for (const parameter of parameters.toSorted((a, b) => elements(b.shape) - elements(a.shape))) {
    const least = parts.reduce((a, b) => (b.elements < a.elements ? b : a));
    least.own.push(parameter);
    least.elements += elements(parameter.shape);
  }
  return parts.map(({ own }) => own);
}

interface ZeroOneOptions {
  readonly builder: ProgramBuilder;
  readonly kind: TrainingKind;
  readonly place: StagePlace;
  readonly parameters: readonly Partitioned[];
}

export interface ZeroOne {
  readonly sync: Sync;
  /** Whether the rank's optimiser steps the parameter. */
  isStepped(lane: LaneBuilder, name: string): boolean;
}

const STEP: Where = { phase: 'broadcast', anchor: 'step' };

export function zeroOne({ builder, kind, place, parameters }: ZeroOneOptions): ZeroOne {
  const { mesh } = builder;
  const parts = partitionOf(parameters, mesh.shape.dpShard).map((own) => own.map(({ name }) => name));
  const groups = [...new Set(place.lanes.map(({ rank }) => mesh.group('dpShard', rank)))];
  return {
    isStepped: ({ rank }, name) => at(parts, mesh.coordinate(rank).dpShard).includes(name),
    sync: {
      afterStep() {
        if (!kind.steps || mesh.shape.dpShard === 1) return;
        const comm: Where = { ...STEP, queue: 'comm' };
        for (const lane of place.lanes) lane.handOver('compute', 'comm', comm);
        for (const group of groups)
          for (const [k, names] of parts.entries())
            broadcast({ builder, group, source: at(builder.lanesOf(group), k).device }, names, comm);
        for (const lane of place.lanes) lane.handOver('comm', 'compute', STEP);
      },
    },
  };
}
