/** One collective as a Program of its own, and what its definition says must come out, for tests. */

import { at, must } from '../../base/invariant';
import { initDeviceMesh } from '../../mesh/device-mesh';
import { ProgramBuilder } from '../../program/builder';
import type { Program } from '../../program/instruction';
import type { AlgorithmName, CollectiveOp, ReduceOp } from '../../protocol/collective';
import type { DeviceIndex } from '../../protocol/trace';
import type { DType, HostArray } from '../../tensor/shape';
import { algorithmFor } from '../algorithms';
import { COMM_OPS } from '../bucket-ops';
import { outputLength } from '../output-length';

export interface Collective {
  readonly algorithm: AlgorithmName;
  readonly op: CollectiveOp;
  readonly reduceOp: ReduceOp;
  /** Devices of the mesh, of which those of `group` take part. */
  readonly mesh: number;
  readonly group: readonly DeviceIndex[];
  readonly root: number;
  readonly nodes?: readonly (readonly number[])[];
  /** What each rank of the group brings. */
  readonly inputs: readonly HostArray[];
}

const BITWISE: readonly ReduceOp[] = ['band', 'bor', 'bxor'];
export const dtypeOf = (reduceOp: ReduceOp): DType => (BITWISE.includes(reduceOp) ? 'i32' : 'f32');
const IN_PLACE: readonly CollectiveOp[] = ['allReduce', 'broadcast', 'reduce'];

/** The buffer in which a collective leaves its result. */
export const resultBuffer = (op: CollectiveOp): 'in' | 'out' => (IN_PLACE.includes(op) ? 'in' : 'out');

/** A Program of it alone, over buffers 'in' and 'out' on every device of the mesh. */
export function programOf(trial: Collective): Program {
  const builder = new ProgramBuilder(initDeviceMesh({ dpReplicate: trial.mesh }), COMM_OPS);
  emitTrial(builder, trial);
  return builder.finish('test');
}

/** `name`: buffers are '<name> in' and '<name> out'. */
export function emitTrial(builder: ProgramBuilder, trial: Collective, name?: string): void {
  const { algorithm, op, reduceOp, mesh, group, root, nodes, inputs } = trial;
  const length = inputs[0]?.length ?? 0;
  const [input, output] = ['in', 'out'].map((which) => (name === undefined ? which : `${name} ${which}`));
  const common = { dtype: dtypeOf(reduceOp), category: 'communication', persistent: true } as const;
  for (const lane of builder.lanes) {
    lane.buffer({ ...common, name: must(input, 'in'), shape: [length] });
    lane.buffer({ ...common, name: must(output, 'out'), shape: [outputLength(op, length, group.length) ?? length] });
  }
  algorithmFor(algorithm, op).emit({
    builder,
    op,
    group: { id: group.length < mesh ? 1 : 0, ranks: group },
    input: must(input, 'in'),
    output: must(output, 'out'),
    length,
    root,
    reduceOp,
    payload: 'data',
    ...(nodes ? { nodes } : {}),
    where: { phase: 'reduce', anchor: 'allreduce', queue: 'comm' },
  });
}

function joined(reduceOp: ReduceOp, values: readonly number[]): number {
  const fold = (by: (a: number, b: number) => number): number => values.reduce(by);
  switch (reduceOp) {
    case 'sum':
      return fold((a, b) => a + b);
    case 'avg':
      return fold((a, b) => a + b) / values.length;
    case 'product':
      return fold((a, b) => a * b);
    case 'min':
      return Math.min(...values);
    case 'max':
      return Math.max(...values);
    case 'band':
      return fold((a, b) => a & b);
    case 'bor':
      return fold((a, b) => a | b);
    case 'bxor':
      return fold((a, b) => a ^ b);
  }
}

/** What each rank has in the end; undefined: not defined there. In double precision. */
export function expectedOf({ op, reduceOp, inputs, root }: Collective): readonly (readonly number[] | undefined)[] {
  const n = inputs.length;
  const values = inputs.map((input) => [...input]);
  const length = at(values, 0).length;
  const own = length / n;
  const reduced = () =>
    Array.from({ length }, (_, i) =>
      joined(
        reduceOp,
        values.map((v) => at(v, i)),
      ),
    );
  const everyone = <T>(value: (rank: number) => T): T[] => values.map((_, rank) => value(rank));
  const rooted = <T>(value: T) => everyone((rank) => (rank === root ? value : undefined));
  const part = (list: readonly number[], rank: number) => list.slice(rank * own, (rank + 1) * own);
  switch (op) {
    case 'allReduce':
      return everyone(reduced);
    case 'reduce':
      return rooted(reduced());
    case 'broadcast':
      return everyone(() => at(values, root));
    case 'scatter':
      return everyone((rank) => part(at(values, root), rank));
    case 'gather':
      return rooted(values.flat());
    case 'allGather':
      return everyone(() => values.flat());
    case 'reduceScatter':
      return everyone((rank) => part(reduced(), rank));
    case 'allToAll':
      return everyone((rank) => values.flatMap((list) => part(list, rank)));
    default:
      return everyone(() => undefined);
  }
}

/** Bytes that each rank of the group sends in the Program. */
export const bytesSent = (program: Program, group: readonly DeviceIndex[]): readonly number[] =>
  group.map((device) =>
    at(program.lanes, device).instructions.reduce((sum, i) => sum + (i.kind === 'send' ? i.bytes : 0), 0),
  );
