/** Turns instructions into closures over typed arrays, made once and replayed every step. */
import { must } from '../../base/invariant';
import type { Attrs, CpuArgs, TensorType } from '../../graph/op';
import { actionOf } from '../../graph/vectors/vector-op';
import { capturedLength, capturedValues } from '../../program/captured';
import type { Fold } from '../../program/fold-movements';
import type { Compute, Lane, Load, Recv, Send } from '../../program/instruction';
import type { BufferPlace } from '../../program/symbolic-memory';
import type { Captured } from '../../protocol/trace';
import type { HostArray } from '../../tensor/shape';
import type { Corruption, Feed } from '../executor';
import { join } from './combine';
import type { ArrayOf, CpuContext } from './cpu-context';

/** From this many elements on, a WebAssembly kernel is worth its call. */
const WORTH_A_CALL = 256;

/** The means with which all instructions of an executor compute. */
export type Means = Pick<CpuContext, 'ops' | 'scratch'> & { readonly opened?: CpuContext['opened'] };

export function computeAction(
  instruction: Compute,
  lane: Lane,
  array: ArrayOf,
  { ops, scratch, opened }: Means,
): () => void {
  const op = must(ops.get(instruction.op), instruction.op);
  // Looks up one buffer at a time: a table of all buffers per instruction took a quarter of the time of opening and
  // tracing a deep pipeline.
  const type = (name: string) =>
    must(
      lane.buffers.find((own) => own.name === name),
      name,
    );
  const args: CpuArgs = {
    inputs: instruction.inputs.map(array),
    outputs: instruction.outputs.map(array),
    inputTypes: instruction.inputs.map(type),
    outputTypes: instruction.outputs.map(type),
    attrs: instruction.attrs,
    scratch,
  };
  return actionOf(op, args, opened);
}

export const loadAction = (load: Load, device: number, array: ArrayOf, feed: () => Feed): (() => void) => {
  const target = array(load.buffer);
  return () => target.set(feed()(load, device));
};

export const sliceOf = (i: Send | Recv, array: ArrayOf): HostArray =>
  array(i.slice.buffer).subarray(i.slice.offset, i.slice.offset + i.slice.length);

/** Combines the received elements with the target's, as the receive says. */
export function receive(target: HostArray, source: HostArray, recv: Recv, corruption: Corruption | undefined): void {
  join(target, source, recv.apply);
  if (corruption?.tag === recv.tag) target[0] = (target[0] ?? 0) + corruption.add;
}

/** Runs an operator on these arrays with its WebAssembly kernel, if it has one for them. */
function vectorsOn(
  name: string,
  inputs: readonly HostArray[],
  outputs: readonly HostArray[],
  attrs: Attrs,
  { scratch, opened }: Means,
): (() => void) | undefined {
  if (![...inputs, ...outputs].every((array) => array instanceof Float32Array)) return undefined;
  const typeOf = ({ length }: HostArray): TensorType => ({ shape: [length], dtype: 'f32' });
  const types = { inputTypes: inputs.map(typeOf), outputTypes: outputs.map(typeOf) };
  return opened?.ops.get(name)?.({ inputs, outputs, ...types, attrs, scratch }, opened.vectors);
}

/** A message within this executor. If a long message is added to the target, a WebAssembly kernel adds it. */
export function receiveAction(
  target: HostArray,
  source: HostArray,
  recv: Recv,
  given: CpuContext['given'],
  means: Means,
): () => void {
  const plain = () => receive(target, source, recv, given.corruption);
  if (recv.apply !== 'add' || target.length < WORTH_A_CALL) return plain;
  const add = vectorsOn('ops/add', [target, source], [target], {}, means);
  return add ? () => (given.corruption ? plain() : add()) : plain;
}

/**
 * A whole all-reduce, summed in the order of its rounds. Terms and targets may share arrays: every element is read
 * before it is written.
 */
export function foldAction(fold: Fold, array: (place: BufferPlace) => HostArray, means: Means): () => void {
  const { length, scale, after, joins } = fold;
  const view = (place: BufferPlace) => array(place).subarray(place.offset, place.offset + length);
  const terms = fold.terms.map(view);
  const into = fold.targets.map(view);
  if (joins) return treeAction(terms, into, joins, scale);
  const fast = vectorsOn('comm/fold', terms, into, { scale, after }, means);
  if (fast) return fast;
  const [first, ...others] = terms;
  const sum = new Float32Array(length);
  return () => {
    const from = must(first, 'a term');
    for (let i = 0; i < length; i++) sum[i] = (from[i] as number) * scale;
    for (const term of others)
      for (let i = 0; i < length; i++) sum[i] = (sum[i] as number) + Math.fround((term[i] as number) * scale);
    if (after !== 1) for (let i = 0; i < length; i++) sum[i] = (sum[i] as number) * after;
    for (const target of into) target.set(sum);
  };
}

/** A sum of partial sums, in postfix order. */
function treeAction(
  terms: readonly HostArray[],
  targets: readonly HostArray[],
  joins: readonly number[],
  scale: number,
): () => void {
  const stack: Float32Array[] = [];
  return () => {
    let height = 0;
    terms.forEach((term, t) => {
      const top = stack[height] ?? new Float32Array(term.length);
      stack[height] = top;
      for (let i = 0; i < term.length; i++) top[i] = (term[i] as number) * scale;
      for (let left = joins[t] ?? 0; left > 0; left--) {
        height--;
        const [a, b] = [must(stack[height], 'a sum'), must(stack[height + 1], 'a sum')];
        for (let i = 0; i < a.length; i++) a[i] = (a[i] as number) + (b[i] as number);
      }
      height++;
    });
    for (const target of targets) target.set(must(stack[0], 'the sum'));
  };
}

/** The first elements of a buffer, or of a slice of it, for the trace. */
export function capture(
  { buffers }: Pick<Lane, 'buffers'>,
  buffer: string,
  array: HostArray,
  offset: number,
): Captured {
  const spec = buffers.find(({ name }) => name === buffer) ?? { shape: [] };
  const data = array.slice(0, capturedLength(spec, array.length));
  return capturedValues(buffer, spec, { first: offset, data });
}
