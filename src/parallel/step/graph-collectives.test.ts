/**
 * Every collective of a graph, and the one that its gradient makes, against plain sums over the ranks: along each axis
 * of a mesh of 2 x 3 ranks, where the groups work side by side, and over all ranks; by several algorithms; in one
 * memory space and over a transport. All numbers are small integers, so that every order of summation gives the same.
 */
import { describe, expect, test } from 'vitest';
import { at } from '../../base/invariant';
import { type Graph, GraphBuilder } from '../../graph/graph';
import {
  ALL_GATHER,
  ALL_REDUCE,
  BROADCAST,
  IDENTITY,
  isCollective,
  REDUCE,
  REDUCE_SCATTER,
} from '../../graph/ops/collective';
import { BROADCAST_AND_REDUCE } from '../../graph/ops/more-collectives';
import { type DeviceMesh, initDeviceMesh } from '../../mesh/device-mesh';
import { ProgramBuilder } from '../../program/builder';
import type { Program } from '../../program/instruction';
import { planMemory } from '../../program/memory-planner';
import { verify } from '../../program/verifier';
import type { AlgorithmName } from '../../protocol/collective';
import type { Axis, Group } from '../../protocol/mesh';
import { ALONE, programKey } from '../../protocol/step-kind';
import { createCpuExecutor } from '../../runtime/cpu/cpu-executor';
import type { Executor, Feed } from '../../runtime/executor';
import { memoryTransport } from '../../runtime/webgpu/testing/memory-transport';
import { type DType, elements } from '../../tensor/shape';
import { PROGRAM_OPS } from '../modes';
import { Arrivals } from './arrivals';
import { emitCollective } from './graph-collectives';

const MESH = { dpReplicate: 2, tp: 3 };
/** Rows that 2, 3 and 6 ranks divide. */
const SHAPE = [6, 2];

const GRAPH_OPS = new Map([...PROGRAM_OPS, ...BROADCAST_AND_REDUCE.map((op) => [op.name, op] as const)]);

type Rows = readonly number[];
/** What each rank of a group has afterwards, by what each brings. */
type Plain = (inputs: readonly Rows[]) => readonly Rows[];

const sum = (inputs: readonly Rows[]): Rows =>
  at(inputs, 0).map((_, i) => inputs.reduce((total, own) => total + at(own, i), 0));
const everywhere = (inputs: readonly Rows[], value: Rows) => inputs.map(() => value);
const part = (values: Rows, rank: number, ranks: number): Rows =>
  values.slice((rank * values.length) / ranks, ((rank + 1) * values.length) / ranks);

const same: Plain = (inputs) => inputs;
const allReduce: Plain = (inputs) => everywhere(inputs, sum(inputs));
const allGather: Plain = (inputs) => everywhere(inputs, inputs.flat());
const reduceScatter: Plain = (inputs) => inputs.map((_, rank) => part(sum(inputs), rank, inputs.length));
const broadcast: Plain = (inputs) => everywhere(inputs, at(inputs, 0));
const reduce: Plain = (inputs) => inputs.map((own, rank) => (rank === 0 ? sum(inputs) : own.map(() => 0)));

const CASES: readonly (readonly [op: string, forward: Plain, backward: Plain])[] = [
  [IDENTITY, same, allReduce],
  [ALL_REDUCE, allReduce, same],
  [ALL_GATHER, allGather, reduceScatter],
  [REDUCE_SCATTER, reduceScatter, allGather],
  [BROADCAST, broadcast, reduce],
  [REDUCE, reduce, broadcast],
];

function groupsOf(mesh: DeviceMesh, axis: Axis | undefined): readonly Group[] {
  return axis === undefined ? [mesh.world] : mesh.groups(axis);
}

/** y of x, and the gradient of x from that of y; where that is y's own, `gradient` names it. */
function graphOf(op: string, axis: Axis | undefined, ranks: number, dtype: DType) {
  const builder = new GraphBuilder(GRAPH_OPS);
  const x = builder.value('x', { shape: SHAPE, dtype }, 'input');
  const attrs = { ranks, ...(axis === undefined ? {} : { axis }) };
  const [y = x] = builder.apply(op, [x], attrs, { module: '0', phase: 'forward', names: ['y'] });
  const dy = builder.value('dy', builder.typeOf(y), 'gradient');
  const dx = dtype === 'f32' ? builder.backward(new Map([[y, dy]]), [x]).get(x) : undefined;
  const graph = builder.finish();
  return { graph, gradient: dx === undefined ? undefined : at(graph.values, dx).name };
}

