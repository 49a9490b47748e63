/**
 * Replaces launches by kernels of shaders/workgroup with the same operands, on GPUs with fast workgroup memory. Loaded
 * with the WebGPU executor, because most visitors' machines do not need it. These kernels have their own order of sums,
 * which depends only on the shape.
 */
import { at } from '../base/invariant';
import type { KernelId } from './kernel-table';
import type { KernelTuning } from './kernel-tuning';
import { grid } from './launch';
import type { DenseLaunch, KernelParam, Launch, OpDef, OpTypes } from './op';
import { type StridedProduct, tilesPay } from './tiled-product';
import { convolution, convolutionGradient, isInGradient, withLongParts } from './workgroup-convolutions';
import { isProduct, productFor } from './workgroup-products';

/** The launches of an operator on an adapter. */
export function lowerFor(op: OpDef, types: OpTypes, tuning: KernelTuning): readonly Launch[] {
  const plain = op.lower(types, tuning);
  if (!tuning.workgroups) return plain;
  const launches = withLongParts(plain);
  return launches.flatMap((launch, i): readonly Launch[] => {
    if (launch.kind !== 'dense') return [launch];
    if (JOINS.has(launch.kernel) || isInGradient(launch, launches[i - 2])) return [];
    const next = launches[i + 1];
    const product = productOf(launch);
    if (product) return [productFor({ ...product, isSummed: sums(next, product.a) }, tuning, launch)];
    const before = launches[i - 1];
    if (before && keysOfAttention(before, launch)) return [];
    const gradient = convolutionGradient(launch, launches[i + 2]) ?? keysOfAttention(launch, next);
    if (gradient) return [gradient];
    return [RULES[launch.kernel]?.(launch, next?.kind === 'dense' ? next : undefined) ?? launch];
  });
}

/** Kernels whose work a kernel here does together with the previous launch. */
const JOINS: ReadonlySet<KernelId> = new Set(['norm/layer-norm-grad-params-join']);

/** undefined: the launch stays as it is. */
type Rule = (launch: DenseLaunch, next: DenseLaunch | undefined) => DenseLaunch | undefined;

const numberAt = (params: readonly KernelParam[], i: number): number => {
  const value = at(params, i);
  return typeof value === 'number' ? value : value.f32;
};

/** From this many terms on, several invocations share a sum, unless there are enough sums to fill a GPU. */
const SHARED_FROM = 32;
const MOST_SHARED = 2 ** 18;
/** Neighbouring sums per workgroup: it reads whole memory sectors, and has enough lanes per sum. */
const SHARED_WIDTH = 8;

/** y[o, c] = sum over k of x[start + o plane + k step + c], as long as k step < plane. */
interface Sums {
  readonly outer: number;
  readonly plane: number;
  readonly columns: number;
  readonly step: number;
  readonly start: number;
  readonly divisor: number;
}

function sumLaunch(launch: DenseLaunch, { outer, plane, columns, step, start, divisor }: Sums) {
  if (plane < SHARED_FROM * step || outer * columns > MOST_SHARED) return undefined;
  // The next power of two, because the lanes of a workgroup are summed by halving.
  const WIDTH = Math.min(SHARED_WIDTH, 2 ** Math.ceil(Math.log2(columns)));
  return {
    ...launch,
    kernel: 'workgroup/sum',
    constants: { ...launch.constants, WIDTH },
    params: [outer, plane, columns, step, start, { f32: divisor }],
    workgroups: grid(outer * columns, WIDTH),
  } satisfies DenseLaunch;
}

const sum: Rule = (launch) => {
  const [outer = 0, plane = 0, columns = 0, divisor = 1] = [0, 1, 2, 3].map((i) => numberAt(launch.params, i));
  return sumLaunch(launch, { outer, plane, columns, step: columns, start: 0, divisor });
};

