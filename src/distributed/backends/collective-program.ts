/**
 * A collective of a group as a Program of its own: a lane a rank, the input, the output, and the rounds of the
 * algorithm. Backends run it.
 */

import { algorithmFor } from '../../collectives/algorithms';
import { initDeviceMesh } from '../../mesh/device-mesh';
import { PROGRAM_OPS } from '../../parallel/modes';
import { ProgramBuilder } from '../../program/builder';
import type { BufferSpec, Program } from '../../program/instruction';
import { verify } from '../../program/verifier';
import type { CollectiveOp } from '../../protocol/collective';
import type { CollectiveRequest } from './group-backend';

export const INPUT = 'input';
export const OUTPUT = 'output';

/** How many elements come out, of `length` that go in; 0: in place. */
const OUTPUT_LENGTH: Readonly<Record<CollectiveOp, (length: number, worldSize: number) => number>> = {
  allReduce: () => 0,
  broadcast: () => 0,
  reduce: () => 0,
  barrier: () => 0,
  sendRecv: () => 0,
  gather: (length, n) => length * n,
  allGather: (length, n) => length * n,
  scatter: (length, n) => length / n,
  reduceScatter: (length, n) => length / n,
  allToAll: (length) => length,
};

export const outputLength = ({ op, length, worldSize }: CollectiveRequest): number =>
  OUTPUT_LENGTH[op](length, worldSize);

export const requestKey = (request: CollectiveRequest): string =>
  [request.op, request.algorithm, request.dtype, request.length, request.root ?? '', request.reduceOp ?? ''].join(' ');

export function collectiveProgram(request: CollectiveRequest): Program {
  const { op, algorithm, worldSize, dtype, length, root, reduceOp, nodes } = request;
  const builder = new ProgramBuilder(initDeviceMesh({ dpReplicate: worldSize }), PROGRAM_OPS);
  const buffer = (name: string, n: number): BufferSpec => ({
    name,
    shape: [n],
    dtype,
    category: 'communication',
    persistent: true,
  });
  const out = outputLength(request);
  for (const lane of builder.lanes) {
    lane.buffer(buffer(INPUT, Math.max(1, length)));
    if (out > 0) lane.buffer(buffer(OUTPUT, out));
  }
  algorithmFor(algorithm, op).emit({
    builder,
    op,
    group: builder.mesh.world,
    input: INPUT,
    output: OUTPUT,
    length,
    ...(root === undefined ? {} : { root }),
    ...(reduceOp === undefined ? {} : { reduceOp }),
    ...(nodes === undefined ? {} : { nodes }),
    payload: 'data',
    where: { phase: 'reduce', anchor: 'collective', queue: 'comm' },
  });
  const program = builder.finish('distributed');
  verify(program, PROGRAM_OPS);
  return program;
}
