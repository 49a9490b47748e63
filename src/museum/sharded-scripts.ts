/**
 * The exhibits about shards that are scripts of two ranks: an optimiser that was made before its model was sharded,
 * clipping by the norm of a rank's own shards, and a checkpoint of rank 0's shards. Called by scripts.ts.
 */
import { at } from '../base/invariant';
import { tensor } from '../distributed/tensor';
import { type CurvePoint, SAMPLES } from './column-row-pair';
import type { RankOnStage, RankScript } from './rank-script';
import {
  gatherWhole,
  gradientOf,
  lossOf,
  RANKS,
  scatterMean,
  shardOf,
  shardShapes,
  TENSORS,
  wholeAtStart,
} from './sharded-pair';

const STEPS = 40;
const RATE = 0.1;

interface Parameter {
  readonly data: Float32Array;
  grad?: Float32Array;
}

/** torch.optim.SGD: a parameter without a gradient is left as it is. */
class Sgd {
  readonly parameters: readonly Parameter[];

  constructor(parameters: readonly Parameter[]) {
    this.parameters = parameters;
  }

  step(): void {
    for (const { data, grad } of this.parameters)
      if (grad) for (const [i, value] of grad.entries()) data[i] = at(data, i) - RATE * value;
  }
}

/** As a DistributedSampler hands them out. */
const rowsOf = (rank: number): readonly CurvePoint[] => SAMPLES.filter((_, i) => i % RANKS === rank);

/** Gather, backward, reduce-scatter: the mean gradient lands in the shards. */
async function backward({ dist, rank }: RankOnStage, shards: Parameter): Promise<void> {
  const whole = await gatherWhole(dist, shards.data);
  shards.grad = await scatterMean(dist, gradientOf(whole, rowsOf(rank)));
}

/** Both ranks compute the loss, but only rank 0 reports it. */
async function sayLoss({ dist, rank, has }: RankOnStage, shards: Parameter, when: string): Promise<void> {
  const loss = lossOf(await gatherWhole(dist, shards.data), SAMPLES);
  if (rank === 0) has(`${when}, loss ${loss.toFixed(3)} over all samples`);
}

/** The optimiser gets the parameters that the model has before fully_shard replaces them. */
export const optimizerFirst: RankScript = async (stage) => {
  const { rank, cured, calls, has } = stage;
  const whole: Parameter = { data: wholeAtStart() };
  const shards: Parameter = { data: shardOf(whole.data, rank) };
  const [making, sharding] = ['optimizer = SGD(model.parameters(), lr=0.1)', 'fully_shard(model)'];
  calls(cured ? sharding : making);
  calls(cured ? making : sharding);
  const optimizer = new Sgd([cured ? shards : whole]);
  has(`the optimiser holds ${cured ? 'the shards of this rank' : 'the parameters as they were, whole'}`);
  await sayLoss(stage, shards, 'before training');
  for (let step = 0; step < STEPS; step++) {
    await backward(stage, shards);
    optimizer.step();
  }
  const [held] = optimizer.parameters;
  calls('optimizer.param_groups[0]["params"][0].grad');
  has(held?.grad ? 'the mean gradient of its shards' : 'None: the gradients are with the shards');
  await sayLoss(stage, shards, `after ${STEPS} steps`);
};

const MAX_NORM = 1;
/** Few, so that the gradients are still larger than the norm that is allowed. */
const CLIPPED_STEPS = 20;

const squares = (values: ArrayLike<number>): number => Array.from(values).reduce((sum, value) => sum + value ** 2, 0);

const factorFor = (norm: number): number => Math.min(1, MAX_NORM / (norm + 1e-6));

