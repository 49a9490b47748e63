/** Every operator, forward and through GraphBuilder's backward, on the CPU against what PyTorch 1.13 gave (fixtures/ops.json). */
import { expect, it } from 'vitest';
import { at, must } from '../base/invariant';
import { elements, type HostArray } from '../tensor/shape';
import fixtures from './fixtures/ops.json';
import type { Attrs, ValueId } from './op';
import { OPS } from './op-table';
import { relativeError } from './testing/closeness';
import { differentiate } from './testing/differentiate';
import { runCpu } from './testing/run-cpu';

interface Stored {
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly b64: string;
}

interface Case {
  readonly name: string;
  readonly op: string;
  readonly attrs: Attrs;
  readonly inputs: Readonly<Record<string, Stored>>;
  readonly out: Stored;
  readonly gradOut: Stored;
  readonly grads: Readonly<Record<string, Stored>>;
}

function decode(stored: Stored): HostArray {
  const { buffer } = Uint8Array.from(Buffer.from(stored.b64, 'base64'));
  return stored.dtype === 'i32' ? new Int32Array(buffer) : new Float32Array(buffer);
}

it.each(fixtures.cases as unknown as readonly Case[])('$name', (c) => {
  const names = Object.keys(c.inputs);
  const stored = names.map((n) => must(c.inputs[n], n));
  const inputs = stored.map((t, i) => ({
    type: { shape: t.shape, dtype: t.dtype === 'i32' ? ('i32' as const) : ('f32' as const) },
    wrt: at(names, i) in c.grads,
  }));
  const d = differentiate(OPS, c.op, c.attrs, inputs);
  const given = new Map<ValueId, HostArray>(stored.map((t, i) => [at(d.inputs, i), decode(t)]));
  given.set(d.upstream, decode(c.gradOut));
  const values = runCpu(d.graph, OPS, given);

  const out = must(values.get(d.output), 'out');
  expect(elements(at(d.graph.values, d.output).type.shape)).toBe(elements(c.out.shape));
  expect(relativeError(out, decode(c.out))).toBeLessThan(1e-5);
  names.forEach((name, i) => {
    const expected = c.grads[name];
    if (!expected) return;
    const id = must(d.gradients[i], `gradient of ${name}`);
    expect(at(d.graph.values, id).type.shape).toEqual(expected.shape);
    expect(relativeError(must(values.get(id), name), decode(expected)), `d${name}`).toBeLessThan(1e-5);
  });
});
