/**
 * The loop over the actions of a step. Each action is emitted for all replicas of its stage, node by node in turns, so
 * that a collective inside the graph meets the other replicas, and a sync sees a bucket ready when it is. Within a rank
 * the compute queue keeps the order of the actions. It knows neither schedules nor modes: the order comes from outside.
 * Source of what an action does: torch/distributed/pipelining/stage.py. Called by step.ts.
 */
import { at, must } from '../../base/invariant';
import type { GraphNode } from '../../graph/graph';
import type { ProgramBuilder } from '../../program/builder';
import type { LaneBuilder } from '../../program/lane-builder';
import type { PipelineAction } from '../../protocol/pipeline';
import type { TrainingKind } from '../../protocol/step-kind';
import { declareState, declareValues, emitLoad, emitMasks, emitNode } from '../emit';
import type { ModeInput } from '../mode-input';
import { nodesOf, type StageGraph } from '../stage-graph';
import { nodesOfAction } from './backward-halves';
import { sendOver, waitFor } from './borders';
import { emitCollective, isCollective } from './graph-collectives';
import type { StagePlace } from './place';
import type { StageUse, Sync } from './sync';

export interface Step {
  readonly builder: ProgramBuilder;
  readonly input: ModeInput;
  readonly kind: TrainingKind;
  readonly stages: readonly StagePlace[];
  /** Actions of all ranks, in the order in which they would start if messages took no time. */
  readonly order: readonly PipelineAction[];
  readonly syncs: readonly Sync[];
  graphOf(action: PipelineAction, rows: number): StageGraph;
}

export function walk(step: Step): void {
  const walker = new Walker(step);
  for (const action of step.order) walker.emit(action);
}

/** The lanes that work on the stage in that micro-batch. */
export function stageUseOf({ kind, stages, graphOf }: Step, action: PipelineAction): StageUse {
  const place = at(stages, action.stage);
  const { rows } = at(kind.microBatches, action.microBatch);
  const works = place.lanes.flatMap((lane) => {
    const own = at(rows, lane.dataIndex);
    return own === 0 ? [] : [{ lane, graph: graphOf(action, own), rows: own }];
  });
  return { action, place, works };
}

class Walker {
  private readonly declared = new Set<string>();

  constructor(private readonly step: Step) {}

  emit(action: PipelineAction): void {
    const use = this.begin(action, action);
    if (action.kind === 'F') this.forward(use);
    else this.backward(use);
    for (const sync of this.step.syncs) sync.afterUse?.(use);
  }

  private forward(use: StageUse): void {
    const { stage } = use.action;
    const isLast = stage === this.step.stages.length - 1;
    for (const { lane, graph, rows: count } of use.works) {
      if (stage === 0) emitLoad(lane, { buffer: graph.input, source: 'inputs', start: 0, count });
      else if (this.crosses(stage - 1)) waitFor(lane, graph.input, 'activation');
      if (stage === 0 && isLast) loadTargets(lane, count);
      emitMasks(lane, graph);
    }
    for (const sync of this.step.syncs) sync.beforeUse?.(use);
    this.inTurns(use, (graph) => nodesOf(graph, 'forward'));
    if (!isLast) {
      this.handOn(use, stage + 1);
      return;
    }
    if (stage > 0) for (const { lane, rows } of use.works) loadTargets(lane, rows);
    this.inTurns(use, (graph) => nodesOf(graph, 'loss'));
  }

  private backward(use: StageUse): void {
    const { stage, kind } = use.action;
    if (kind !== 'W' && stage < this.step.stages.length - 1 && this.crosses(stage))
      for (const { lane, graph } of use.works) waitFor(lane, graph.outputGradient, 'gradient');
    for (const sync of this.step.syncs) sync.beforeUse?.(use);
    this.inTurns(use, (graph) => nodesOfAction(graph, kind));
    if (kind !== 'W' && stage > 0) this.handOn(use, stage - 1);
  }

  /** Every lane does the k-th node before any lane does the next one. */
  private inTurns(use: StageUse, list: (graph: StageGraph) => readonly GraphNode[]): void {
    const { builder, input, syncs } = this.step;
    const { algorithm } = input.config.ddp;
    const turns = use.works.map((work) => ({ ...work, nodes: list(work.graph) }));
    const count = Math.max(0, ...turns.map(({ nodes }) => nodes.length));
    for (let k = 0; k < count; k++) {
      const { graph, nodes } = at(turns, 0);
      const first = nodes[k];
      if (first && isCollective(first)) {
        const [from = '', to = ''] = namesOf(graph, [...first.inputs, ...first.outputs]);
        emitCollective({ builder, algorithm, group: use.place.group, node: first, input: from, output: to });
        continue;
      }
      const own = turns.flatMap((turn) => turn.nodes.slice(k, k + 1).map((node) => ({ ...turn, node })));
      for (const { lane, graph: of, node } of own) emitNode(lane, of, node);
      if (first?.phase !== 'backward') continue;
      const written = own.map(({ lane, graph: of, node }) => ({ lane, names: namesOf(of, node.outputs) }));
      for (const sync of syncs) sync.ready?.(use, written);
    }
  }

  /** The output to the next stage, or the gradient of the input to the one before, if another rank has it. */
  private handOn(use: StageUse, to: number): void {
    const { action, works } = use;
    if (!this.crosses(Math.min(action.stage, to))) return;
    const there = this.begin({ ...action, stage: to }, action);
    for (const [i, { lane, graph }] of works.entries()) {
      const target = at(there.works, i).lane;
      const { microBatch } = action;
      const crossing =
        to > action.stage
          ? { buffer: graph.output, payload: 'activation' as const, microBatch }
          : { buffer: must(graph.inputGradient, 'input gradient'), payload: 'gradient' as const, microBatch };
      sendOver(this.step.builder, [lane, target], crossing);
    }
  }

  /** What follows on the lanes of the stage belongs to the action `of`; their buffers are there from now on. */
  private begin(action: PipelineAction, of: PipelineAction): StageUse {
    const use = stageUseOf(this.step, action);
    for (const lane of use.place.lanes) {
      if (this.step.kind.ofOneBatch) lane.startAction(of);
      else lane.startMicroBatch(of.microBatch);
      const key = `${lane.device} ${action.stage} ${action.microBatch}`;
      if (this.declared.has(key)) continue;
      this.declared.add(key);
      const work = use.works.find((each) => each.lane === lane);
      if (work) declareValues(lane, work.graph);
      else declareState(lane, at(use.works, 0).graph);
    }
    return use;
  }

  /** The stage and the next one are on different ranks. */
  private crosses(stage: number): boolean {
    const { stages } = this.step;
    return at(at(stages, stage).lanes, 0) !== at(at(stages, stage + 1).lanes, 0);
  }
}

const loadTargets = (lane: LaneBuilder, count: number): void =>
  emitLoad(lane, { buffer: 'y', source: 'targets', start: 0, count });

const namesOf = ({ graph }: StageGraph, ids: GraphNode['outputs']): readonly string[] =>
  ids.map((id) => at(graph.values, id).name);
