/** SGD, Adam and AdamW over 20 steps of given gradients against torch 1.13.1, and the place of Adam's eps, which curves cannot show. */
import { expect, test } from 'vitest';
import type { OpDef } from '../graph/op';
import type { OptimizerConfig } from '../protocol/config';
import { decodeF32, type StoredTensor } from '../tensor/fixtures/decode';
import { adam } from './adam';
import fixtures from './fixtures/optim.json';
import { optimizerOp, optimizerState } from './optimizer';
import { stepScalars } from './scalars';
import { sgd, sgdMomentum } from './sgd';

const OPS: readonly OpDef[] = [sgd, sgdMomentum, adam];
const BAR = 1e-6;

interface Case {
  optimizer: OptimizerConfig['type'];
  kw: {
    lr: number;
    momentum?: number;
    nesterov?: boolean;
    weight_decay?: number;
    dampening?: number;
    betas?: number[];
    eps?: number;
  };
  params_after: Record<string, StoredTensor[]>;
  final_state: Record<string, StoredTensor | number>[];
}

function configOf({ optimizer, kw }: Case): OptimizerConfig {
  if (optimizer === 'SGD') {
    const { lr, momentum = 0, dampening = 0, nesterov = false } = kw;
    return { type: 'SGD', lr, momentum, dampening, nesterov, weightDecay: kw.weight_decay ?? 0 };
  }
  const [beta1 = 0.9, beta2 = 0.999] = kw.betas ?? [];
  const weightDecay = kw.weight_decay ?? (optimizer === 'AdamW' ? 0.01 : 0);
  return { type: optimizer, lr: kw.lr, beta1, beta2, eps: kw.eps ?? 1e-8, weightDecay };
}

/** One optimiser over float32 arrays, driven as a Program drives it: in place, through the operator. */
function makeStepper(config: OptimizerConfig, parameters: Float32Array[]) {
  const { op, attrs } = optimizerOp(config);
  const def = OPS.find((one) => one.name === op);
  if (def === undefined) throw new Error(op);
  const states = optimizerState(config).map(() => parameters.map((p) => new Float32Array(p.length)));
  let t = 0;
  const step = (gradients: Float32Array[]): void => {
    t += 1;
    const inputs = [stepScalars(config, t), ...parameters, ...gradients, ...states.flat()];
    const inputTypes = inputs.map((array) => ({ shape: [array.length], dtype: 'f32' as const }));
    const all = { ...attrs, count: parameters.length };
    const outputTypes = def.infer(inputTypes, all);
    def.cpu({ inputs, outputs: [...parameters, ...states.flat()], inputTypes, outputTypes, attrs: all });
  };
  return { step, states };
}

const worst = (actual: Float32Array | undefined, stored: StoredTensor | undefined): number => {
  if (actual === undefined || stored === undefined) return Number.POSITIVE_INFINITY;
  const expected = decodeF32(stored);
  return expected.reduce(
    (max, value, i) => Math.max(max, Math.abs(value - (actual[i] ?? Number.NaN))),
    actual.length === expected.length ? 0 : 1,
  );
};

test.each(
  (fixtures.optimizers as unknown as Case[]).map((c) => [`${c.optimizer} ${JSON.stringify(c.kw)}`, c] as const),
)('%s', (_, c) => {
  const config = configOf(c);
  const parameters = fixtures.init_params.map(decodeF32);
  const { step, states } = makeStepper(config, parameters);
  for (const [k, gradients] of fixtures.grads.entries()) {
    step(gradients.map(decodeF32));
    for (const [i, stored] of (c.params_after[String(k + 1)] ?? []).entries()) {
      expect(worst(parameters[i], stored), `parameter ${i} after step ${k + 1}`).toBeLessThanOrEqual(BAR);
    }
  }
  for (const [s, name] of optimizerState(config).entries()) {
    for (const [i, stored] of c.final_state.entries()) {
      const tensor = stored[name] as StoredTensor;
      const scale = Math.max(1, ...decodeF32(tensor).map(Math.abs));
      expect(worst(states[s]?.[i], tensor) / scale, `${name} of parameter ${i}`).toBeLessThanOrEqual(BAR);
    }
  }
});

test('eps is added to the corrected root: a gradient as small as eps moves the weight by half the rate', () => {
  const config: OptimizerConfig = { type: 'Adam', lr: 0.1, beta1: 0.9, beta2: 0.999, eps: 1e-8, weightDecay: 0 };
  const weight = new Float32Array([0]);
  // Corrected m = g and sqrt(v) = g at t = 1, so the move is lr * g / (g + eps). eps inside the root, or before the correction, gives 3 to 4 % of it.
  makeStepper(config, [weight]).step([new Float32Array([1e-8])]);
  expect(weight[0]).toBeCloseTo(-0.05, 6);
});

test('SGD: the first step copies the gradient into the buffer, dampening counts from the second on', () => {
  const config: OptimizerConfig = {
    type: 'SGD',
    lr: 1,
    momentum: 0.5,
    dampening: 0.25,
    nesterov: false,
    weightDecay: 0,
  };
  const weight = new Float32Array([0]);
  const { step, states } = makeStepper(config, [weight]);
  step([new Float32Array([1])]);
  expect(states[0]?.[0]?.[0]).toBe(1);
  step([new Float32Array([1])]);
  expect(states[0]?.[0]?.[0]).toBe(1.25);
  expect(weight[0]).toBe(-2.25);
});

test('the lowering is one segmented dispatch with a segment a parameter', () => {
  const type = (...shape: number[]) => ({ shape, dtype: 'f32' as const });
  const inputs = [type(16), type(8, 2), type(8), type(8, 2), type(8), type(8, 2), type(8)];
  const attrs = { count: 2, nesterov: true };
  const outputs = sgdMomentum.infer(inputs, attrs);
  expect(outputs).toEqual([type(8, 2), type(8), type(8, 2), type(8)]);
  expect(sgdMomentum.lower({ inputs, outputs, attrs })).toEqual([
    {
      kind: 'segmented',
      kernel: 'optim/sgd-momentum',
      constants: { NESTEROV: 1 },
      params: [],
      segments: [
        {
          at: [
            { operand: 0, offset: 0, fixed: true },
            { operand: 3, offset: 0 },
            { operand: 7, offset: 0 },
            { operand: 9, offset: 0 },
          ],
          length: 16,
        },
        {
          at: [
            { operand: 0, offset: 0, fixed: true },
            { operand: 4, offset: 0 },
            { operand: 8, offset: 0 },
            { operand: 10, offset: 0 },
          ],
          length: 8,
        },
      ],
    },
  ]);
});

test('operands that do not fit are refused', () => {
  const type = (...shape: number[]) => ({ shape, dtype: 'f32' as const });
  expect(() => sgd.infer([type(16), type(2), type(3)], { count: 1 })).toThrow(
    'operand 2 has shape [3], its parameter has [2]',
  );
  expect(() => sgd.infer([type(16), type(2)], { count: 1 })).toThrow('2 operands for 1 parameters, expected 3');
  expect(() =>
    optimizerOp({ type: 'SGD', lr: 0.1, momentum: 0, dampening: 0, weightDecay: 0, nesterov: true }),
  ).toThrow('Nesterov momentum requires a momentum and zero dampening');
});
