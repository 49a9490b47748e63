/**
 * FSDP2 as a sync of the step. The ranks gather a unit right before its forward pass, free it afterwards, gather it
 * again before its backward pass, and reduce-scatter its gradients when the last of them is computed. While a unit
 * computes, the next one is gathered: in forward as soon as the unit before is copied out, in backward one unit ahead
 * in the reverse order of the forward pass. At most one reduce-scatter is in flight. Source: FSDPParamGroup and
 * FSDPState of torch/distributed/fsdp/_fully_shard. Called by compile.ts.
 */
import { at, must } from '../../base/invariant';
import type { LaneBuilder } from '../../program/lane-builder';
import type { ParameterRef } from '../stage-graph';
import { allReduceAlong } from '../step/all-reduce-along';
import type { StagePlace } from '../step/place';
import type { StageUse, Sync } from '../step/sync';
import type { Step } from '../step/walk';
import { emitterOfParts } from './emitter-of-parts';
import type { UnitPlace } from './unit-place';
import { type UnitEnds, type UnitState, unitStates } from './unit-states';
import type { ShardedUnit } from './units';
import { shardGradient } from './unsharded-graph';

export interface FsdpOptions extends UnitPlace, Pick<Step, 'kind'> {
  /** All ranks of the stage. */
  readonly place: StagePlace;
  /** Units, the root first. */
  readonly units: readonly ShardedUnit[];
}

export function fsdpSync(options: FsdpOptions): Sync {
  const { kind, units, input } = options;
  const { sharded } = input.config;
  const emit = emitterOfParts(options);
  const { root, others, units: all, unitAt, makeWhole, prefetch, free, endsIn } = unitStates(emit, units);
  /** Units in the order in which their forward passes ended. */
  const done: UnitState[] = [];
  const reshards = ({ path }: UnitState): boolean =>
    sharded.stage === 3 && (path !== '' || sharded.reshardAfterForward === true);
  /** Units whose backward pass has begun. */
  const begun = new Set<UnitState>();
  let ends: UnitEnds | undefined;

  const backwardOrder = (): readonly UnitState[] => [root, ...done.toReversed()];

  return {
    beforeUse(use) {
      if (use.action.kind !== 'F') return;
      emit.declare(use);
      ends = endsIn(at(use.works, 0).graph);
      done.length = 0;
      begun.clear();
      for (const unit of all) unit.state = 'sharded';
      makeWhole(root, 'forward');
    },
    beforeNode(_use, node) {
      const unit = unitAt(node);
      if (node.phase === 'forward') {
        makeWhole(unit, 'forward');
        if (sharded.prefetch !== undefined && unit.path !== '') prefetch(others, unit, 'forward', sharded.prefetch);
      } else if (node.phase === 'backward' && node.module !== '') {
        const order = backwardOrder();
        for (const each of [root, unit]) {
          makeWhole(each, 'backward');
          if (begun.has(each)) continue;
          begun.add(each);
          prefetch(order, each, 'backward', sharded.prefetch);
        }
      }
    },
    afterNode(use, node) {
      const last = must(ends, 'a forward pass');
      for (const unit of others) {
        if (last.forward.get(unit) === node) {
          done.push(unit);
          if (reshards(unit)) free(unit);
        }
        if (last.backward.get(unit) === node) reduce(use, unit);
      }
    },
    afterUse(use) {
      if (use.action.kind === 'F') {
        if (reshards(root)) free(root);
        return;
      }
      reduce(use, root);
      emit.endPass();
    },
  };

  function reduce(use: StageUse, unit: UnitState): void {
    unit.state = 'sharded';
    const { reduces, gradients } = at(kind.microBatches, use.action.microBatch);
    if (!reduces) return;
    const { parameters } = at(use.works, 0).graph;
    const withGradient = unit.parameters.filter(({ name }) => parameters.some((each) => each.name === name));
    if (withGradient.length === 0) return;
    sumPartials(options, use, unit);
    emit.reduce({ ...unit, parameters: withGradient }, sharded.syncEveryPass ? gradients : 'set');
  }
}

/**
 * Sums gradients that are addends on the ranks of a tensor group, such as a layer norm's under sequence parallelism:
 * before it reduces gradients, fully_shard redistributes them to the placements of their parameters.
 */
export function sumPartials(
  { builder, input, place }: UnitPlace,
  { works }: StageUse,
  { path, parameters }: ShardedUnit,
): void {
  const gradients = at(works, 0).graph.parameters.flatMap(({ name, gradient, sumAlong }) =>
    sumAlong?.includes('tp') && parameters.some((each) => each.name === name) ? [gradient] : [],
  );
  const where = { phase: 'backward', anchor: 'backward', module: path } as const;
  const { algorithm } = input.config.ddp;
  allReduceAlong({ builder, algorithm, axis: 'tp', lanes: place.lanes, gradients, reduceOp: 'sum', where });
}

/** The rank's shards of these parameters, which its optimiser steps. */
export function shardsOn(lane: LaneBuilder, parameters: readonly ParameterRef[]): readonly ParameterRef[] {
  return parameters
    .filter(({ name }) => lane.has(name))
    .map(({ name, cutAlong = [] }) => {
      const gradient = shardGradient(name);
      return { name, gradient, fresh: gradient, cutAlong: ['dpShard', ...cutAlong] };
    });
}

/** Further members of a step whose ranks keep shards. */
export const OPTIMIZES_SHARDS = { optimized: shardsOn, piecesAlong: ['dpShard', 'cp', 'tp'] } as const;
