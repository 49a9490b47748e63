/**
 * The loop over the actions of a step. Each action is emitted for all ranks of its stage, node by node in turns, so
 * that all ranks reach a collective inside the graph together, and a sync sees a bucket as soon as it is ready. The
 * compute queue of a rank keeps the order of the actions. The walk knows neither schedules nor modes: the caller gives
 * the order. For the work of an action see torch/distributed/pipelining/stage.py. Called by step.ts.
 */
import { at } from '../../base/invariant';
import { Part } from '../../base/part';
import type { GraphNode } from '../../graph/graph';
import { isCollective, sendsNothing } from '../../graph/ops/collective';
import type { ProgramBuilder } from '../../program/builder';
import type { LaneBuilder, Where } from '../../program/lane-builder';
import type { Axis } from '../../protocol/mesh';
import type { Computation, PipelineAction } from '../../protocol/pipeline';
import type { TrainingKind } from '../../protocol/step-kind';
import type { Rank } from '../../protocol/trace';
import { declareState, declareValues, emitCompleted, emitLoad, emitMasks, emitNode } from '../emit';
import type { HalfValues } from '../emit-halves';
import { GRAD_SCALER } from '../emit-optimizer';
import type { ModeInput } from '../mode-input';
import { halvesOf, nodesOf, type ParameterRef, type StageGraph } from '../stage-graph';
import { Arrivals } from './arrivals';
import type { Borders } from './borders';
import type { StagePlace } from './place';
import type { StageUse, Sync, SyncedStage } from './sync';

/** Loaded for a run with SyncBatchNorm, or with layers that a tensor group shares. */
export const GRAPH_COLLECTIVES = new Part('The collectives inside a graph', () => import('./graph-collectives'));
if (!globalThis.LOCKSTEP_SITE) await GRAPH_COLLECTIVES.load();

export interface Step {
  readonly builder: ProgramBuilder;
  readonly input: ModeInput;
  readonly kind: TrainingKind;
  readonly stages: readonly StagePlace[];
  /** Actions of all ranks, in the order in which they would start if messages took no time. */
  readonly order: readonly PipelineAction[];
  readonly syncs: readonly Sync[];
  /** The graph that a rank of the stage computes. */
  graphOf(action: PipelineAction, rows: number, rank: Rank): StageGraph;
  /** Nodes of an action B, I or W; absent: every backward action is a whole backward pass. */
  backwardNodes?(graph: StageGraph, kind: Computation): readonly GraphNode[];
  /** What a rank's optimiser holds of the parameters that backward reaches; absent: the parameters themselves. */
  optimized?(lane: LaneBuilder, parameters: readonly ParameterRef[]): readonly ParameterRef[];
  /** Whether a rank's optimiser steps the parameter; absent: it steps all that the rank holds. */
  isStepped?(lane: LaneBuilder, parameter: string): boolean;
  /** Axes along which ranks have different pieces of one replica of the model; absent: the axes that cut tensors. */
  readonly piecesAlong?: readonly Axis[];
  /** Transfers between stages; absent: the run has one stage. */
  readonly borders?: Borders;
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
    return own === 0 ? [] : [{ lane, graph: graphOf(action, own, lane.rank), rows: own }];
  });
  return { action, place, works };
}

class Walker {
  private readonly declared = new Set<string>();
  private readonly halves = new Map<LaneBuilder, HalfValues>();
  private readonly arrivals = new Arrivals();

  constructor(private readonly step: Step) {}

  emit(action: PipelineAction): void {
    const { syncs, borders } = this.step;
    const use = this.begin(action, action);
    for (const work of use.works) {
      this.halvesOn(work.lane)?.startPass();
      borders?.receive(action, work);
      if (action.kind === 'F') this.load(action, work);
    }
    for (const sync of syncs) sync.beforeUse?.(use);
    if (action.kind === 'F') this.forward(use);
    else this.inTurns(use, (graph) => this.backwardNodes(graph, action));
    borders?.send(use, (there, of) => this.begin(there, of));
    for (const sync of syncs) sync.afterUse?.(use);
  }

  /** Loads the data of a forward pass from the host. A stage that needs both loads targets with the inputs. */
  private load({ stage }: PipelineAction, { lane, graph, rows: count }: SyncedStage): void {
    if (stage === 0) emitLoad(lane, { buffer: graph.input, source: 'inputs', start: 0, count });
    if (stage === 0 && this.isLast(stage)) loadTargets(lane, count);
    emitMasks(lane, graph);
  }

