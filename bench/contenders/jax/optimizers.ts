/**
 * SGD and Adam in jax-js, as in optax. The powers of Adam's betas are part of the state, so that a step uploads
 * nothing.
 */
import { type Array as JaxArray, numpy as np, tree } from '@jax-js/jax';
import type { Parameters } from './layers';

export type OptimizerState = { [name: string]: Parameters };

export interface JaxOptimizer {
  init(parameters: Parameters): OptimizerState;
  /** Consumes all three arguments. */
  update(parameters: Parameters, gradients: Parameters, state: OptimizerState): [Parameters, OptimizerState];
}

const sgd = (lr: number): JaxOptimizer => ({
  init: () => ({}),
  update: (parameters, gradients) => [
    tree.map(
      (weight: JaxArray, gradient: JaxArray) => weight.sub(gradient.mul(lr)),
      parameters,
      gradients,
    ) as Parameters,
    {},
  ],
});

function adam(lr: number, [beta1, beta2]: readonly [number, number], eps: number): JaxOptimizer {
  return {
    init: (parameters) => ({
      m: tree.map((weight: JaxArray) => np.zeros([...weight.shape]), parameters) as Parameters,
      v: tree.map((weight: JaxArray) => np.zeros([...weight.shape]), parameters) as Parameters,
      powers: { beta1: np.array(1), beta2: np.array(1) },
    }),
    update(parameters, gradients, state) {
      const { m, v, powers } = state as { m: Parameters; v: Parameters; powers: { beta1: JaxArray; beta2: JaxArray } };
      const moved = (beta: number) => (old: JaxArray, now: JaxArray) => old.mul(beta).add(now.mul(1 - beta));
      const nextM = tree.map(moved(beta1), m, tree.ref(gradients)) as Parameters;
      const squares = tree.map((gradient: JaxArray) => np.square(gradient), gradients) as Parameters;
      const nextV = tree.map(moved(beta2), v, squares) as Parameters;
      const next = { beta1: powers.beta1.mul(beta1), beta2: powers.beta2.mul(beta2) };
      const rate = np.array(lr).div(np.array(1).sub(next.beta1.ref));
      const correction = np.array(1).sub(next.beta2.ref);
      const step = (weight: JaxArray, first: JaxArray, second: JaxArray) =>
        weight.sub(first.mul(rate.ref).div(np.sqrt(second.div(correction.ref)).add(eps)));
      const result = tree.map(step, parameters, tree.ref(nextM), tree.ref(nextV)) as Parameters;
      tree.dispose([rate, correction]);
      return [result, { m: nextM, v: nextV, powers: next }];
    },
  };
}

export function jaxOptimizer(config: { readonly type: string; readonly lr?: number | undefined }): JaxOptimizer {
  if (config.type === 'SGD') return sgd(config.lr ?? 0.1);
  if (config.type === 'Adam') return adam(config.lr ?? 0.001, [0.9, 0.999], 1e-8);
  throw new Error(`jax-js contender: no ${config.type}`);
}
