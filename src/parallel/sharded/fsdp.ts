/**
 * FSDP2 as a sync of the step. A unit is gathered right before its forward pass and freed after it, gathered again
 * before its backward pass, and its gradients are reduced and scattered when the last of them is there. While a unit
 * computes, the next one is gathered: in forward as soon as the unit before is copied out, in backward one unit ahead
 * in the reverse order of the forward pass. At most one reduce-scatter is under way. Source: FSDPParamGroup and
 * FSDPState of torch/distributed/fsdp/_fully_shard. Called by compiler.ts.
 */
import { at, must } from '../../base/invariant';
import type { GraphNode } from '../../graph/graph';
import type { LaneBuilder } from '../../program/lane-builder';
import type { ParameterRef, StageGraph } from '../stage-graph';
import { allReduceAlong } from '../step/all-reduce-along';
import type { StagePlace } from '../step/place';
import type { StageUse, Sync } from '../step/sync';
import type { Step } from '../step/walk';
import { emitterOfParts } from './emitter-of-parts';
import type { Pass, UnitPlace } from './unit-emitter';
import { type ShardedUnit, unitOfModule } from './units';
import { shardGradient } from './unsharded-graph';

export interface FsdpOptions extends UnitPlace, Pick<Step, 'kind'> {
  /** All ranks of the stage. */
  readonly place: StagePlace;
  /** The root first. */
  readonly units: readonly ShardedUnit[];
}

export function fsdpSync(options: FsdpOptions): Sync {
  const { kind, units, input } = options;
  const { sharded } = input.config;
  const unitOf = unitOfModule(units.map(({ path }) => path).filter((path) => path !== ''));
  const emit = emitterOfParts(options);
  const [root, ...others] = units.map((unit) => ({ ...unit, state: 'sharded' as 'sharded' | 'gathering' | 'whole' }));
  const byPath = new Map([must(root, 'the root'), ...others].map((unit) => [unit.path, unit]));
  type OwnUnit = NonNullable<typeof root>;
  /** In the order in which their forward passes ended. */
  const done: OwnUnit[] = [];
  const unitAt = (node: GraphNode): OwnUnit => must(byPath.get(unitOf(node.module)), node.module);
  const reshards = ({ path }: OwnUnit): boolean =>
    sharded.stage === 3 && (path !== '' || sharded.reshardAfterForward === true);
  /** Those whose backward pass has begun. */
  const begun = new Set<OwnUnit>();
  let ends: Ends | undefined;

  const gather = (unit: OwnUnit, pass: Pass) => {
    if (unit.state !== 'sharded' || unit.parameters.length === 0) return;
    emit.gather(unit, pass);
    unit.state = 'gathering';
  };
  const makeWhole = (unit: OwnUnit, pass: Pass) => {
    gather(unit, pass);
    if (unit.state !== 'gathering') return;
    emit.copyOut(unit, pass);
    unit.state = 'whole';
  };
  /** Those that come after the unit in that pass: `order` is the order of the pass. */
  const prefetch = (order: readonly OwnUnit[], unit: OwnUnit, pass: Pass, count: number) => {
    const next = order.slice(order.indexOf(unit) + 1).filter(({ parameters }) => parameters.length > 0);
    for (const each of next.slice(0, count)) gather(each, pass);
  };
  const backwardOrder = (): readonly OwnUnit[] => [must(root, 'the root'), ...done.toReversed()];

  return {
    beforeUse(use) {
      if (use.action.kind !== 'F') return;
      emit.declare(use);
      ends = endsOf(at(use.works, 0).graph, unitAt);
      done.length = 0;
      begun.clear();
      for (const unit of byPath.values()) unit.state = 'sharded';
      makeWhole(must(root, 'the root'), 'forward');
    },
    beforeNode(_use, node) {
      const unit = unitAt(node);
      if (node.phase === 'forward') {
        makeWhole(unit, 'forward');
        if (sharded.prefetch !== undefined && unit.path !== '') prefetch(others, unit, 'forward', sharded.prefetch);
      } else if (node.phase === 'backward' && node.module !== '') {
        const order = backwardOrder();
        for (const each of [must(root, 'the root'), unit]) {
          makeWhole(each, 'backward');
          if (begun.has(each)) continue;
          begun.add(each);
          prefetch(order, each, 'backward', sharded.prefetch ?? 1);
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
      const own = must(root, 'the root');
      if (use.action.kind === 'F') {
        if (reshards(own)) free(own);
        return;
      }
      reduce(use, own);
      emit.endPass();
    },
  };

  function free(unit: OwnUnit): void {
    if (unit.state === 'whole') emit.free(unit);
    unit.state = 'sharded';
  }

  function reduce(use: StageUse, unit: OwnUnit): void {
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
 * Gradients that are addends on the ranks of a tensor group, as those of a layer norm whose rows are cut: fully_shard
 * brings them to the placements of their parameters before it reduces them.
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

interface Ends {
  readonly forward: ReadonlyMap<unknown, GraphNode>;
  readonly backward: ReadonlyMap<unknown, GraphNode>;
}

/** The last node of each unit in both passes. */
function endsOf({ graph }: StageGraph, unitAt: (node: GraphNode) => unknown): Ends {
  const last = (phase: GraphNode['phase']) =>
    new Map(graph.nodes.filter((node) => node.phase === phase).map((node) => [unitAt(node), node]));
  return { forward: last('forward'), backward: last('backward') };
}

/** What the optimiser of a rank has of these: its shards. */
export function shardsOn(lane: LaneBuilder, parameters: readonly ParameterRef[]): readonly ParameterRef[] {
  return parameters
    .filter(({ name }) => lane.has(name))
    .map(({ name, cutAlong = [] }) => {
      const gradient = shardGradient(name);
      return { name, gradient, fresh: gradient, cutAlong: ['dpShard', ...cutAlong] };
    });
}
