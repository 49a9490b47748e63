/** Optimisers with vectors: SGD, Adam and AdamW. */
import { at } from '../base/invariant';
import type { CpuArgs } from '../graph/op';
import type { VectorOp, VectorOps } from '../graph/vectors/vector-op';
import { addressOf, type Vectors } from '../graph/vectors/vectors';
import type { HostArray } from '../tensor/shape';
import { shrinkageOf, signOf } from './operands';
import { SKIP } from './scalars-layout';

interface Parameter {
  readonly p: number;
  readonly g: number;
  /** Elements. */
  readonly n: number;
  readonly states: readonly number[];
}

type Step = (scalars: Float32Array, parameter: Parameter, kernels: Vectors['kernels'], attrs: CpuArgs['attrs']) => void;

const parametersOf = (inputs: readonly HostArray[], outputs: readonly HostArray[], count: number): Parameter[] =>
  Array.from({ length: count }, (_, k) => ({
    p: addressOf(at(outputs, k)),
    n: at(outputs, k).length,
    g: addressOf(at(inputs, 1 + count + k)),
    states: outputs.filter((__, i) => i >= count && i % count === k).map(addressOf),
  }));

const optimizer =
  (step: Step): VectorOp =>
  ({ inputs, outputs, attrs }, { kernels }) => {
    const parameters = parametersOf(inputs, outputs, Number(attrs['count']));
    const scalars = at(inputs, 0) as Float32Array;
    return () => {
      if (scalars[SKIP] === 1) return;
      for (const parameter of parameters) step(scalars, parameter, kernels, attrs);
    };
  };

const sgd: Step = (scalars, { p, g, n }, kernels) =>
  void kernels.sgd(p, g, n, at(scalars, 0), at(scalars, 1), signOf(scalars));

const sgdMomentum: Step = (scalars, { p, g, n, states }, kernels, attrs) => {
  const [lr = 0, weightDecay = 0, momentum = 0, bufferFactor = 0, gradientFactor = 0] = scalars;
  const factors = [lr, weightDecay, signOf(scalars), momentum, bufferFactor, gradientFactor];
  kernels.sgdMomentum(p, g, at(states, 0), n, ...factors, attrs['nesterov'] === true ? 1 : 0);
};

const adam: Step = (scalars, { p, g, n, states }, kernels, attrs) => {
  const [, , beta1 = 0, oneMinus1 = 0, beta2 = 0, oneMinus2 = 0, stepSize = 0, root2 = 1, eps = 0] = scalars;
  const { shrink, coupled } = shrinkageOf(scalars, attrs);
  const factors = [shrink, coupled, signOf(scalars), beta1, oneMinus1, beta2, oneMinus2, stepSize, root2, eps];
  kernels.adam(p, g, at(states, 0), at(states, 1), states[2] ?? 0, n, ...factors);
};

export const OPTIM_VECTORS: VectorOps = new Map([
  ['optim/sgd', optimizer(sgd)],
  ['optim/sgd-momentum', optimizer(sgdMomentum)],
  ['optim/adam', optimizer(adam)],
]);