const addParts: Rule = (launch) => {
  const [count = 0, parts = 0, length = 0, start = 0] = [0, 1, 2, 3].map((i) => numberAt(launch.params, i));
  return sumLaunch(launch, { outer: 1, plane: parts * length, columns: count, step: length, start, divisor: 1 });
};

/** The widest head that fits into workgroup memory. */
const WIDEST_HEAD = 64;
/** Rows of scores per invocation of the plain kernels, and per workgroup of the kernels here. */
const [BLOCK, SHARED_BLOCK] = [4, 16];

const sharedBlocks = (launch: DenseLaunch): number => {
  const [blocks, rows] = [numberAt(launch.params, 0), numberAt(launch.params, 1)];
  return (blocks / Math.ceil(rows / BLOCK)) * Math.ceil(rows / SHARED_BLOCK);
};

const attention =
  (kernel: KernelId): Rule =>
  (launch) => {
    if (numberAt(launch.params, 3) > WIDEST_HEAD) return undefined;
    const shared = sharedBlocks(launch);
    return { ...launch, kernel, params: [shared, ...launch.params.slice(1)], workgroups: grid(shared, 1) };
  };

/** One launch for the gradients of keys and values, if both are in one tensor. */
function keysOfAttention(dk: Launch, dv: Launch | undefined): DenseLaunch | undefined {
  const isGradient = (launch: Launch | undefined, mode: number): launch is DenseLaunch =>
    launch?.kind === 'dense' &&
    launch.kernel === 'attention/attention-grad' &&
    launch.params[6] === mode &&
    numberAt(launch.params, 3) <= WIDEST_HEAD;
  if (!isGradient(dk, 1) || !isGradient(dv, 2) || at(dk.bindings, 7) !== at(dv.bindings, 7)) return undefined;
  const [k = 0, q = 0, v = 0, dout = 0, , lse = 0, delta = 0, result = 0] = dk.bindings;
  const shared = sharedBlocks(dk);
  // The sizes without the mode, the places without y's, and the place of dv.
  const sizes = [...dk.params.slice(1, 6), at(dk.params, 7)];
  return {
    kind: 'dense',
    kernel: 'workgroup/attention-grad-keys',
    bindings: [k, q, v, dout, lse, delta, result],
    params: [shared, ...sizes, ...dk.params.slice(8, 24), ...dk.params.slice(28, 32), ...dv.params.slice(28, 32)],
    workgroups: grid(shared, 1),
  };
}

/** Rows of a layer norm, and columns of its parameters' gradients, per workgroup. */
const NORM_GROUP = 8;

/** Most columns of a row that the kernels can keep in workgroup memory. */
const WIDEST_KEPT = { 'workgroup/layer-norm': 384, 'workgroup/layer-norm-grad-input': 192 } as const;

const layerNorm =
  (kernel: keyof typeof WIDEST_KEPT, width: 1 | 4): Rule =>
  (launch) => {
    const [rows = 0, columns = 0] = [numberAt(launch.params, 0), numberAt(launch.params, 1) * width];
    const params = [rows, columns, ...launch.params.slice(2)];
    const constants = { ...launch.constants, KEPT: columns <= WIDEST_KEPT[kernel] ? 1 : 0 };
    return { ...launch, kernel, constants, params, workgroups: grid(rows, NORM_GROUP) };
  };

const layerNormGradParams =
  (width: 1 | 4): Rule =>
  ({ bindings, params }, join) => {
    const [rows = 0, columns = 0] = [numberAt(params, 0), numberAt(params, 1) * width];
    return {
      kind: 'dense',
      kernel: 'workgroup/layer-norm-grad-params',
      bindings: [...bindings.slice(0, 4), ...(join?.bindings.slice(1) ?? [])],
      params: [rows, columns],
      workgroups: grid(columns, NORM_GROUP),
    };
  };

/** Kernels with the same tensors and parameters, and one workgroup for each unit that parameter `count` counts. */
const alike =
  (kernel: KernelId, count: number): Rule =>
  (launch) => ({ ...launch, kernel, workgroups: grid(numberAt(launch.params, count), 1) });

