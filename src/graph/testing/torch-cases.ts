/**
 * fixtures/ops.json: every case decoded, and the graph that its recipe makes of it, differentiated and ready to run on
 * either device.
 */
import { LockstepError } from '../../base/errors';
import { at, must } from '../../base/invariant';
import type { HostArray, Shape } from '../../tensor/shape';
import fixtures from '../fixtures/ops.json';
import { type Graph, GraphBuilder } from '../graph';
import type { ValueId } from '../op';
import { ALL_OPS } from './all-ops';
import type { TorchTensor } from './recipe';
import { RECIPES } from './recipes';

interface Stored {
  readonly shape: Shape;
  readonly dtype: string;
  readonly b64: string;
}

interface StoredCase {
  readonly op: string;
  readonly attrs: Readonly<Record<string, unknown>>;
  readonly inputs: Readonly<Record<string, Stored>>;
  readonly out: Stored;
  /** Absent: the output is a scalar and its upstream gradient 1. */
  readonly grad_out?: Stored;
  readonly grads: Readonly<Record<string, Stored>>;
  /**
   * Present: backward ran twice with retain_graph, `grads` is what .grad held then, this what it held after the first.
   */
  readonly grads_after_first?: Readonly<Record<string, Stored>>;
  readonly after?: Readonly<Record<string, Stored>>;
}

export interface TorchCaseGraph {
  readonly graph: Graph;
  /** What no node makes. */
  readonly given: ReadonlyMap<ValueId, HostArray>;
  /** Values with what torch gave for them. */
  readonly expected: readonly {
    readonly what: string;
    readonly value: ValueId;
    readonly data: HostArray;
    readonly shape: Shape;
  }[];
}

export const TORCH_CASES: readonly (readonly [name: string, stored: StoredCase])[] = (
  fixtures.cases as unknown as readonly StoredCase[]
).map((c, i) => [`${i} ${c.op} ${describe(c)}`, c]);

function describe(c: StoredCase): string {
  const { note, ...attrs } = c.attrs;
  const short = Object.entries(attrs).filter(([key]) => !key.endsWith('_before'));
  return note === undefined ? JSON.stringify(Object.fromEntries(short)) : String(note);
}

/** A mask becomes int32 0/1; int64 indices are stored as int32 already. */
function decode({ shape, dtype, b64 }: Stored): TorchTensor {
  const bytes = Uint8Array.from(Buffer.from(b64, 'base64'));
  if (dtype === 'bool8' || dtype === 'u8') return { shape, data: Int32Array.from(bytes) };
  return { shape, data: dtype === 'i32' ? new Int32Array(bytes.buffer) : new Float32Array(bytes.buffer) };
}

const typeOf = ({ shape, data }: TorchTensor) => ({
  shape: shape.length === 0 ? [1] : shape,
  dtype: data instanceof Int32Array ? ('i32' as const) : ('f32' as const),
});

export function torchCaseGraph(c: StoredCase): TorchCaseGraph {
  const recipe = RECIPES[c.op];
  if (!recipe) throw new LockstepError('internal', `no recipe for torch's ${c.op} in graph/testing/families`);
  const builder = new GraphBuilder(ALL_OPS);
  const given = new Map<ValueId, HostArray>();
  const ids = new Map<string, ValueId>();
  const inputs = Object.fromEntries(Object.entries(c.inputs).map(([name, stored]) => [name, decode(stored)]));
  for (const [name, tensor] of Object.entries(inputs)) {
    const id = builder.value(name, typeOf(tensor), name in c.grads ? 'parameter' : 'input');
    ids.set(name, id);
    given.set(id, tensor.data);
  }
  const made = recipe({
    case: { op: c.op, attrs: c.attrs, inputs },
    builder,
    input: (name) => must(ids.get(name), `input ${name}`),
    has: (name) => ids.has(name),
    constant(name, tensor) {
      const id = builder.value(name, typeOf(tensor), 'buffer');
      given.set(id, tensor.data.slice());
      return id;
    },
    apply: (op, operands, attrs = {}) =>
      at(builder.apply(op, operands, attrs, { module: '0', phase: 'forward', names: ['y'] }), 0),
  });
  const { out, after } = typeof made === 'number' ? { out: made, after: {} } : made;
  const upstream = builder.value('y.upstream', builder.typeOf(out), 'seed');
  given.set(upstream, c.grad_out ? decode(c.grad_out).data : Float32Array.of(1));
  const wrt = Object.keys(c.grads).map((name) => must(ids.get(name), name));
  const gradients = builder.backward(new Map([[out, upstream]]), wrt);
  const again = c.grads_after_first ? builder.backward(new Map([[out, upstream]]), wrt) : undefined;
  const expected = [{ what: 'out', value: out, ...decode(c.out) }];
  for (const [name, stored] of Object.entries(c.after ?? {}))
    expected.push({
      what: `${name} after`,
      value: must((after as Record<string, ValueId>)[name], name),
      ...decode(stored),
    });
  for (const [name, stored] of Object.entries(c.grads)) {
    const gradient = must(gradients.get(must(ids.get(name), name)), `gradient of ${name}`);
    const first = c.grads_after_first?.[name];
    if (!again || !first) {
      expected.push({ what: `d${name}`, value: gradient, ...decode(stored) });
      continue;
    }
    expected.push({ what: `d${name} after the first`, value: gradient, ...decode(first) });
    const second = must(again.get(must(ids.get(name), name)), `second gradient of ${name}`);
    const both = builder.apply('ops/add', [gradient, second], {}, { module: '0', phase: 'backward', names: ['both'] });
    expected.push({ what: `d${name} accumulated`, value: at(both, 0), ...decode(stored) });
  }
  return { graph: builder.finish(), given, expected };
}
