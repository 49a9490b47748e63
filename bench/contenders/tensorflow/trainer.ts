/**
 * Training in TensorFlow.js with the core API: `optimizer.minimize` on data that is already on the device; only the
 * last loss is read back. This is its fastest way; `model.fit` of tfjs-layers does the same work and more.
 */
import * as tf from '@tensorflow/tfjs-core';
import { type BenchMaterial, benchMaterial } from '../../../src/bench/bench';
import type { TrainingWork } from '../../workloads/workload';
import { type Contender, firstLosses, type Runner } from '../contender';
import { oneHot } from '../one-hot';
import { openBackend } from './backend';
import { forward, type Statistics, toTensorflow } from './layers';

const MOMENTUM = 0.1;

export async function trainer(
  { config, files, checkedSteps }: TrainingWork,
  backend: Contender['backend'],
): Promise<Runner> {
  await openBackend(backend);
  const material = benchMaterial(config, files);
  const layers = config.model?.layers ?? [];
  const batchSize = config.batchSize ?? 1;
  const isClasses = config.loss?.type === 'CrossEntropyLoss';
  const variables = new Map(material.parameters.map((each) => [each.name, toTensorflow(each, layers)]));
  const batches = makeBatches(material, batchSize, isClasses);
  const rate = config.optimizer?.lr ?? 0.1;
  const optimizer = config.optimizer?.type === 'Adam' ? tf.train.adam(rate, 0.9, 0.999, 1e-8) : tf.train.sgd(rate);
  const running = makeRunning();
  const context = {
    variables,
    shape: [batchSize, ...material.inputShape],
    seen: running.see,
    oneHotLookup: backend === 'wasm',
  };

  const lossOf = (input: tf.Tensor, target: tf.Tensor): tf.Scalar => {
    const output = forward(context, layers, input);
    if (!isClasses) return tf.mean(tf.squaredDifference(output, target)) as tf.Scalar;
    return tf.neg(tf.mean(tf.sum(tf.mul(target, tf.logSoftmax(output)), -1))) as tf.Scalar;
  };

  let position = 0;
  const step = async (count: number): Promise<number> => {
    let last: tf.Scalar | null = null;
    for (let done = 0; done < count; done += 1) {
      const batch = batches[position % batches.length];
      position += 1;
      if (batch === undefined) break;
      const isLast = done === count - 1;
      const cost = optimizer.minimize(() => lossOf(batch.input, batch.target), isLast);
      running.move();
      if (isLast) last = cost;
    }
    const [loss = Number.NaN] = last === null ? [] : await last.data();
    last?.dispose();
    return loss;
  };
  return {
    check: () => firstLosses(step, checkedSteps),
    run: async (count) => void (await step(count)),
    dispose() {
      tf.dispose([[...variables.values()], batches.map(({ input, target }) => [input, target])]);
      optimizer.dispose();
    },
  };
}

/** Running statistics of batch norms, updated after a step with the statistics of the step. */
function makeRunning() {
  const kept = new Map<string, { readonly mean: tf.Variable; readonly variance: tf.Variable }>();
  let seen: Statistics[] = [];
  return {
    see({ name, mean, variance }: Statistics): void {
      seen.push({ name, mean: tf.keep(tf.clone(mean)), variance: tf.keep(tf.clone(variance)) });
    },
    move(): void {
      for (const { name, mean, variance } of seen) {
        const known = kept.get(name) ?? {
          mean: tf.variable(tf.zerosLike(mean), false),
          variance: tf.variable(tf.onesLike(variance), false),
        };
        kept.set(name, known);
        tf.tidy(() => {
          const moved = (old: tf.Tensor, now: tf.Tensor) => tf.add(tf.mul(old, 1 - MOMENTUM), tf.mul(now, MOMENTUM));
          known.mean.assign(moved(known.mean, mean));
          known.variance.assign(moved(known.variance, variance));
        });
        tf.dispose([mean, variance]);
      }
      seen = [];
    },
  };
}

/** Images with channels last; token rows flattened; classes one-hot. */
function makeBatches({ batches, inputShape, parameters }: BenchMaterial, size: number, isClasses: boolean) {
  const classes = isClasses ? (parameters.at(-1)?.shape[0] ?? 1) : 0;
  const isImage = inputShape.length === 3;
  return batches.map(({ inputs, targets }) => ({
    input: tf.tidy(() => {
      const dtype = inputs instanceof Int32Array ? 'int32' : 'float32';
      const input = tf.tensor(inputs, [size, ...inputShape], dtype);
      return isImage ? tf.transpose(input, [0, 2, 3, 1]) : input;
    }),
    target: isClasses
      ? tf.tensor2d(oneHot(targets, classes), [targets.length, classes])
      : tf.tensor2d(Float32Array.from(targets), [size, targets.length / size]),
  }));
}
