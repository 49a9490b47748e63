/**
 * Up to three elementwise operators of one shape in a row, as one kernel: y = f2(f1(f0(x, a), b), c). Inputs: those of
 * the first stage (x first), then the second operand of each later stage that has one. Attrs: `ops`, the names
 * separated by blanks; per stage `operands`, their number (1 or 2), and `at`, the index of the operand that is the
 * result so far; '<stage>.<key>': the attributes of that stage. Only the pass fuse-elementwise makes a chain, so it has
 * no gradient; the CPU runs the operators themselves.
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { elements, type HostArray, sameShape } from '../../../tensor/shape';
import { dense, grid } from '../../launch';
import type { Attrs, DenseLaunch, KernelParam, OpDef, OpTable, TensorType } from '../../op';

export const MOST_STAGES = 3;
const NONE = 255;
/** The offset of each single-operator kernel's FUNCTION numbers in this kernel. */
const OFFSET: Readonly<Record<string, number>> = {
  'pointwise/unary': 0,
  'pointwise/unary-grad': 32,
  'pointwise/binary': 64,
};
const OPERAND_FIRST = 64;
const POW = 15;

export interface Stage {
  readonly op: string;
  readonly attrs: Attrs;
  readonly operands: 1 | 2;
  /** Which of its inputs is the result so far. */
  readonly at: 0 | 1;
}

export const chainAttrs = (stages: readonly Stage[]): Attrs => ({
  ops: stages.map(({ op }) => op).join(' '),
  operands: stages.map((stage) => stage.operands),
  at: stages.map((stage) => stage.at),
  ...Object.fromEntries(
    stages.flatMap(({ attrs }, i) => Object.entries(attrs).map(([key, value]) => [`${i}.${key}`, value])),
  ),
});

function stagesOf(attrs: Attrs): readonly Stage[] {
  const [counts, places] = [attrs.operands, attrs.at] as readonly (readonly number[])[];
  return String(attrs.ops)
    .split(' ')
    .map((op, i) => {
      const own = Object.entries(attrs).filter(([key]) => key.startsWith(`${i}.`));
      const named = Object.fromEntries(own.map(([key, value]) => [key.slice(2), value]));
      return { op, attrs: named, operands: counts?.[i] === 2 ? 2 : 1, at: places?.[i] === 1 ? 1 : 0 };
    });
}

/** The launch of an operator that can be a stage (elementwise, without broadcasting); undefined for others. */
function stageLaunch(def: OpDef, inputs: readonly TensorType[], attrs: Attrs): DenseLaunch | undefined {
  const first = at(inputs, 0);
  if (inputs.length > 2 || inputs.some((t) => t.dtype !== 'f32' || !sameShape(t.shape, first.shape))) return undefined;
  const [launch, second] = def.lower({ inputs, outputs: [first], attrs });
  if (launch?.kind !== 'dense' || second || OFFSET[launch.kernel] === undefined) return undefined;
  const { FUNCTION, REPEATS = 0 } = launch.constants ?? {};
  return REPEATS === 1 || (FUNCTION === POW && launch.kernel !== 'pointwise/binary') ? undefined : launch;
}

/** Whether an operator with these inputs may be a stage whose input `at` is the result so far. */
export function isStage(def: OpDef, inputs: readonly TensorType[], stage: Stage): boolean {
  const launch = stageLaunch(def, inputs, stage.attrs);
  return launch !== undefined && (stage.at === 0 || launch.kernel === 'pointwise/binary');
}

interface Encoded {
  readonly code: number;
  readonly params: readonly [p: KernelParam, q: KernelParam];
  readonly operands: number;
}

/** `ops`: the operators that may be stages. */
export function chain(ops: OpTable): OpDef {
  const def = (name: string): OpDef => {
    const found = ops.get(name);
    if (!found) throw new LockstepError('internal', `${name} cannot be part of a chain`);
    return found;
  };
  function encode(stage: Stage, type: TensorType): Encoded {
    const { operands } = stage;
    const launch = stageLaunch(def(stage.op), operands === 1 ? [type] : [type, type], stage.attrs);
    if (!launch) throw new LockstepError('internal', `${stage.op} cannot be part of a chain`);
    const [p = 0, q = 0] = launch.params.slice(launch.kernel === 'pointwise/binary' ? 2 : 1);
    const offset = (OFFSET[launch.kernel] ?? 0) + (stage.at === 1 ? OPERAND_FIRST : 0);
    return { code: (launch.constants?.FUNCTION ?? 0) + offset, params: [p, q], operands };
  }

  return {
    name: 'pointwise/chain',
    infer: (inputs) => [at(inputs, 0)],
    cpu({ inputs, outputs, inputTypes, outputTypes, attrs, scratch }) {
      let next = 1;
      let value: HostArray = at(inputs, 0);
      const [type, y] = [at(inputTypes, 0), at(outputs, 0)];
      stagesOf(attrs).forEach((stage) => {
        const other = stage.operands === 2 ? [at(inputs, next++)] : [];
        const operands = stage.at === 0 ? [value, ...other] : [...other, value];
        const types = operands.map(() => type);
        const stretch = { inputs: operands, outputs: [y], inputTypes: types, outputTypes };
        def(stage.op).cpu({ ...stretch, attrs: stage.attrs, scratch });
        value = y;
      });
    },
    lower(types) {
      const type = at(types.inputs, 0);
      const stages = stagesOf(types.attrs).map((stage) => encode(stage, type));
      let next = 1;
      const full = Array.from(
        { length: MOST_STAGES },
        (_, i): Encoded => stages[i] ?? { code: NONE, params: [{ f32: 0 }, { f32: 0 }], operands: 1 },
      );
      // A stage without a second operand gets x for it, which the kernel then does not read through that binding.
      const operands = full.map((stage) => (stage.operands === 2 ? next++ : 0));
      const n = elements(type.shape);
      const constants = Object.fromEntries(full.map(({ code }, i) => [`F${i}`, code]));
      const float = (p: KernelParam): KernelParam => (typeof p === 'number' ? { f32: p } : p);
      const params = [n, ...full.flatMap((stage) => stage.params.map(float))];
      const launch = dense('pointwise/chain', types, params, grid(Math.ceil(n / 4)), constants);
      return [{ ...launch, bindings: [0, ...operands, types.inputs.length] }];
    },
    flops: (types) =>
      stagesOf(types.attrs).reduce((sum, stage) => {
        const inputs = Array.from({ length: stage.operands }, () => at(types.inputs, 0));
        return sum + def(stage.op).flops({ inputs, outputs: types.outputs, attrs: stage.attrs });
      }, 0),
  };
}
