/**
 * The Program of a pipeline's step: the actions of the schedule in the order in which they would start if messages took
 * no time, each emitted for all replicas of the pipeline. Within a rank the compute queue has the schedule's order;
 * activations go to the rank of the next stage as soon as a forward has made them, gradients to that of the stage
 * before. Source: torch/distributed/pipelining/schedules.py and stage.py. Called through compiler.ts.
 */
import { at, must } from '../../base/invariant';
import type { GraphNode } from '../../graph/graph';
import type { DeviceMesh } from '../../mesh/device-mesh';
import { ProgramBuilder } from '../../program/builder';
import type { Program } from '../../program/instruction';
import type { LaneBuilder, Where } from '../../program/lane-builder';
import type { PipelineAction } from '../../protocol/pipeline';
import { stepsAfter, type TrainingKind } from '../../protocol/step-kind';
import { actionsOf } from '../../schedules/actions-of';
import type { Schedule } from '../../schedules/schedule';
import { timingOf } from '../../schedules/timing';
import { declareValues, emitLoad, emitMasks, emitNode } from '../emit';
import { emitOptimizerOver } from '../emit-optimizer';
import type { ModeInput } from '../mode';
import { nodesOf, type StageGraph } from '../stage-graph';
import { nodesOfAction } from './backward-halves';
import { createGradients, type Gradients } from './gradients';
import { createStageGraphs, type StageRun, scheduleOf } from './stages';

const FORWARD: Where = { phase: 'forward', anchor: 'send_activation' };
const BACKWARD: Where = { phase: 'backward', anchor: 'send_gradient' };

export function compile(input: ModeInput, kind: TrainingKind, mesh: DeviceMesh): Program {
  const builder = new ProgramBuilder(mesh, input.ops);
  const schedule = scheduleOf(input.config, kind.microBatches.length);
  const step = new PipelineStep(builder, input, schedule, kind);
  const order = timingOf(schedule).cells.toSorted((a, b) => a.start - b.start || a.rank - b.rank);
  for (const { action } of order) step.emit(action);
  step.end();
  return builder.finish('pipeline', kind);
}

/** One replica of the pipeline. */
interface Replica {
  readonly dataIndex: number;
  /** By pipeline rank. */
  readonly lanes: readonly LaneBuilder[];
}

class PipelineStep {
  private readonly replicas: readonly Replica[];
  private readonly graphOf: (stage: number, run: StageRun) => StageGraph;
  /** By stage, the micro-batch whose gradients come first, and replace those of the step before. */
  private readonly firsts: readonly number[];
  private readonly gradients: Gradients;
  private readonly declared = new Set<string>();

  constructor(
    private readonly builder: ProgramBuilder,
    private readonly input: ModeInput,
    private readonly schedule: Schedule,
    private readonly kind: TrainingKind,
  ) {
    const { mesh } = builder;
    this.replicas = mesh.groups('pp').map((group) => ({
      dataIndex: mesh.dataIndex(at(group.ranks, 0)),
      lanes: builder.lanesOf(group),
    }));
    this.graphOf = createStageGraphs(input, schedule);
    this.firsts = firstGradients(schedule);
    this.gradients = createGradients({ builder, input, schedule, lanesOf: (stage) => this.lanesOf(stage) });
  }

  emit(action: PipelineAction): void {
    for (const replica of this.replicas) {
      const { lane } = this.at(replica, action);
      lane.startAction(action);
      this.declare(replica, action);
    }
    if (action.kind === 'F') for (const replica of this.replicas) this.forward(replica, action);
    else this.backward(action);
  }

  /** What follows the last action: gradients are averaged and divided, and the optimiser steps. */
  end(): void {
    const { builder, input, schedule, kind } = this;
    for (const lane of builder.lanes) lane.startMicroBatch(0);
    const stages = Array.from({ length: schedule.stages }, (_, stage) => ({
      stage,
      parameters: this.graph(at(this.replicas, 0), { stage, kind: 'B', microBatch: at(this.firsts, stage) }).parameters,
    }));
    this.gradients.finish(stages);
    if (!stepsAfter(kind, kind.microBatches.length - 1)) return;
    for (const { lanes } of this.replicas) {
      const counted = new Set<string>();
      const parts = lanes.map((lane, rank) => {
        const held = stages.flatMap(({ stage, parameters }) =>
          at(schedule.rankOfStage, stage) === rank ? parameters : [],
        );
        const parameters = [...new Map(held.map((p) => [p.name, p])).values()];
        const inNorm = parameters.filter(({ name }) => !counted.has(name));
        for (const { name } of inNorm) counted.add(name);
        return { lane, parameters, inNorm };
      });
      emitOptimizerOver(builder, input, parts);
    }
  }

  private lanesOf(stage: number): readonly LaneBuilder[] {
    return this.replicas.map(({ lanes }) => at(lanes, at(this.schedule.rankOfStage, stage)));
  }

