/**
 * Training in jax-js: one jitted function per step takes parameters, optimiser state and a batch, and returns the loss
 * and the changed values. The data is already on the device.
 */
import { type Array as JaxArray, jit, nn, numpy as np, tree, valueAndGrad } from '@jax-js/jax';
import { benchMaterial } from '../../../src/bench/bench';
import type { TrainingWork } from '../../workloads/workload';
import { type Contender, firstLosses, type Runner } from '../contender';
import { openBackend } from './backend';
import { makeBatches } from './batches';
import { forward, type Parameters, type Statistics, toJax } from './layers';
import { jaxOptimizer } from './optimizers';

type Running = { [name: string]: { mean: JaxArray; variance: JaxArray } };

export async function trainer(
  { config, files, checkedSteps }: TrainingWork,
  backend: Contender['backend'],
): Promise<Runner> {
  await openBackend(backend);
  const material = benchMaterial(config, files);
  const layers = config.model?.layers ?? [];
  const optimizer = jaxOptimizer(config.optimizer ?? { type: 'SGD' });
  const isClasses = config.loss?.type === 'CrossEntropyLoss';

  const lossOf = (parameters: Parameters, input: JaxArray, target: JaxArray): [JaxArray, Running] => {
    const moved = new Map<string, Statistics>();
    const output = forward(layers, parameters, input, moved);
    const loss = isClasses
      ? np.mean(np.sum(nn.logSoftmax(output).mul(target), -1)).mul(-1)
      : np.mean(np.square(output.sub(target)));
    return [loss, Object.fromEntries(moved)];
  };

  const update = jit((state: State, input: JaxArray, target: JaxArray) => {
    const [[loss, moved], gradients] = valueAndGrad(lossOf, { hasAux: true })(
      tree.ref(state.parameters),
      input,
      target,
    );
    const [parameters, moments] = optimizer.update(state.parameters, gradients as Parameters, state.moments);
    const running = tree.map(
      (old: JaxArray, now: JaxArray) => old.mul(0.9).add(now),
      state.running,
      moved as Running,
    ) as Running;
    return { loss, state: { parameters, moments, running } };
  });

  const parameters: Parameters = Object.fromEntries(
    material.parameters.map((each) => [each.name, toJax(each, layers)]),
  );
  let state: State = { parameters, moments: optimizer.init(parameters), running: runningStart(layers) };
  const batches = makeBatches(material, config.batchSize ?? 1, isClasses);
  let position = 0;

  const step = async (count: number): Promise<number> => {
    let last: JaxArray | undefined;
    for (let done = 0; done < count; done += 1) {
      const batch = batches[position % batches.length];
      position += 1;
      if (batch === undefined) break;
      last?.dispose();
      const result = update(state, batch.input.ref, batch.target.ref);
      state = result.state;
      last = result.loss;
    }
    const [loss = Number.NaN] = last === undefined ? [] : await last.data();
    return Number(loss);
  };
  return {
    check: () => firstLosses(step, checkedSteps),
    run: async (count) => void (await step(count)),
    dispose: () => tree.dispose([state, batches]),
  };
}

type State = {
  parameters: Parameters;
  moments: ReturnType<ReturnType<typeof jaxOptimizer>['init']>;
  running: Running;
};

function runningStart(layers: NonNullable<NonNullable<TrainingWork['config']['model']>['layers']>): Running {
  return Object.fromEntries(
    layers.flatMap((layer, index) =>
      layer.type === 'BatchNorm2d'
        ? [
            [
              layer.name ?? String(index),
              { mean: np.zeros([1, layer.features, 1, 1]), variance: np.ones([1, layer.features, 1, 1]) },
            ],
          ]
        : [],
    ),
  );
}