/** Each rank clips by the norm of its own shards. */
export const ownNorm: RankScript = async (stage) => {
  const { dist, rank, cured, calls, has } = stage;
  const shards: Parameter = { data: shardOf(wholeAtStart(), rank) };
  const optimizer = new Sgd([shards]);
  const clip = async () => {
    const grad = shards.grad ?? new Float32Array();
    const sum = tensor([squares(grad)]);
    if (cured) await dist.allReduce(sum, { site: 'clip_grad.py, get_total_norm()' });
    const norm = Math.sqrt(at(sum.data, 0));
    const factor = factorFor(norm);
    shards.grad = grad.map((value) => factor * value);
    return { norm, factor };
  };
  await backward(stage, shards);
  calls(
    cured
      ? 'clip_grad_norm_(model.parameters(), 1.0)  # dist.all_reduce of the squares'
      : 'norm of p.grad.to_local() for p in model.parameters()',
  );
  const { norm, factor } = await clip();
  has(`norm ${norm.toFixed(3)}: gradients are multiplied by ${factor.toFixed(3)}`);
  const alone: Parameter = { data: wholeAtStart() };
  const oneDevice = new Sgd([alone]);
  const clippedAlone = () => {
    const grad = gradientOf(alone.data, SAMPLES);
    const wholeNorm = Math.sqrt(squares(grad));
    alone.grad = grad.map((value) => factorFor(wholeNorm) * value);
    return wholeNorm;
  };
  const wholeNorm = clippedAlone();
  if (rank === 0)
    has(`one device: norm ${wholeNorm.toFixed(3)}, gradients multiplied by ${factorFor(wholeNorm).toFixed(3)}`);
  optimizer.step();
  oneDevice.step();
  for (let step = 1; step < CLIPPED_STEPS; step++) {
    await backward(stage, shards);
    await clip();
    optimizer.step();
    clippedAlone();
    oneDevice.step();
  }
  const whole = await gatherWhole(dist, shards.data);
  const difference = Math.max(...whole.map((value, i) => Math.abs(value - at(alone.data, i))));
  if (rank === 0) has(`after ${CLIPPED_STEPS} steps, largest difference from one device ${difference.toFixed(3)}`);
};

const written = (shape: readonly number[]): string => `[${shape.join(', ')}]`;

/** Rank 0 saves only its own shards. */
export const rank0Shard: RankScript = async (stage) => {
  const { dist, rank, cured, calls, has, say } = stage;
  const shards: Parameter = { data: shardOf(wholeAtStart(), rank) };
  const optimizer = new Sgd([shards]);
  for (let step = 0; step < STEPS; step++) {
    await backward(stage, shards);
    optimizer.step();
  }
  await sayLoss(stage, shards, `after ${STEPS} steps`);
  let file: { readonly shapes: ReturnType<typeof shardShapes>; readonly whole?: Float32Array };
  if (cured) {
    calls('get_model_state_dict(model, options=full)  # dist.all_gather of the shards');
    file = { shapes: TENSORS, whole: await gatherWhole(dist, shards.data) };
  } else file = { shapes: shardShapes(rank) };
  if (rank !== 0) return;
  calls('torch.save(state, "model.pt")');
  has(`a file with ${file.shapes.map(({ name, shape }) => `${name} ${written(shape)}`).join(', ')}`);
  calls('on one device: model.load_state_dict(torch.load("model.pt"))');
  const misfit = TENSORS.flatMap(({ name, shape }) => {
    const saved = file.shapes.find((own) => own.name === name)?.shape;
    if (saved === undefined) return [`Missing key(s) in state_dict: "${name}".`];
    if (written(saved) === written(shape)) return [];
    return [
      `size mismatch for ${name}: copying a param with shape torch.Size(${written(saved)}) from checkpoint, the shape in current model is torch.Size(${written(shape)}).`,
    ];
  });
  if (misfit.length > 0)
    say(rank, 'raises', `RuntimeError: Error(s) in loading state_dict for Sequential: ${misfit.join(' ')}`);
  else has(`loss ${lossOf(file.whole ?? [], SAMPLES).toFixed(3)} over all samples, on one device`);
};
