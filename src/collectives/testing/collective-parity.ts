/**
 * What gloo computed (PyTorch 1.13, fixtures/collectives.json) as Programs of one executor, one variant per result and
 * algorithm, for tests on every kind of executor and transport.
 */

import { at } from '../../base/invariant';
import { initDeviceMesh } from '../../mesh/device-mesh';
import { ProgramBuilder } from '../../program/builder';
import type { Program } from '../../program/instruction';
import type { Where } from '../../program/lane-builder';
import type { CollectiveOp, ReduceOp } from '../../protocol/collective';
import { programKey } from '../../protocol/step-kind';
import type { DeviceIndex } from '../../protocol/trace';
import type { Executor } from '../../runtime/executor';
import type { HostArray } from '../../tensor/shape';
import { loadedAlgorithms } from '../algorithms';
import { COMM_OPS } from '../bucket-ops';
import fixtures from '../fixtures/collectives.json';
import { emitSendRecv } from '../send-recv';
import { type Collective, emitTrial, resultBuffer } from './collective-run';

export const CASES = fixtures.cases;
type Case = (typeof CASES)[number];
type Stored = { readonly dtype: string; readonly b64: string };

function decode({ dtype, b64 }: Stored): HostArray {
  const { buffer } = Uint8Array.from(Buffer.from(b64, 'base64'));
  return dtype === 'i32' ? new Int32Array(buffer) : new Float32Array(buffer);
}

/** Name of the result, what computes it, from which inputs. */
const RESULTS: readonly (readonly [keyof Case['results'], CollectiveOp, ReduceOp, 'inputs' | 'inputs_big'])[] = [
  ['all_reduce_SUM', 'allReduce', 'sum', 'inputs'],
  ['all_reduce_PRODUCT', 'allReduce', 'product', 'inputs'],
  ['all_reduce_MIN', 'allReduce', 'min', 'inputs'],
  ['all_reduce_MAX', 'allReduce', 'max', 'inputs'],
  ['all_reduce_AVG_by_hand', 'allReduce', 'avg', 'inputs'],
  ['all_reduce_int32_BAND', 'allReduce', 'band', 'inputs'],
  ['all_reduce_int32_BOR', 'allReduce', 'bor', 'inputs'],
  ['all_reduce_int32_BXOR', 'allReduce', 'bxor', 'inputs'],
  ['broadcast', 'broadcast', 'sum', 'inputs'],
  ['reduce_SUM', 'reduce', 'sum', 'inputs'],
  ['all_gather', 'allGather', 'sum', 'inputs'],
  ['gather', 'gather', 'sum', 'inputs'],
  ['scatter', 'scatter', 'sum', 'inputs_big'],
  ['all_to_all_single', 'allToAll', 'sum', 'inputs_big'],
  ['reduce_scatter_SUM_by_hand', 'reduceScatter', 'sum', 'inputs_big'],
];

export interface ParityVariant {
  readonly name: string;
  readonly program: Program;
  readonly inputs: readonly HostArray[];
  /** The buffer with the result. */
  readonly result: string;
  /** By rank; null: not defined there. */
  readonly expected: readonly (Stored | null)[];
  /** To the bit; else within 1e-6. */
  readonly exact: boolean;
}

const WHERE: Where = { phase: 'reduce', anchor: 'allreduce', queue: 'comm' };

