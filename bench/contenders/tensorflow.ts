/**
 * TensorFlow.js on its WebGPU backend, written with the core API: `optimizer.minimize` on data that already lies on the GPU, and
 * no loss read back but the last. That is its fast way; `model.fit` of tfjs-layers does the same and more.
 */
import '@tensorflow/tfjs-backend-webgpu';
import '@tensorflow/tfjs-core/dist/register_all_gradients';
import * as tf from '@tensorflow/tfjs-core';
import type { CreateTrainer } from '../contender';
import { makeData, type Workload } from '../workload';

export const createTensorflow: CreateTrainer = async (work, weights) => {
  if (!(await tf.setBackend('webgpu'))) throw new Error('TensorFlow.js found no WebGPU backend');
  await tf.ready();
  const variables = work.sizes.slice(1).map((out, index) => {
    const inputs = work.sizes[index] ?? 1;
    const kernel = tf.tidy(() => tf.transpose(tf.tensor2d(weights[2 * index] ?? [], [out, inputs])));
    return { kernel: tf.variable(kernel), bias: tf.variable(tf.tensor1d(weights[2 * index + 1] ?? [])) };
  });
  const batches = makeBatches(work);
  const optimizer = tf.train.sgd(work.learningRate);
  let position = 0;

  const predict = (input: tf.Tensor2D): tf.Tensor2D =>
    variables.reduce((hidden, { kernel, bias }, index) => {
      const sum = tf.add(tf.matMul(hidden, kernel as tf.Tensor2D), bias) as tf.Tensor2D;
      if (index === variables.length - 1) return sum;
      return work.activation === 'tanh' ? tf.tanh(sum) : tf.relu(sum);
    }, input);

  const lossOf = (input: tf.Tensor2D, target: tf.Tensor2D): tf.Scalar => {
    const output = predict(input);
    if (work.loss === 'mse') return tf.mean(tf.squaredDifference(output, target)) as tf.Scalar;
    return tf.neg(tf.mean(tf.sum(tf.mul(target, tf.logSoftmax(output)), 1))) as tf.Scalar;
  };

  return {
    async step(count) {
      let last: tf.Scalar | null = null;
      for (let done = 0; done < count; done += 1) {
        const batch = batches[position % batches.length];
        position += 1;
        if (batch === undefined) break;
        const isLast = done === count - 1;
        const cost = optimizer.minimize(() => lossOf(batch.input, batch.target), isLast);
        if (isLast) last = cost;
      }
      const [loss = Number.NaN] = last === null ? [] : await last.data();
      last?.dispose();
      return loss;
    },
    dispose() {
      tf.dispose([
        variables.map(({ kernel, bias }) => [kernel, bias]),
        batches.map(({ input, target }) => [input, target]),
      ]);
      optimizer.dispose();
    },
  };
};

function makeBatches(work: Workload): readonly { readonly input: tf.Tensor2D; readonly target: tf.Tensor2D }[] {
  const { inputs, targets, classes } = makeData(work);
  const width = work.sizes[0] ?? 1;
  const outputs = work.sizes.at(-1) ?? 1;
  return Array.from({ length: work.batches }, (_, index) => {
    const from = index * work.batch;
    const input = tf.tensor2d(inputs.slice(from * width, (from + work.batch) * width), [work.batch, width]);
    if (work.loss === 'mse') {
      const rows = targets.slice(from * outputs, (from + work.batch) * outputs);
      return { input, target: tf.tensor2d(rows, [work.batch, outputs]) };
    }
    const labels = classes.slice(from, from + work.batch);
    return {
      input,
      target: tf.tidy(() => tf.cast(tf.oneHot(tf.tensor1d(labels, 'int32'), outputs), 'float32')) as tf.Tensor2D,
    };
  });
}