function programOf(mesh: DeviceMesh, algorithm: AlgorithmName, { nodes, values }: Graph): Program {
  const builder = new ProgramBuilder(mesh, PROGRAM_OPS);
  const { lanes } = builder;
  for (const lane of lanes) {
    for (const { name, type } of values) lane.buffer({ name, ...type, category: 'activation', persistent: true });
    for (const buffer of ['x', 'dy'])
      lane.load({ buffer, source: 'inputs', start: 0, count: 0 }, { phase: 'data', anchor: 'x' });
  }
  const arrivals = new Arrivals();
  for (const node of nodes) {
    expect(isCollective(node)).toBe(true);
    const [input, output] = [at(node.inputs, 0), at(node.outputs, 0)].map((id) => at(values, id).name);
    const names = { input: input ?? '', output: output ?? '' };
    const places = { builder, algorithm, lanes, replicaGroups: [mesh.world], arrivals };
    for (const lane of lanes) arrivals.await(lane, [names.input]);
    emitCollective({ ...places, node, ...names, payload: 'activation' });
  }
  return builder.finish('test');
}

/** Small integers, different on every rank. */
const brought = (count: number, rank: number, seed: number): Rows =>
  Array.from({ length: count }, (_, i) => ((seed + 7 * rank + 5 * i) % 23) - 11);

async function results(program: Program, executors: readonly Executor[], feed: Feed, buffer: string) {
  await Promise.all(executors.map((executor) => executor.step(programKey(ALONE), feed)));
  return Promise.all(
    program.lanes.map(async ({ device }) => {
      const [values = []] = await (executors[device] ?? at(executors, 0)).read([{ device, buffer }]);
      return [...values];
    }),
  );
}

const onGroups = (groups: readonly Group[], plain: Plain, inputs: readonly Rows[]): readonly Rows[] => {
  const found = new Map<number, Rows>();
  for (const { ranks } of groups)
    plain(ranks.map((rank) => at(inputs, rank))).forEach((own, place) => {
      found.set(at(ranks, place), own);
    });
  return inputs.map((_, rank) => found.get(rank) ?? []);
};

describe.each(['tp', 'dpReplicate', undefined] as const)('along %s', (axis) => {
  test.each(CASES)('%s and its gradient', async (op, forward, backward) => {
    const mesh = initDeviceMesh(MESH);
    const groups = groupsOf(mesh, axis);
    const { graph, gradient = '' } = graphOf(op, axis, at(groups, 0).ranks.length, 'f32');
    const lengthOf = (name: string) => elements(graph.values.find((value) => value.name === name)?.type.shape ?? []);
    const inputsOf = (name: string) => mesh.devices.map((rank) => brought(lengthOf(name), rank, name.length));
    const feed: Feed = ({ buffer }, device) => Float32Array.from(at(inputsOf(buffer), device));
    for (const algorithm of ['ring', 'naive', 'halvingDoubling'] as const) {
      const program = programOf(mesh, algorithm, graph);
      verify(program, PROGRAM_OPS);
      expect(planMemory([program]).size).toBe(mesh.worldSize);
      const common = { programs: [program], ops: PROGRAM_OPS };
      const transport = memoryTransport();
      const placements = [
        [createCpuExecutor({ ...common, devices: mesh.devices })],
        mesh.devices.map((device) => createCpuExecutor({ ...common, devices: [device], transport })),
      ];
      for (const executors of placements) {
        expect(await results(program, executors, feed, 'y')).toEqual(onGroups(groups, forward, inputsOf('x')));
        expect(await results(program, executors, feed, gradient)).toEqual(onGroups(groups, backward, inputsOf('dy')));
      }
    }
  });
});

test('integers are gathered and broadcast as they are, and not summed', async () => {
  const mesh = initDeviceMesh({ tp: 2 });
  const inputs = mesh.devices.map((rank) => brought(elements(SHAPE), rank, 1));
  const feed: Feed = (_load, device) => Int32Array.from(at(inputs, device));
  for (const [op, plain] of [
    [ALL_GATHER, allGather],
    [BROADCAST, broadcast],
  ] as const) {
    const { graph } = graphOf(op, 'tp', 2, 'i32');
    const program = programOf(mesh, 'ring', graph);
    const executor = createCpuExecutor({ programs: [program], ops: PROGRAM_OPS, devices: mesh.devices });
    expect(await results(program, [executor], feed, 'y')).toEqual(plain(inputs));
  }
  for (const op of [ALL_REDUCE, REDUCE_SCATTER, REDUCE])
    expect(() => graphOf(op, 'tp', 2, 'i32')).toThrow(/a sum over ranks of i32/);
});

test('rows that the ranks do not divide are refused in torch’s words', () => {
  expect(() => graphOf(REDUCE_SCATTER, 'tp', 4, 'f32')).toThrow(/must be the same size as output size times world/);
});
