/**
 * torch.nn.DataParallel: one process drives N devices. Every forward scatters the batch by torch.chunk, broadcasts the parameters from
 * device 0, runs the replicas, gathers the outputs on device 0, where the loss is taken; backward goes the same way and sums the replicas'
 * gradients on device 0, the only one with an optimiser. With fewer chunks than devices the rest stay idle, as in PyTorch. Source:
 * torch/nn/parallel/{data_parallel,scatter_gather,replicate,comm}.py.
 */
import { at, must } from '../base/invariant';
import { chunkSizes } from '../data/chunk';
import { type Graph, GraphBuilder } from '../graph/graph';
import { buildLoss, CLASS_WEIGHTS } from '../nn/losses';
import { type LaneBuilder, ProgramBuilder, type Where } from '../program/builder';
import type { CollectiveRef, Payload } from '../protocol/trace';
import { elements } from '../tensor/shape';
import { declareValues, emitAccumulate, emitLoad, emitMasks, emitNode } from './emit';
import { emitOptimizer } from './emit-optimizer';
import { single } from './single';
import { nodesOf, type StageGraph, stageGraph } from './stage-graph';
import type { Strategy, StrategyInput } from './strategy';

const OUTPUT = 'output';
const OUTPUT_GRADIENT = 'output.grad';

export const dataParallel: Strategy = {
  mesh: ({ worldSize }) => ({ ranks: Array.from({ length: worldSize }, () => 0), processes: 1 }),
  layersOfDevice: (config) => Array.from({ length: config.worldSize }, () => config.model.layers.map((_, i) => i)),

  slices(config, [rows = 0]) {
    const sizes = chunkSizes(rows, config.worldSize);
    let start = 0;
    return Array.from({ length: config.worldSize }, (_, d) => {
      const count = sizes[d] ?? 0;
      const slice = [start, count] as const;
      start += count;
      return slice;
    });
  },

  compile(input, variant, [rows = 0]) {
    const slices = dataParallel.slices(input.config, [rows]).filter(([, count]) => count > 0);
    // One device: DataParallel calls the module itself. The other devices, if any, stay empty.
    if (slices.length === 1) return padded(single.compile(input, variant, [rows]), input.config.worldSize);

    const builder = new ProgramBuilder(dataParallel.mesh(input.config).ranks, input.ops);
    const root = builder.lane(0);
    const replicas = slices.map(([start, count], d) => ({
      lane: builder.lane(d),
      start,
      count,
      stage: stageGraph(input, { rows: count, withLoss: false, gradients: variant.gradients }),
    }));
    for (const { lane, stage } of replicas) declareValues(lane, stage);
    const move: Move = { builder, replicas };

    root.buffer({
      name: 'batch',
      shape: [rows, ...input.inputShape],
      dtype: input.inputType,
      category: 'data',
      persistent: false,
    });
    emitLoad(root, 'batch', 'inputs', 0, 0, rows);
    scatter(move, 'batch', (r) => r.stage.input, 'data', { phase: 'scatter', anchor: 'scatter' });
    replicate(move);
    for (const { lane, stage } of replicas) emitMasks(lane, stage);
    for (const node of nodesOf(at(replicas, 0).stage, 'forward').keys()) {
      for (const { lane, stage } of replicas)
        emitNode(lane, stage, must(nodesOf(stage, 'forward')[node], 'node'), 'parallel_apply');
    }
    const lossGraph = gatherAndLoss(move, input, rows);
    for (const node of lossGraph.nodes) emitNode(root, { graph: lossGraph, parameters: [] }, node);
    scatter(move, OUTPUT_GRADIENT, (r) => r.stage.outputGradient, 'gradient', {
      phase: 'backward',
      anchor: 'backward',
    });
    for (const node of nodesOf(at(replicas, 0).stage, 'backward').keys()) {
      for (const { lane, stage } of replicas)
        emitNode(lane, { graph: stage.graph, parameters: [] }, must(nodesOf(stage, 'backward')[node], 'node'));
    }
    reduceAddCoalesced(move);
    const { parameters } = at(replicas, 0).stage;
    emitAccumulate(root, parameters, { phase: 'reduce', anchor: 'backward' });
    if (variant.steps) emitOptimizer(root, input, parameters);
    return builder.finish('dataParallel', variant.name);
  },
};

interface Replica {
  readonly lane: LaneBuilder;
  readonly start: number;
  readonly count: number;
  readonly stage: StageGraph;
}

interface Move {
  readonly builder: ProgramBuilder;
  readonly replicas: readonly Replica[];
}

/** Rows of a buffer of device 0 to the replicas; device 0 keeps its own part by a copy. */
function scatter(
  { builder, replicas }: Move,
  from: string,
  to: (r: Replica) => string,
  payload: Payload,
  where: Where,
): void {
  const root = builder.lane(0);
  const perRow = elements(root.spec(from).shape.slice(1));
  const comm: Where = { ...where, queue: 'comm' };
  const collective: CollectiveRef = { seq: 0, op: 'scatter', algorithm: 'direct' };
  root.handOver('compute', 'comm', comm);
  for (const [d, r] of replicas.entries()) {
    const target = to(r);
    const slice = { buffer: from, offset: r.start * perRow, length: r.count * perRow };
    if (d === 0) {
      root.compute('ops/copy', [from], [target], { from: slice.offset, to: 0, length: slice.length }, where);
    } else {
      builder.transfer(
        { device: 0, slice, where: comm },
        { device: d, slice: r.lane.whole(target), where: comm },
        { name: `${target}.scatter`, payload, collective },
      );
      r.lane.handOver('comm', 'compute', where);
    }
  }
}

