/**
 * The Program of a single collective, and its ranks' inputs. run-lab.ts executes it, lab-curves.ts simulates it,
 * measure-lab.ts measures it.
 */

import { LockstepError } from '../base/errors';
import { algorithmFor, loadedAlgorithms } from '../collectives/algorithms';
import '../collectives/every-algorithm';
import type { Algorithm, CostRequest } from '../collectives/collective';
import { outputLength } from '../collectives/output-length';
import { initDeviceMesh } from '../mesh/device-mesh';
import { ranksByNode } from '../mesh/nodes';
import { PROGRAM_OPS } from '../parallel/modes';
import { ProgramBuilder } from '../program/builder';
import type { Program } from '../program/instruction';
import type { AlgorithmName, CollectiveOp, ReduceOp } from '../protocol/collective';
import { LIMITS } from '../protocol/config';
import type { LabRequest } from '../protocol/lab';
import { bytesOf, type DType } from '../tensor/shape';

export const INPUT = 'input';
export const OUTPUT = 'output';

/** The most elements that the lab allocates, for all buffers together. */
const MOST_ELEMENTS = 2 ** 25;

export type LabShape = Pick<LabRequest, 'op' | 'reduceOp' | 'algorithm' | 'worldSize' | 'length' | 'root' | 'nodes'>;

/** The length; for collectives that divide the input into one part per rank, the next multiple of the world size. */
export function labLength({ op, worldSize, length }: Pick<LabShape, 'op' | 'worldSize' | 'length'>): number {
  const parts = op === 'scatter' || op === 'reduceScatter' || op === 'allToAll';
  return parts ? Math.ceil(length / worldSize) * worldSize : length;
}

export const isBitwise = (reduceOp: ReduceOp): boolean =>
  reduceOp === 'band' || reduceOp === 'bor' || reduceOp === 'bxor';

export const reduces = (op: CollectiveOp): boolean => op === 'allReduce' || op === 'reduce' || op === 'reduceScatter';

export const labDtype = ({ op, reduceOp }: Pick<LabShape, 'op' | 'reduceOp'>): DType =>
  reduces(op) && isBitwise(reduceOp) ? 'i32' : 'f32';

export const knownAlgorithms = (op: CollectiveOp): readonly AlgorithmName[] =>
  loadedAlgorithms()
    .filter((algorithm) => algorithm.ops.includes(op))
    .map(({ name }) => name);

export const costRequest = (shape: LabShape): CostRequest => ({
  op: shape.op,
  bytes: bytesOf(labDtype(shape)) * labLength(shape),
  dtype: labDtype(shape),
  worldSize: shape.worldSize,
  root: shape.root,
  ...(shape.nodes > 1 ? { nodes: ranksByNode(shape.worldSize, shape.nodes) } : {}),
});

export function labProgram(shape: LabShape): { readonly program: Program; readonly algorithm: Algorithm } {
  const { op, worldSize, nodes } = shape;
  const length = labLength(shape);
  const out = outputLength(op, length, worldSize);
  const algorithm = algorithmFor(shape.algorithm, op);
  const builder = new ProgramBuilder(initDeviceMesh({ dpReplicate: worldSize }), PROGRAM_OPS);
  const base = { dtype: labDtype(shape), category: 'communication', persistent: true } as const;
  for (const lane of builder.lanes) {
    lane.buffer({ ...base, name: INPUT, shape: [length] });
    if (out !== undefined) lane.buffer({ ...base, name: OUTPUT, shape: [out] });
  }
  algorithm.emit({
    builder,
    op,
    group: builder.mesh.world,
    input: INPUT,
    ...(out === undefined ? {} : { output: OUTPUT }),
    length,
    root: shape.root,
    reduceOp: shape.reduceOp,
    payload: 'data',
    where: { phase: 'reduce', anchor: '', queue: 'comm' },
    ...(nodes > 1 ? { nodes: ranksByNode(worldSize, nodes) } : {}),
  });
  return { program: builder.finish('lab'), algorithm };
}

/** Throws 'config' if the request is outside its limits. */
export function checkRequest(request: LabRequest): void {
  const { worldSize, length, root, nodes, startUs, link, across } = request;
  const whole = (value: number, low: number, high: number) => Number.isInteger(value) && value >= low && value <= high;
  const refuse = (text: string, hint: string): never => {
    throw new LockstepError('config', text, hint);
  };
  if (!whole(worldSize, 1, LIMITS.collective))
    refuse(`The lab cannot run ${worldSize} ranks.`, `Choose 1 to ${LIMITS.collective} ranks.`);
  if (!whole(length, 0, MOST_ELEMENTS))
    refuse(`A buffer cannot have ${length} elements.`, `Choose 0 to ${MOST_ELEMENTS} elements.`);
  if (!whole(root, 0, worldSize - 1))
    refuse(`Invalid rank ${root} for a group of ${worldSize}.`, `Choose a root from 0 to ${worldSize - 1}.`);
  if (!whole(nodes, 1, LIMITS.collective)) refuse(`nodes is ${nodes}.`, `Choose 1 to ${LIMITS.collective} nodes.`);
  if (!(startUs >= 0 && Number.isFinite(startUs)))
    refuse(`The start of a collective takes ${startUs} µs.`, 'Choose 0 µs or more.');
  for (const { latencyUs, bytesPerSecond } of [link, across])
    if (!(latencyUs >= 0 && bytesPerSecond > 0 && Number.isFinite(latencyUs) && Number.isFinite(bytesPerSecond)))
      refuse('A link needs a latency of 0 µs or more and a bandwidth above 0.', 'Choose other values for the link.');
  const padded = labLength(request);
  const elements = worldSize * (padded + (outputLength(request.op, padded, worldSize) ?? 0));
  const each = bytesOf(labDtype(request));
  if (elements > MOST_ELEMENTS)
    refuse(
      `The buffers of ${worldSize} ranks would take ${Math.round((each * elements) / 2 ** 20)} MiB.`,
      `The lab really runs the collective; choose a smaller buffer or fewer ranks: together at most ${(each * MOST_ELEMENTS) / 2 ** 20} MiB.`,
    );
}