  private forward(use: StageUse): void {
    const { stage } = use.action;
    this.inTurns(use, (graph) => nodesOf(graph, 'forward'));
    if (!this.isLast(stage)) return;
    if (stage > 0) for (const { lane, rows } of use.works) loadTargets(lane, rows);
    this.inTurns(use, (graph) => nodesOf(graph, 'loss'));
    const { config } = this.step.input;
    if (config.gradScaler.enabled)
      for (const { lane, graph } of use.works) GRAD_SCALER.get().emitScaledSeed(lane, config, graph.lossGradient);
  }

  private backwardNodes(graph: StageGraph, { kind }: PipelineAction): readonly GraphNode[] {
    return this.step.backwardNodes?.(graph, kind) ?? nodesOf(graph, 'backward');
  }

  private isLast(stage: number): boolean {
    return stage === this.step.stages.length - 1;
  }

  /** Every lane emits its k-th node before any lane emits the next one. */
  private inTurns(use: StageUse, list: (graph: StageGraph) => readonly GraphNode[]): void {
    const { syncs } = this.step;
    const turns = use.works.map((work) => ({ ...work, nodes: list(work.graph) }));
    const count = Math.max(0, ...turns.map(({ nodes }) => nodes.length));
    for (let k = 0; k < count; k++) {
      const { graph, nodes } = at(turns, 0);
      const first = nodes[k];
      const own = turns.flatMap(({ lane, graph: of, nodes: ofTurn }) => {
        const node = ofTurn[k];
        return node ? [{ lane, graph: of, node }] : [];
      });
      const together = first !== undefined && isCollective(first);
      for (const { lane, graph: of, node } of own) this.arrivals.await(lane, namesOf(of, node.inputs));
      if (first) for (const sync of syncs) sync.beforeNode?.(use, first);
      if (together) {
        for (const { lane, graph: of, node } of own) this.halvesOn(lane)?.before(of.graph, node, whereOf(node));
        this.collective(use.place, graph, first);
      }
      for (const { lane, graph: of, node } of own) {
        if (together) this.completed(lane, of, node);
        else emitNode(lane, of, node, undefined, this.halvesOn(lane));
      }
      if (first) for (const sync of syncs) sync.afterNode?.(use, first);
      if (first?.phase !== 'backward') continue;
      const written = own.map(({ lane, graph: of, node }) => ({ lane, names: namesOf(of, node.outputs) }));
      for (const sync of syncs) sync.ready?.(use, written);
    }
    for (const { lane } of turns) this.arrivals.await(lane);
  }

  /** Waits at once for a gradient that arrives by messages, because a sync may read it from here on. */
  private completed(lane: LaneBuilder, graph: StageGraph, node: GraphNode): void {
    const outputs = namesOf(graph, node.outputs);
    if (graph.parameters.some(({ fresh }) => outputs.includes(fresh))) this.arrivals.await(lane, outputs);
    if (sendsNothing(node)) this.halvesOn(lane)?.after(graph.graph, node, whereOf(node));
    emitCompleted(lane, graph, node);
  }

  private halvesOn(lane: LaneBuilder): HalfValues | undefined {
    const made = this.halves.get(lane) ?? halvesOf(this.step.input.config, lane);
    if (made) this.halves.set(lane, made);
    return made;
  }

  private collective({ lanes, replicaGroups }: StagePlace, { graph }: StageGraph, node: GraphNode): void {
    const { builder, input: given } = this.step;
    const { algorithm } = given.config.ddp;
    const { name: input, half } = at(graph.values, at(node.inputs, 0));
    const { name: output, role } = at(graph.values, at(node.outputs, 0));
    const payload = role === 'gradient' ? 'gradient' : 'activation';
    const { arrivals } = this;
    const places = { builder, algorithm, lanes, replicaGroups, arrivals };
    GRAPH_COLLECTIVES.get().emitCollective({ ...places, node, input, output, half, payload });
  }

  /** The next instructions on the stage's lanes belong to the action `of`. Declares the lanes' buffers on first use. */
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
}

const loadTargets = (lane: LaneBuilder, count: number): void =>
  emitLoad(lane, { buffer: 'y', source: 'targets', start: 0, count });

const whereOf = ({ phase, module }: GraphNode): Where => ({ phase, anchor: phase, module });

const namesOf = ({ graph }: StageGraph, ids: GraphNode['outputs']): readonly string[] =>
  ids.map((id) => at(graph.values, id).name);
