/**
 * jax-js on WebGPU: one jitted function a step that takes parameters and a batch and gives loss and new parameters, on data that
 * already lies on the GPU. Arguments are consumed by every call, hence the `.ref`s.
 */
import { defaultDevice, init, type Array as JaxArray, jit, nn, numpy as np, tree, valueAndGrad } from '@jax-js/jax';
import type { CreateTrainer } from '../contender';
import { makeData, type Workload } from '../workload';

interface Layer {
  readonly [name: string]: JaxArray;
  readonly kernel: JaxArray;
  readonly bias: JaxArray;
}

export const createJax: CreateTrainer = async (work, weights) => {
  if (!(await init('webgpu')).includes('webgpu')) throw new Error('jax-js found no WebGPU backend');
  defaultDevice('webgpu');

  const predict = (layers: Layer[], input: JaxArray): JaxArray =>
    layers.reduce((hidden, { kernel, bias }, index) => {
      const sum = np.matmul(hidden, kernel).add(bias);
      if (index === layers.length - 1) return sum;
      return work.activation === 'tanh' ? np.tanh(sum) : nn.relu(sum);
    }, input);

  const lossOf = (layers: Layer[], input: JaxArray, target: JaxArray): JaxArray => {
    const output = predict(layers, input);
    if (work.loss === 'mse') return np.mean(np.square(output.sub(target)));
    return np.mean(np.sum(nn.logSoftmax(output).mul(target), 1)).mul(-1);
  };

  const update = jit((layers: Layer[], input: JaxArray, target: JaxArray) => {
    const [loss, gradients] = valueAndGrad(lossOf)(tree.ref(layers), input, target);
    const moved = tree.map(
      (weight: JaxArray, gradient: JaxArray) => weight.sub(gradient.mul(work.learningRate)),
      layers,
      gradients,
    );
    return { loss, layers: moved };
  });

  let layers: Layer[] = work.sizes.slice(1).map((out, index) => {
    const inputs = work.sizes[index] ?? 1;
    const kernel = np.array(weights[2 * index] ?? []).reshape([out, inputs]);
    return { kernel: np.transpose(kernel), bias: np.array(weights[2 * index + 1] ?? []) };
  });
  const batches = makeBatches(work);
  let position = 0;

  return {
    async step(count) {
      let last: JaxArray | undefined;
      for (let done = 0; done < count; done += 1) {
        const batch = batches[position % batches.length];
        position += 1;
        if (batch === undefined) break;
        last?.dispose();
        const result = update(layers, batch.input.ref, batch.target.ref);
        layers = result.layers;
        last = result.loss;
      }
      const [loss = Number.NaN] = last === undefined ? [] : await last.data();
      return Number(loss);
    },
    dispose() {
      tree.dispose(layers);
      for (const { input, target } of batches) {
        input.dispose();
        target.dispose();
      }
    },
  };
};

function makeBatches(work: Workload): readonly { readonly input: JaxArray; readonly target: JaxArray }[] {
  const { inputs, targets, classes } = makeData(work);
  const width = work.sizes[0] ?? 1;
  const outputs = work.sizes.at(-1) ?? 1;
  return Array.from({ length: work.batches }, (_, index) => {
    const from = index * work.batch;
    const input = np.array(inputs.slice(from * width, (from + work.batch) * width)).reshape([work.batch, width]);
    if (work.loss === 'mse') {
      const rows = targets.slice(from * outputs, (from + work.batch) * outputs);
      return { input, target: np.array(rows).reshape([work.batch, outputs]) };
    }
    const hot = new Float32Array(work.batch * outputs);
    classes.slice(from, from + work.batch).forEach((label, row) => {
      hot[row * outputs + label] = 1;
    });
    return { input, target: np.array(hot).reshape([work.batch, outputs]) };
  });
}
