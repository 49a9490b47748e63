/**
 * SGD, Adam and AdamW on weights, gradients and states in bfloat16: each of torch's operations rounds its result to
 * bfloat16, so that an update below half of a weight's last digit is lost. Source: _single_tensor_sgd and
 * _single_tensor_adam of torch/optim with the kernels of a CPU with AVX2, where scalars that multiply or divide a
 * tensor are float32, but the factor of add_ is not (adder). All tensors are words with two elements each; attribute
 * `lengths`: the number of elements of each parameter. Loaded by runs with precision "bf16".
 */
import { at } from '../base/invariant';
import type { Attrs, CpuArgs, OpDef } from '../graph/op';
import { floatsOfHalves, rounder, storeHalves } from '../tensor/half-bits';
import type { HostArray } from '../tensor/shape';
import { eachParameter, type OptimizerSpec, optimizerOpDef, shrinkageOf, signOf, stateOf } from './operands';

type Round = (value: number) => number;

/** Elements per iteration of torch's loop: two vectors of 16. The rest of a tensor is added one by one. */
const AT_ONCE = 32;

/** torch.add(a, b, alpha): vectors with a fused multiply-add, the rest of the tensor with a rounded product. */
function adder(r: Round, alpha: number, length: number): (a: number, b: number, i: number) => number {
  const factor = r(alpha);
  const vectors = length - (length % AT_ONCE);
  return (a, b, i) => r(a + (i < vectors ? factor * b : r(factor * b)));
}

const lengthsOf = ({ lengths }: Attrs): readonly number[] => lengths as readonly number[];

/** An optimiser over words: the update sees the elements. */
function inWords(spec: OptimizerSpec): OpDef {
  return {
    ...optimizerOpDef(spec),
    flops: ({ attrs }) => spec.flopsPerElement(attrs) * lengthsOf(attrs).reduce((sum, length) => sum + length, 0),
    cpu(args) {
      const lengths = lengthsOf(args.attrs);
      const floats = (tensors: readonly HostArray[]) =>
        tensors.map((words, i) => floatsOfHalves('bf16', words as Int32Array, at(lengths, i % lengths.length)));
      const [scalars, ...tensors] = args.inputs;
      const outputs = floats(args.outputs);
      const given: CpuArgs = { ...args, inputs: [at([scalars], 0) as HostArray, ...floats(tensors)], outputs };
      eachParameter(given, spec.update);
      for (const [i, values] of outputs.entries()) storeHalves('bf16', values, at(args.outputs, i) as Int32Array);
    },
  };
}

const sgd = inWords({
  name: 'optim/sgd-bf16',
  states: () => 0,
  kernel: () => 'precision/sgd',
  flopsPerElement: () => 4,
  update(scalars, p, g) {
    const r = rounder('bf16');
    const [lr = 0, weightDecay = 0] = scalars;
    const sign = signOf(scalars);
    const [decayed, stepped] = [adder(r, weightDecay, p.length), adder(r, -lr, p.length)];
    for (let i = 0; i < p.length; i++) {
      const value = p[i] as number;
      p[i] = stepped(value, decayed(sign * (g[i] as number), value, i), i);
    }
  },
});

const sgdMomentum = inWords({
  name: 'optim/sgd-momentum-bf16',
  states: () => 1,
  kernel: () => 'precision/sgd-momentum',
  constants: (attrs) => ({ NESTEROV: attrs['nesterov'] === true ? 1 : 0 }),
  flopsPerElement: (attrs) => (attrs['nesterov'] === true ? 9 : 7),
  update(scalars, p, g, states, attrs) {
    const r = rounder('bf16');
    const [lr = 0, weightDecay = 0, momentum = 0, bufferFactor = 0, gradientFactor = 0] = scalars;
    const sign = signOf(scalars);
    const buffer = stateOf(states, 0);
    const add = (alpha: number) => adder(r, alpha, p.length);
    const [decayed, gathered, ahead, stepped] = [add(weightDecay), add(gradientFactor), add(momentum), add(-lr)];
    for (let i = 0; i < p.length; i++) {
      const value = p[i] as number;
      const d = decayed(sign * (g[i] as number), value, i);
      const b = gathered(r(bufferFactor * (buffer[i] as number)), d, i);
      buffer[i] = b;
      p[i] = stepped(value, attrs['nesterov'] === true ? ahead(d, b, i) : b, i);
    }
  },
});

const adam = inWords({
  name: 'optim/adam-bf16',
  states: () => 2,
  kernel: () => 'precision/adam',
  constants: (attrs) => ({ DECOUPLED: attrs['decoupled'] === true ? 1 : 0 }),
  flopsPerElement: () => 15,
  update(scalars, p, g, states, attrs) {
    const r = rounder('bf16');
    const [, , , oneMinus1 = 0, beta2 = 0, oneMinus2 = 0, stepSize = 0, root2 = 1, eps = 0] = scalars;
    const { shrink, coupled } = shrinkageOf(scalars, attrs);
    const sign = signOf(scalars);
    const decayed = adder(r, coupled, p.length);
    const small = r(eps);
    const [expAvg, expAvgSq] = [stateOf(states, 0), stateOf(states, 1)];
    for (let i = 0; i < p.length; i++) {
      const value = r((p[i] as number) * shrink);
      const d = decayed(sign * (g[i] as number), value, i);
      const old = expAvg[i] as number;
      const m = r(old + oneMinus1 * (d - old));
      const v = r(r(beta2 * (expAvgSq[i] as number)) + oneMinus2 * d * d);
      expAvg[i] = m;
      expAvgSq[i] = v;
      const denominator = r(r(r(Math.sqrt(v)) / root2) + small);
      p[i] = r(value - (stepSize * m) / denominator);
    }
  },
});

/** Named like the float32 operators, with the type as a suffix. */
export const BFLOAT16_OPS: readonly OpDef[] = [sgd, sgdMomentum, adam];
