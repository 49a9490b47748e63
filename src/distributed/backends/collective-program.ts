/**
 * A collective of a group as a Program of its own: one lane per rank, the input, the output, and the rounds of the
 * algorithm. Backends run it.
 */

import { algorithmFor } from '../../collectives/algorithms';
import '../../collectives/every-algorithm';
import { outputLength } from '../../collectives/output-length';
import { initDeviceMesh } from '../../mesh/device-mesh';
import { PROGRAM_OPS } from '../../parallel/modes';
import { ProgramBuilder } from '../../program/builder';
import type { BufferSpec, Program } from '../../program/instruction';
import { verify } from '../../program/verifier';
import type { CollectiveRequest } from './group-backend';

export const INPUT = 'input';
export const OUTPUT = 'output';

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
  const out = outputLength(op, length, worldSize);
  for (const lane of builder.lanes) {
    lane.buffer(buffer(INPUT, Math.max(1, length)));
    if (out !== undefined && out > 0) lane.buffer(buffer(OUTPUT, out));
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
