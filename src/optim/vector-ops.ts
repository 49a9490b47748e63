/** Optimisers with vectors: SGD, Adam and AdamW; and clipping by the norm of all gradients. */
import { at } from '../base/invariant';
import type { CpuArgs } from '../graph/op';
import type { VectorOp, VectorOps } from '../graph/vectors/vector-op';
import { addressOf, type Vectors } from '../graph/vectors/vectors';
import { clipFactor } from './clip-grad-norm';
import { normOf, orderOf } from './grad-norm';
import { shrinkageOf, signOf } from './operands';
import { SKIP } from './scalars-layout';

/** A run of a parameter's elements: addresses and length. */
interface Stretch {
  readonly p: number;
  readonly g: number;
  readonly states: readonly number[];
  readonly n: number;
}

/** The arguments of a kernel for a stretch. */
type Numbers = (stretch: Stretch) => readonly number[];

type Step = (scalars: Float32Array, attrs: CpuArgs['attrs']) => Numbers;

/** Fewest elements per thread. */
const OF_A_THREAD = 8192;

function stretchesOf({ inputs, outputs, attrs }: CpuArgs, vectors: Vectors): readonly Stretch[] {
  const count = Number(attrs['count']);
  return Array.from({ length: count }, (_, k) => {
    const states = outputs.filter((__, i) => i >= count && i % count === k).map(addressOf);
    const [p, g] = [addressOf(at(outputs, k)), addressOf(at(inputs, 1 + count + k))];
    return vectors.runs(at(outputs, k).length, OF_A_THREAD).map(([from, to]) => ({
      ...{ p: p + 4 * from, g: g + 4 * from, n: to - from },
      states: states.map((state) => state + 4 * from),
    }));
  }).flat();
}

const optimizer =
  (kernel: 'sgd' | 'sgdMomentum' | 'adam', step: Step): VectorOp =>
  (args, vectors) => {
    const stretches = stretchesOf(args, vectors);
    const scalars = at(args.inputs, 0) as Float32Array;
    return () => {
      if (scalars[SKIP] !== 1) vectors.each(kernel, stretches.map(step(scalars, args.attrs)));
    };
  };

const sgd: Step = (scalars) => {
  const factors = [at(scalars, 0), at(scalars, 1), signOf(scalars)];
  return ({ p, g, n }) => [p, g, n, ...factors];
};

const sgdMomentum: Step = (scalars, attrs) => {
  const [lr = 0, weightDecay = 0, momentum = 0, bufferFactor = 0, gradientFactor = 0] = scalars;
  const factors = [lr, weightDecay, signOf(scalars), momentum, bufferFactor, gradientFactor];
  return ({ p, g, states, n }) => [p, g, at(states, 0), n, ...factors, attrs['nesterov'] === true ? 1 : 0];
};

const adam: Step = (scalars, attrs) => {
  const [, , beta1 = 0, oneMinus1 = 0, beta2 = 0, oneMinus2 = 0, stepSize = 0, root2 = 1, eps = 0] = scalars;
  const { shrink, coupled } = shrinkageOf(scalars, attrs);
  const factors = [shrink, coupled, signOf(scalars), beta1, oneMinus1, beta2, oneMinus2, stepSize, root2, eps];
  return ({ p, g, states, n }) => [p, g, at(states, 0), at(states, 1), states[2] ?? 0, n, ...factors];
};

/**
 * The 2-norm of float32 gradients: other norms have no kernel. Every addition needs the sum before, so one thread does
 * a whole tensor.
 */
const gradNorm: VectorOp = ({ inputs, outputs, attrs }, vectors) => {
  if (orderOf(attrs) !== 2 || attrs['half'] !== undefined || !vectors.fits(8 * inputs.length)) return undefined;
  const sums = vectors.doubles(vectors.scratch, inputs.length);
  const calls = inputs.map((gradient, k) => [addressOf(gradient), gradient.length, vectors.scratch + 8 * k]);
  const norms = new Float32Array(inputs.length);
  return () => {
    vectors.each('sumOfSquares', calls);
    for (let k = 0; k < norms.length; k++) norms[k] = Math.sqrt(at(sums, k));
    at(outputs, 0)[0] = normOf(norms, 2);
  };
};

const clipGradNorm: VectorOp = ({ inputs, outputs, attrs }, vectors) => {
  const stretches = outputs.flatMap((gradient) =>
    vectors
      .runs(gradient.length, OF_A_THREAD)
      .map(([from, to]) => [addressOf(gradient) + 4 * from, addressOf(gradient) + 4 * from, to - from]),
  );
  return () => {
    const factor = clipFactor(at(at(inputs, 0), 0), attrs);
    vectors.each(
      'scale',
      stretches.map((stretch) => [...stretch, factor]),
    );
  };
};

export const OPTIM_VECTORS: VectorOps = new Map([
  ['optim/sgd', optimizer('sgd', sgd)],
  ['optim/sgd-momentum', optimizer('sgdMomentum', sgdMomentum)],
  ['optim/adam', optimizer('adam', adam)],
  ['optim/grad-norm', gradNorm],
  ['optim/clip-grad-norm', clipGradNorm],
]);