/** Broadcast.apply: device 0's parameters and buffers to every replica, on each forward; what the replicas do to buffers is lost. */
function replicate({ builder, replicas }: Move): void {
  const where: Where = { phase: 'replicate', anchor: 'replicate', queue: 'comm' };
  const collective: CollectiveRef = { seq: 1, op: 'broadcast', algorithm: 'direct' };
  const { graph } = at(replicas, 0).stage;
  const kept = graph.values.filter((v) => v.role === 'parameter' || (v.role === 'buffer' && v.name !== CLASS_WEIGHTS));
  for (const { name } of kept) {
    for (const { lane } of replicas.slice(1)) {
      builder.transfer(
        { device: 0, slice: builder.lane(0).whole(name), where },
        { device: lane.device, slice: lane.whole(name), where },
        { name: `${name}.replicate`, payload: 'parameter', collective },
      );
    }
  }
  for (const { lane } of replicas.slice(1)) lane.handOver('comm', 'compute', { ...where, queue: 'compute' });
}

/** Gather.apply (concatenate on device 0), then the loss there. Returns the loss's own graph. */
function gatherAndLoss({ builder, replicas }: Move, input: StrategyInput, rows: number): Graph {
  const root = builder.lane(0);
  const where: Where = { phase: 'gather', anchor: 'gather' };
  const comm: Where = { ...where, queue: 'comm' };
  const outputOf = (r: Replica) => r.stage.output;
  const rowShape = root.spec(outputOf(at(replicas, 0))).shape.slice(1);
  const perRow = elements(rowShape);

  const graph = new GraphBuilder(input.ops);
  const output = graph.value(OUTPUT, { shape: [rows, ...rowShape], dtype: 'f32' }, 'activation');
  const target = graph.value('y', { shape: [rows, ...input.targetShape], dtype: input.targetType }, 'target');
  const loss = buildLoss(graph, input.config.loss, output, target);
  graph.backward(new Map([[loss, graph.value('loss.grad', { shape: [1], dtype: 'f32' }, 'seed')]]), [output]);
  const finished = graph.finish();
  declareValues(root, {
    graph: finished,
    input: OUTPUT,
    output: OUTPUT,
    outputGradient: OUTPUT_GRADIENT,
    inputGradient: undefined,
    parameters: [],
    registered: [],
    masks: [],
    lossGradient: 1 / input.config.accumulate,
  });

  for (const [d, r] of replicas.entries()) {
    const slice = { buffer: OUTPUT, offset: r.start * perRow, length: r.count * perRow };
    if (d === 0) {
      root.compute('ops/copy', [outputOf(r)], [OUTPUT], { from: 0, to: slice.offset, length: slice.length }, where);
    } else {
      r.lane.handOver('compute', 'comm', comm);
      builder.transfer(
        { device: d, slice: r.lane.whole(outputOf(r)), where: comm },
        { device: 0, slice, where: comm },
        { name: 'output.gather', payload: 'activation', collective: { seq: 2, op: 'gather', algorithm: 'direct' } },
      );
    }
  }
  root.handOver('comm', 'compute', where);
  emitLoad(root, 'y', 'targets', 0, 0, rows);
  return finished;
}

/** Broadcast.backward: the replicas' gradients are summed into device 0's, in device order, not averaged. */
function reduceAddCoalesced({ builder, replicas }: Move): void {
  const root = builder.lane(0);
  const where: Where = { phase: 'reduce', anchor: 'reduce', queue: 'comm' };
  for (const { lane } of replicas) lane.handOver('compute', 'comm', where);
  for (const { fresh } of at(replicas, 0).stage.parameters) {
    for (const { lane } of replicas.slice(1)) {
      builder.transfer(
        { device: lane.device, slice: lane.whole(fresh), where },
        { device: 0, slice: root.whole(fresh), where },
        {
          name: `${fresh}.reduce`,
          payload: 'gradient',
          apply: 'add',
          collective: { seq: 3, op: 'reduce', algorithm: 'direct', summed: lane.device + 1 },
        },
      );
    }
  }
  root.handOver('comm', 'compute', { ...where, queue: 'compute' });
}

/** Adds empty lanes for the devices that get no chunk. */
function padded(program: ReturnType<typeof single.compile>, devices: number): ReturnType<typeof single.compile> {
  const empty = Array.from({ length: devices - 1 }, (_, k) => ({
    device: k + 1,
    rank: 0,
    buffers: [],
    instructions: [],
  }));
  return { ...program, mode: 'dataParallel', lanes: [...program.lanes, ...empty] };
}