/** The same kernel reads its input once instead of twice, in an order of its own. */
const once: Rule = (launch) => ({ ...launch, constants: { ...launch.constants, ONCE: 1 } });

const crossEntropy: Rule = (launch, next) => {
  const { WHOLE, ...constants } = launch.constants ?? {};
  return WHOLE === 1 ? { ...launch, kernel: 'workgroup/cross-entropy', constants } : once(launch, next);
};

/** Rows with fewer numbers keep one invocation each. */
const WIDE_ROW = 32;

const softmax =
  (kernel: KernelId, LOG: 0 | 1): Rule =>
  (launch) =>
    numberAt(launch.params, 1) < WIDE_ROW
      ? undefined
      : { ...launch, kernel, constants: { LOG }, workgroups: grid(numberAt(launch.params, 0), NORM_GROUP) };

const RULES: Readonly<Partial<Record<KernelId, Rule>>> = {
  'ops/sum': sum,
  'reduce/sum-vec4': sum,
  'conv/add-parts': addParts,
  'conv/conv2d-3x3': convolution,
  'attention/attention': attention('workgroup/attention'),
  'attention/attention-grad': attention('workgroup/attention-grad'),
  'norm/layer-norm': layerNorm('workgroup/layer-norm', 1),
  'norm/layer-norm-vec4': layerNorm('workgroup/layer-norm', 4),
  'norm/layer-norm-grad-input': layerNorm('workgroup/layer-norm-grad-input', 1),
  'norm/layer-norm-grad-input-vec4': layerNorm('workgroup/layer-norm-grad-input', 4),
  'norm/layer-norm-grad-params': layerNormGradParams(1),
  'norm/layer-norm-grad-params-vec4': layerNormGradParams(4),
  'norm/batch-norm-statistics': alike('workgroup/batch-norm-statistics', 1),
  'norm/batch-norm-grad-reduce': alike('workgroup/batch-norm-grad-reduce', 0),
  'ops/softmax': softmax('workgroup/softmax', 0),
  'ops/log-softmax': softmax('workgroup/softmax', 1),
  'ops/softmax-grad': softmax('workgroup/softmax-grad', 0),
  'ops/log-softmax-grad': softmax('workgroup/softmax-grad', 1),
  'loss/mean': (launch) => ({ ...launch, kernel: 'workgroup/mean' }),
  'optim/total-norm': (launch) => ({ ...launch, constants: { ...launch.constants, TREE: 1 } }),
  'norm/moments': once,
  'norm/moments-vec4': once,
  'loss/cross-entropy': crossEntropy,
  'loss/cross-entropy-grad': (launch) => ({ ...launch, constants: { ...launch.constants, KEEP: 1 } }),
};

/** The product that a launch of graph/tiled-product or of ops/matmul computes. */
function productOf({ kernel, bindings, params, constants }: DenseLaunch): StridedProduct | undefined {
  if (!isProduct(kernel)) return undefined;
  const [m = 0, n = 0, k = 0, aRow = 0, aStep = 0] = [0, 1, 2, 3, 4].map((i) => numberAt(params, i));
  if (!tilesPay(m, n, k)) return undefined;
  const [bStep, bColumn] = params.length > 5 ? [numberAt(params, 5), numberAt(params, 6)] : [n, 1];
  const hasBias = params.length > 7 && params[7] === 1;
  return {
    ...{ m, n, k, steps: [aRow, aStep, bStep, bColumn] },
    ...{ a: at(bindings, 0), b: at(bindings, 1), c: at(bindings, bindings.length - 1) },
    ...(hasBias ? { bias: at(bindings, 2) } : {}),
    activation: constants?.['ACTIVATION'] ?? 0,
  };
}

const sums = (launch: Launch | undefined, operand: number): boolean =>
  launch?.kind === 'dense' &&
  (launch.kernel === 'ops/sum' || launch.kernel === 'reduce/sum-vec4') &&
  launch.bindings[0] === operand;
