/**
 * Tracks which units are sharded, being gathered, or whole, for FSDP's syncs (fsdp.ts, fsdp-of-stages.ts). The syncs
 * decide when a unit is freed.
 */
import { must } from '../../base/invariant';
import type { GraphNode } from '../../graph/graph';
import type { StageGraph } from '../stage-graph';
import type { Pass, UnitEmitter } from './unit-emitter';
import { type ShardedUnit, unitOfModule } from './units';

export interface UnitState extends ShardedUnit {
  state: 'sharded' | 'gathering' | 'whole';
}

/** `given`: the units, the root first. */
export function unitStates(emit: UnitEmitter, given: readonly ShardedUnit[]) {
  const units = given.map((unit): UnitState => ({ ...unit, state: 'sharded' }));
  const [first, ...others] = units;
  const root = must(first, 'the root');
  const unitOf = unitOfModule(others.map(({ path }) => path));
  const byPath = new Map(units.map((unit) => [unit.path, unit]));

  const unitAt = ({ module }: GraphNode): UnitState => must(byPath.get(unitOf(module)), module);
  const gather = (unit: UnitState, pass: Pass): void => {
    if (unit.state !== 'sharded' || unit.parameters.length === 0) return;
    emit.gather(unit, pass);
    unit.state = 'gathering';
  };

  return {
    units,
    root,
    /** In the order of the model. */
    others,
    unitAt,

    makeWhole(unit: UnitState, pass: Pass): void {
      gather(unit, pass);
      if (unit.state !== 'gathering') return;
      emit.copyOut(unit, pass);
      unit.state = 'whole';
    },

    /**
     * Gathers the units that follow `unit` in the pass; `order` is the order of the pass. Without a `count` one unit:
     * torch's implicit prefetch passes over units without parameters, and its lists of modules count them.
     */
    prefetch(order: readonly UnitState[], unit: UnitState, pass: Pass, count?: number): void {
      const next = order.slice(order.indexOf(unit) + 1);
      const asked = count === undefined ? next.filter(({ parameters }) => parameters.length > 0).slice(0, 1) : next;
      for (const each of asked.slice(0, count)) gather(each, pass);
    },

    free(unit: UnitState): void {
      if (unit.state === 'whole') emit.free(unit);
      unit.state = 'sharded';
    },

    /** The last node of each unit in both passes. */
    endsIn({ graph }: StageGraph): UnitEnds {
      const last = (phase: GraphNode['phase']) =>
        new Map(graph.nodes.filter((node) => node.phase === phase).map((node) => [unitAt(node), node]));
      return { forward: last('forward'), backward: last('backward') };
    },
  };
}

export interface UnitEnds {
  readonly forward: ReadonlyMap<UnitState, GraphNode>;
  readonly backward: ReadonlyMap<UnitState, GraphNode>;
}
