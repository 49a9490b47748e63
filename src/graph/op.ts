/**
 * The interface between operators and everything that uses them. One operator is one file (in graph/ops, optim,
 * parallel or collectives) that exports one OpDef: shape rule, gradient, CPU kernel, WGSL lowering, flops. The runtimes
 * run any OpDef without knowing its name.
 */
import type { DType, HostArray, Shape } from '../tensor/shape';
import type { CpuScratch } from './cpu-scratch';
import type { KernelId } from './kernel-table';
import type { KernelTuning } from './kernel-tuning';

export type Attrs = Readonly<Record<string, number | boolean | string | readonly number[]>>;

export interface TensorType {
  readonly shape: Shape;
  readonly dtype: DType;
}

/** What the CPU kernel gets. Outputs are allocated; an output that is also an input is the same array (in place). */
export interface CpuArgs {
  readonly inputs: readonly HostArray[];
  readonly outputs: readonly HostArray[];
  readonly inputTypes: readonly TensorType[];
  readonly outputTypes: readonly TensorType[];
  readonly attrs: Attrs;
  /** The executor's scratch, shared by all its kernels. */
  readonly scratch: CpuScratch;
}

/** The shapes, all that lowering and the cost functions may read. */
export interface OpTypes {
  readonly inputs: readonly TensorType[];
  readonly outputs: readonly TensorType[];
  readonly attrs: Attrs;
}

/** Index into [...inputs, ...outputs]. */
export type Operand = number;
export type KernelParam = number | { readonly f32: number };

/**
 * One dispatch of a kernel over whole tensors. `bindings[i]` is the operand at @group(0) @binding(i). The kernel's
 * Params struct (@group(1) @binding(0), uniform) holds `params` in order, then one element stride per binding: the
 * runtime may run the same launch for several devices at once, with @builtin(workgroup_id).z as the instance; tensor i
 * of an instance starts at instance * stride_i.
 */
export interface DenseLaunch {
  readonly kind: 'dense';
  readonly kernel: KernelId;
  readonly constants?: Readonly<Record<string, number>>;
  readonly bindings: readonly Operand[];
  readonly params: readonly KernelParam[];
  /** Workgroups in x and y; z counts the instances. Each at most 65,535. */
  readonly workgroups: readonly [number, number];
  /**
   * For a kernel whose workgroup is WIDTH x 1 x DEPTH (overrides): the invocations in x that one instance needs. If
   * they are few, the runtime puts several instances into one workgroup.
   */
  readonly invocations?: number;
}

/**
 * One dispatch of a kernel over many stretches of pooled buffers (for example, all parameters of a device). For each
 * binding, `segments[k].at[binding]` names an operand and an element offset; all operands of one binding lie in one
 * GPUBuffer. The runtime turns the segments of all instances into a table of blocks (@group(1) @binding(1), storage):
 * per block one u32 offset per binding, then a u32 count, then a u32 `extra`. LANES invocations (an override the
 * runtime sets) take a block of at most LANES * BLOCK_STEPS elements (four times that where there are very many); 64 /
 * LANES blocks share a workgroup, so that many small parameters do not cost a workgroup each.
 */
export interface SegmentedLaunch {
  readonly kind: 'segmented';
  readonly kernel: KernelId;
  readonly constants?: Readonly<Record<string, number>>;
  readonly params: readonly KernelParam[];
  readonly segments: readonly {
    readonly at: readonly {
      readonly operand: Operand;
      readonly offset: number /** true: the offset does not advance with the blocks of the segment (a scalar) */;
      readonly fixed?: boolean;
    }[];
    readonly length: number;
  }[];
}

/** Elements that each of the LANES invocations of a segmented kernel computes per block. */
export const BLOCK_STEPS = 16;

export type Launch = DenseLaunch | SegmentedLaunch;

/** Everything that a gradient rule may use; values are opaque ids of the graph under construction. */
export interface GradientContext {
  readonly types: OpTypes;
  input(i: number): ValueId;
  output(i: number): ValueId;
  /** Gradient flowing into output i, or undefined when nothing downstream depends on it. */
  outputGrad(i: number): ValueId | undefined;
  needsGrad(i: number): boolean;
  /**
   * Append a backward node; returns its outputs. `gradOf[k]`: output k is the gradient of input gradOf[k] (names it).
   * `sums`: inputs whose gradients are intermediate sums, which stay float32 if the inputs are in half precision.
   */
  emit(
    op: string,
    inputs: readonly ValueId[],
    attrs: Attrs,
    gradOf: readonly number[],
    sums?: readonly number[],
  ): readonly ValueId[];
}
export type ValueId = number & { readonly __value?: never };

export interface OpDef {
  /**
   * Path of the operator's main kernel under shaders/ without extension, e.g. 'ops/linear'; also its name in the trace.
   */
  readonly name: string;
  /** Output types; throws LockstepError('shape') in PyTorch's words when the inputs do not fit. */
  infer(inputs: readonly TensorType[], attrs: Attrs): readonly TensorType[];
  /** Emits backward nodes through the context and returns the gradient value per input (undefined: none). */
  gradient?(context: GradientContext): readonly (ValueId | undefined)[];
  cpu(args: CpuArgs): void;
  /** `tuning`: of the adapter; lowering may use it to choose between kernels that give the same bits. */
  lower(types: OpTypes, tuning?: KernelTuning): readonly Launch[];
  flops(types: OpTypes): number;
  /**
   * The operator only converts between half-precision values and their storage here. A machine with native halves would
   * do nothing, so the modelled machine takes no time.
   */
  readonly isConversion?: true;
  /**
   * The copies of an operator that only copies stretches from inputs to outputs, times a factor. Other operators have
   * no `moves`; undefined: with these attributes the operator does more.
   */
  moves?(types: OpTypes): readonly OpMove[] | undefined;
  /** The stretches that an operator fills with one number, if it reads nothing. */
  fills?(types: OpTypes): readonly Pick<OpMove, 'to' | 'length'>[];
}

/** output[to + i] = input[from + i] * scale, rounded once. */
export interface OpMove {
  readonly from: { readonly operand: number; readonly offset: number };
  /** `operand`: index among the outputs. */
  readonly to: { readonly operand: number; readonly offset: number };
  readonly length: number;
  readonly scale: number;
}

export type OpTable = ReadonlyMap<string, OpDef>;
