/**
 * The TensorFlow script of a run: its model, loss, optimiser, batch size and seed under the strategy of tf.distribute
 * that its mode has a counterpart in (parallel/strategies.ts). For reading beside PyTorch's: the same rows, but not the
 * same losses. Works with Keras 2 and 3. Called by the command line (headless/tensorflow-script.ts) and by the page's
 * code panel, which loads it on demand; no event of the trace points at its lines.
 */

import type { Config, DataConfig } from '../../protocol/config';
import { DATASET_FILE } from '../../protocol/exported';
import type { StrategyName, StrategyOfRun } from '../../protocol/strategy';
import type { CodeLine } from '../../protocol/trace';
import { codeLines } from '../pytorch/code-line';
import { cluster } from './cluster';
import { kerasModel } from './layers';
import { kerasLoss, kerasOptimizer, penaltyOf } from './learning';
import { notes } from './notes';

/** Throws a LockstepError of code 'config' where Keras lacks something of the run. */
export function tensorflowScript(config: Config, use: StrategyOfRun): readonly CodeLine[] {
  const { strategy, batchSize } = use;
  const { start, lines: places } = cluster(config, strategy);
  const model = kerasModel(config.model.layers, use.synchronizedNorms === true);
  const loss = kerasLoss(config);
  const served = strategy === 'ParameterServerStrategy';
  return codeLines(
    ...start.map((text) => `# ${text}`),
    ...notes(config, use).map((text) => `# ${text}`),
    'import tensorflow as tf',
    'from safetensors.numpy import load_file',
    'layers = tf.keras.layers',
    '',
    ...places,
    `tf.keras.utils.set_random_seed(${config.seed})`,
    `data = load_file('${DATASET_FILE}')  # lockstep code --dataset ${DATASET_FILE}`,
    "data_x, data_y = data['x'], data['y']",
    ...(hasImages(config.data)
      ? ['data_x = data_x.transpose(0, 2, 3, 1)  # NCHW to NHWC: Flatten takes the channels last']
      : []),
    ...rows(config, batchSize, served),
    '',
    ...model.definitions,
    `with strategy.scope():${WHERE[strategy]}`,
    ...indented([...model.lines, ...kerasOptimizer(config), 'optimizer.build(model.trainable_variables)']),
    `loss_fn = ${loss.make}  # of each sample: replicas see only their part`,
    '',
    ...replicaStep(config, loss.perSample, strategy),
    '',
    ...(served ? coordinatedLoop(config) : loop(config)),
  );
}

const MIRRORED = '  # variables made in here have a copy on every replica';
/** Where variables are. */
const WHERE: Readonly<Record<StrategyName, string>> = {
  OneDeviceStrategy: '',
  MirroredStrategy: MIRRORED,
  MultiWorkerMirroredStrategy: MIRRORED,
  ParameterServerStrategy: '  # variables made in here are on the parameter server',
};

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `    ${line}`);

const hasImages = (data: DataConfig): boolean =>
  data.type === 'digits' ||
  data.type === 'shapes' ||
  data.type === 'idx' ||
  data.type === 'png' ||
  (data.type === 'prototypes' && data.size !== undefined);

function rows(config: Config, batchSize: number, served: boolean): readonly string[] {
  const { shuffle, dropLast, epochs, seed } = config;
  const repeat = `.repeat(${served || epochs === undefined ? '' : epochs})`;
  const order = shuffle ? `.shuffle(len(data_x)${served ? '' : `, seed=${seed}`})` : '';
  const make = [
    'rows = tf.data.Dataset.from_tensor_slices((data_x, data_y))',
    `${served ? 'return' : 'rows ='} rows${order}.batch(batch_size${dropLast ? ', drop_remainder=True' : ''})${repeat}`,
  ];
  const size = `batch_size = ${batchSize}`;
  if (!served)
    return [
      `${size}  # of all replicas together`,
      ...make,
      'batches = strategy.experimental_distribute_dataset(rows)  # to each replica its part',
    ];
  return [`${size}  # of one worker`, 'def worker_rows(context):', ...indented(make)];
}

function replicaStep(config: Config, perSample: readonly string[], strategy: StrategyName): readonly string[] {
  const served = strategy === 'ParameterServerStrategy';
  const mirrored = WHERE[strategy] === MIRRORED;
  const decay = penaltyOf(config);
  const penalty = `tf.nn.scale_regularization_loss(${decay} * tf.add_n([tf.nn.l2_loss(w) for w in model.trainable_variables]))`;
  return [
    'def replica_step(x, y):',
    '    with tf.GradientTape() as tape:',
    '        output = model(x, training=True)',
    ...indented(indented(perSample)),
    `        loss = ${mirrored ? 'tf.nn.compute_average_loss(losses, global_batch_size=batch_size)' : 'tf.reduce_mean(losses)'}`,
    ...(decay === 0
      ? []
      : [
          "        # torch's weight_decay is a part of the gradient; Keras's argument of that name is AdamW's",
          `        penalized = loss + ${penalty}`,
        ]),
    `    gradients = tape.gradient(${decay === 0 ? 'loss' : 'penalized'}, model.trainable_variables)`,
    `    optimizer.apply_gradients(zip(gradients, model.trainable_variables))${served ? '  # pushed to the server, at once' : mirrored ? '  # summed over the replicas first' : ''}`,
    '    return loss',
    '@tf.function',
    ...(served
      ? ['def train_step(iterator):', '    return strategy.run(replica_step, args=next(iterator))']
      : [
          'def train_step(batch):',
          '    losses = strategy.run(replica_step, args=batch)',
          '    return strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)',
        ]),
  ];
}

const loop = ({ epochs, steps }: Config): readonly string[] =>
  epochs === undefined
    ? [
        `for step, batch in zip(range(${steps}), batches):`,
        '    print(float(train_step(batch)))  # every process prints the loss of the whole batch',
      ]
    : [
        'for batch in batches:',
        '    print(float(train_step(batch)))  # every process prints the loss of the whole batch',
      ];

/** In each step of the run every worker takes one. */
function coordinatedLoop({ epochs, steps, worldSize, dropLast, batchSize }: Config): readonly string[] {
  const workers = worldSize - 1;
  const perEpoch = dropLast ? `len(data_x) // ${batchSize}` : `-(-len(data_x) // ${batchSize})`;
  return [
    '@tf.function',
    'def distributed_rows():',
    '    return strategy.distribute_datasets_from_function(worker_rows)',
    'batches = iter(coordinator.create_per_worker_dataset(distributed_rows))',
    `steps = ${epochs === undefined ? steps : `${epochs} * (${perEpoch})`}  # steps of the run: in each step ${workers === 1 ? 'the worker takes one batch' : `${workers} workers take one batch each`}`,
    `losses = [coordinator.schedule(train_step, args=(batches,)) for _ in range(steps * ${workers})]`,
    'coordinator.join()  # a free worker takes the next step; no worker waits for another',
    'for loss in losses:',
    '    print(float(loss.fetch()))',
  ];
}
