/**
 * FSDP2 around each stage of a pipeline, as a sync of the step. A forward pass gathers each unit that is not whole and
 * frees it afterwards. A backward pass gathers units that are not whole and leaves them whole, so that the next forward
 * pass need not gather them. Whole gradients accumulate over the micro-batches; the last backward pass of a stage
 * reduces and scatters them, unit by unit. This follows PipelineStage.backward_maybe_with_nosync of
 * torch/distributed/pipelining/stage.py with fully_shard around the module. Called by pipeline/compile.ts.
 */
import { at, must } from '../../base/invariant';
import type { GraphNode } from '../../graph/graph';
import type { PipelineAction } from '../../protocol/pipeline';
import type { StagePlace } from '../step/place';
import { besideAction, type StageUse, type Sync } from '../step/sync';
import type { Step } from '../step/walk';
import { emitterOfParts } from './emitter-of-parts';
import { sumPartials } from './fsdp';
import { type UnitEnds, type UnitState, unitStates } from './unit-states';
import type { ShardedUnit } from './units';

export interface FsdpOfStages extends Pick<Step, 'builder' | 'input' | 'kind' | 'stages'> {
  /** The units of each stage, the root first. */
  readonly units: readonly (readonly ShardedUnit[])[];
  /** Whether the action is the last one that makes gradients of its stage. */
  isLast(action: PipelineAction): boolean;
}

export function fsdpOfStages({ stages, units, ...options }: FsdpOfStages): Sync {
  const ofStages = stages.map((place, stage) => {
    const rootName = stages.length > 1 ? `stage${stage}.root` : 'root';
    return fsdpOfStage({ ...options, stages, place, units: at(units, stage), rootName });
  });
  const of = ({ action }: StageUse) => at(ofStages, action.stage);
  return {
    beforeUse: (use) => of(use).beforeUse(use),
    beforeNode: (use, node) => of(use).beforeNode(use, node),
    afterNode: (use, node) => of(use).afterNode(use, node),
    afterUse: (use) => of(use).afterUse(use),
    finish() {
      for (const { finish } of ofStages) finish();
    },
  };
}

interface FsdpOfStage extends Omit<FsdpOfStages, 'units'> {
  readonly place: StagePlace;
  readonly units: readonly ShardedUnit[];
  readonly rootName: string;
}

function fsdpOfStage(options: FsdpOfStage) {
  const { builder, input, kind, place, isLast } = options;
  const { stage, reshardAfterForward, prefetch: ahead } = input.config.sharded;
  const emit = emitterOfParts(options);
  const { units, root, others, unitAt, makeWhole, prefetch, free, endsIn } = unitStates(emit, options.units);
  const reshards = ({ path }: UnitState): boolean => stage === 3 && (path !== '' || reshardAfterForward === true);
  const begun = new Set<UnitState>();
  let ends: UnitEnds | undefined;

  /** Leaves out modules that are never called. */
  const backwardOrder = (): readonly UnitState[] => [
    root,
    ...others.toReversed().filter((unit) => must(ends, 'a forward pass').forward.has(unit)),
  ];

  return {
    beforeUse(use: StageUse) {
      begun.clear();
      if (use.action.kind !== 'F') return;
      emit.declare(use);
      ends = endsIn(at(use.works, 0).graph);
      makeWhole(root, 'forward');
    },
    beforeNode(_use: StageUse, node: GraphNode) {
      const unit = unitAt(node);
      if (node.phase === 'forward') {
        makeWhole(unit, 'forward');
        if (ahead !== undefined && unit !== root) prefetch(others, unit, 'forward', ahead);
      } else if (node.phase === 'backward' && node.module !== '')
        for (const each of [root, unit]) {
          makeWhole(each, 'backward');
          if (begun.has(each)) continue;
          begun.add(each);
          prefetch(backwardOrder(), each, 'backward', ahead);
        }
    },
    afterNode({ action }: StageUse, node: GraphNode) {
      if (action.kind !== 'F') return;
      const { forward } = must(ends, 'a forward pass');
      for (const unit of others) if (forward.get(unit) === node && reshards(unit)) free(unit);
    },
    afterUse(use: StageUse) {
      if (use.action.kind === 'F' && reshards(root)) free(root);
      emit.endPass();
      if (!isLast(use.action)) return;
      besideAction(kind, use, () => {
        for (const unit of units) reduce(use, unit);
      });
    },
    /** Waits until the gradients that the optimiser reads have arrived. */
    finish: () => emit.endPass(),
  };

  function reduce(use: StageUse, unit: UnitState): void {
    unit.state = 'sharded';
    const { parameters } = at(use.works, 0).graph;
    const withGradient = unit.parameters.filter(({ name }) => parameters.some((each) => each.name === name));
    if (withGradient.length === 0) return;
    sumPartials({ builder, input, place }, use, unit);
    emit.reduce({ ...unit, parameters: withGradient }, 'set');
  }
}