  private graph({ dataIndex }: Replica, { stage, microBatch }: PipelineAction): StageGraph {
    const { microBatches } = this.kind;
    const isFirst = at(this.firsts, stage) === microBatch;
    const gradients = isFirst ? at(microBatches, 0).gradients : 'add';
    return this.graphOf(stage, { rows: at(at(microBatches, microBatch).rows, dataIndex), gradients });
  }

  private at(replica: Replica, action: PipelineAction) {
    const lane = at(replica.lanes, at(this.schedule.rankOfStage, action.stage));
    return { lane, graph: this.graph(replica, action) };
  }

  /** The buffers of a stage for a micro-batch. */
  private declare(replica: Replica, action: PipelineAction): void {
    const { lane, graph } = this.at(replica, action);
    const key = `${lane.device} ${action.stage} ${action.microBatch}`;
    if (this.declared.has(key)) return;
    this.declared.add(key);
    declareValues(lane, graph);
  }

  private forward(replica: Replica, action: PipelineAction): void {
    const { lane, graph } = this.at(replica, action);
    const { stage, microBatch } = action;
    const isLast = stage === this.schedule.stages - 1;
    const count = at(at(this.kind.microBatches, microBatch).rows, replica.dataIndex);
    if (stage === 0) emitLoad(lane, { buffer: graph.input, source: 'inputs', start: 0, count });
    else if (this.crosses(stage - 1)) lane.wait(`${graph.input}.received`, FORWARD);
    emitMasks(lane, graph);
    for (const node of nodesOf(graph, 'forward')) emitNode(lane, graph, node);
    if (isLast) {
      emitLoad(lane, { buffer: 'y', source: 'targets', start: 0, count });
      for (const node of nodesOf(graph, 'loss')) emitNode(lane, graph, node);
    } else if (this.crosses(stage))
      this.send(replica, action, { to: stage + 1, buffer: graph.output, payload: 'activation', where: FORWARD });
  }

  /** The replicas do the nodes of it in turns, so that the reducer sees a bucket ready when it is. */
  private backward(action: PipelineAction): void {
    const { stage, kind } = action;
    const own = this.replicas.map((replica) => ({ replica, ...this.at(replica, action) }));
    if (kind !== 'W' && stage < this.schedule.stages - 1 && this.crosses(stage))
      for (const { lane, graph } of own) lane.wait(`${graph.outputGradient}.received`, BACKWARD);
    this.gradients.start(action, at(own, 0).graph);
    const nodes = own.map(({ graph }) => nodesOfAction(graph, kind));
    for (let k = 0; k < Math.max(...nodes.map((list) => list.length)); k++) {
      const emitted: { lane: LaneBuilder; graph: StageGraph; node: GraphNode }[] = [];
      own.forEach(({ lane, graph }, i) => {
        const node = nodes[i]?.[k];
        if (!node) return;
        emitNode(lane, graph, node);
        emitted.push({ lane, graph, node });
      });
      this.gradients.written(action, emitted);
    }
    if (kind === 'W' || stage === 0 || !this.crosses(stage - 1)) return;
    for (const { replica, graph } of own)
      this.send(replica, action, {
        to: stage - 1,
        buffer: must(graph.inputGradient, 'input gradient'),
        payload: 'gradient',
        where: BACKWARD,
      });
  }

  /** The stage and the next one are on different ranks. */
  private crosses(stage: number): boolean {
    const { rankOfStage } = this.schedule;
    return at(rankOfStage, stage) !== at(rankOfStage, stage + 1);
  }

  /** Moves a whole buffer of the same name to the rank of another stage, between the two compute queues. */
  private send(
    replica: Replica,
    action: PipelineAction,
    { to, buffer, payload, where }: { to: number; buffer: string; payload: 'activation' | 'gradient'; where: Where },
  ): void {
    const comm: Where = { ...where, queue: 'comm' };
    const there = { ...action, stage: to };
    const { lane: source } = this.at(replica, action);
    const { lane: target } = this.at(replica, there);
    target.startAction(action);
    this.declare(replica, there);
    source.handOver('compute', 'comm', comm);
    this.builder.transfer(
      { device: source.device, slice: source.whole(buffer), where: comm },
      { device: target.device, slice: target.whole(buffer), where: comm },
      { name: `${buffer}@${action.microBatch}`, payload },
    );
    target.signal('comm', `${buffer}.received`);
  }
}

/** By stage, the micro-batch whose weight gradients are made first. */
function firstGradients({ stages, orders }: Schedule): readonly number[] {
  const firsts: (number | undefined)[] = Array.from({ length: stages });
  for (const { stage, kind, microBatch } of orders.flatMap(actionsOf))
    if (kind === 'B' || kind === 'W') firsts[stage] ??= microBatch;
  return firsts.map((first, stage) => must(first, `a backward of stage ${stage}`));
}