export function parityVariants(stored: Case): readonly ParityVariant[] {
  const n = stored.world_size;
  const ranks = Array.from({ length: n }, (_, r) => r);
  const variants: ParityVariant[] = [];
  for (const { name: algorithm, ops } of loadedAlgorithms()) {
    for (const [result, op, reduceOp, from] of RESULTS) {
      if (!ops.includes(op)) continue;
      const bits = ['band', 'bor', 'bxor'].includes(reduceOp);
      const inputs = stored[from].map((each) => {
        const floats = decode(each);
        // What the script had: (x * 10).int()
        return bits ? Int32Array.from(floats, (x) => Math.trunc(Math.fround(x * 10))) : floats;
      });
      const trial: Collective = { algorithm, op, reduceOp, mesh: n, group: ranks, root: stored.root, inputs };
      const name = `${algorithm} ${result}`;
      const builder = builderFor(n);
      emitTrial(builder, trial, name);
      const sums = reduceOp === 'sum' && ['allReduce', 'reduce', 'reduceScatter'].includes(op);
      const ordered = reduceOp === 'product' || reduceOp === 'avg' || sums;
      variants.push({
        name,
        program: builder.finish('parity', { type: 'alone', name }),
        inputs,
        result: `${name} ${resultBuffer(op)}`,
        expected: stored.results[result],
        // gloo's own order is the ring's; of two ranks every order is the same.
        exact: !ordered || n === 2 || (algorithm === 'ring' && result === 'all_reduce_SUM'),
      });
    }
  }
  return [...variants, shift(stored), evenRanks(stored)];
}

const builderFor = (n: number): ProgramBuilder => new ProgramBuilder(initDeviceMesh({ dpReplicate: n }), COMM_OPS);

/** Batched send and recv: everybody to the next rank. */
function shift(stored: Case): ParityVariant {
  const n = stored.world_size;
  const builder = builderFor(n);
  const inputs = stored.inputs.map(decode);
  const [name, length] = ['shift', stored.n];
  for (const lane of builder.lanes)
    for (const which of ['in', 'out'])
      lane.buffer({
        name: `${name} ${which}`,
        shape: [length],
        dtype: 'f32',
        category: 'communication',
        persistent: true,
      });
  emitSendRecv({
    builder,
    group: builder.mesh.world,
    messages: inputs.map((_, from) => ({
      from,
      to: (from + 1) % n,
      source: { buffer: `${name} in`, offset: 0, length },
      target: { buffer: `${name} out`, offset: 0, length },
    })),
    payload: 'data',
    seq: 0,
    where: WHERE,
  });
  const program = builder.finish('parity', { type: 'alone', name });
  return {
    name,
    program,
    inputs,
    result: `${name} out`,
    expected: stored.results.ring_shift_recv_from_prev,
    exact: true,
  };
}

/** A sub-group; the others keep what they have. */
function evenRanks(stored: Case): ParityVariant {
  const n = stored.world_size;
  const builder = builderFor(n);
  const inputs = stored.inputs.map(decode);
  const group = [...inputs.keys()].filter((rank) => rank % 2 === 0);
  const name = 'even ranks';
  emitTrial(builder, { algorithm: 'ring', op: 'allReduce', reduceOp: 'sum', mesh: n, group, root: 0, inputs }, name);
  const program = builder.finish('parity', { type: 'alone', name });
  return {
    name,
    program,
    inputs,
    result: `${name} in`,
    expected: stored.results.all_reduce_group_even_ranks,
    exact: true,
  };
}

/** Runs all variants, and says where a result is not gloo's. Executors are one for all devices, or one per device. */
export async function parityFailures(
  variants: readonly ParityVariant[],
  executors: readonly Executor[],
): Promise<readonly string[]> {
  const executorOf = (device: DeviceIndex) => at(executors, executors.length === 1 ? 0 : device);
  const failures: string[] = [];
  for (const { name, program, inputs, result, expected, exact } of variants) {
    inputs.forEach((input, device) => {
      executorOf(device).write(device, `${name} in`, input);
    });
    await Promise.all(executors.map((executor) => executor.step(programKey(program.kind), () => new Float32Array(0))));
    for (const [device, stored] of expected.entries()) {
      if (!stored) continue;
      const wanted = decode(stored);
      const [actual = new Float32Array(0)] = await executorOf(device).read([{ device, buffer: result }]);
      const off = wanted.findIndex((value, i) => !close(value, actual[i] ?? Number.NaN, exact));
      if (off >= 0 || actual.length !== wanted.length)
        failures.push(`${name}, rank ${device}, element ${off}: ${actual[off]}, gloo has ${wanted[off]}`);
    }
  }
  return failures;
}

const close = (wanted: number, actual: number, exact: boolean): boolean =>
  exact ? Object.is(wanted, actual) : Math.abs(wanted - actual) <= 1e-6 * Math.max(1, Math.abs(wanted));
