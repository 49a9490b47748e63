/**
 * The exhibits about tensor groups that are scripts of two ranks: a hand-written column-row pair that trains with
 * all-reduces of its group, and a weight that only rank 0 gathers. Called by scripts.ts.
 */
import { at } from '../base/invariant';
import { tensor, zeros } from '../distributed/tensor';
import {
  addendsOf,
  type CurvePoint,
  type HiddenUnit,
  meanSquare,
  PartOfPair,
  SAMPLES,
  wholePair,
} from './column-row-pair';
import { type RankOnStage, type RankScript, show } from './rank-script';

const STEPS = 100;
/** The samples per batch. */
const BATCH = 4;

/** Only rank 0 logs the norm of a divided weight, while rank 1 continues with its next forward pass. */
export const rank0Logs: RankScript = async (stage) => {
  const { dist, rank, cured, calls, has } = stage;
  const { units, bias } = new PartOfPair(rank);
  if (rank === 0 || cured) {
    calls('weight.full_tensor()  # dist.all_gather of the parts');
    const whole = await gather(stage, units);
    if (rank === 0) {
      const norm = Math.hypot(...whole.flatMap((unit) => unit.slice(0, 2)));
      has(`the norm of the whole weight, ${norm.toFixed(3)}, to be printed`);
    }
  }
  const out = tensor(addendsOf(units, SAMPLES.slice(0, BATCH)));
  calls('model(x)  # dist.all_reduce(out)');
  await dist.allReduce(out, { site: 'train.py:24' });
  has(`out = ${show(plus(out.data, bias))}`);
};

/** Each rank of the group reads different samples, as under DDP. */
export const ownBatches: RankScript = async (stage) => {
  const { rank, cured, calls, has } = stage;
  calls(`DistributedSampler(data, num_replicas=${cured ? 1 : 2}, rank=${cured ? 0 : rank})`);
  const read = SAMPLES.filter((_, i) => cured || i % 2 === rank);
  const batches = Array.from({ length: read.length / BATCH }, (_, i) => read.slice(i * BATCH, (i + 1) * BATCH));
  const first = at(batches, 0);
  has(`samples ${first.map((sample) => SAMPLES.indexOf(sample)).join(', ')}`);
  const part = new PartOfPair(rank);
  calls('model(x)  # dist.all_reduce(out)');
  has(`out = ${show(plus((await sumOfGroup(stage, part.addends(first))).data, part.bias))}`);
  const { units, bias } = wholePair();
  has(`what one device computes for these samples: ${show(plus(addendsOf(units, first), bias))}`);
  const forward = async (batch: readonly CurvePoint[]) =>
    plus((await sumOfGroup(stage, part.addends(batch))).data, part.bias).data;
  for (let step = 0; step < STEPS; step++) {
    const batch = at(batches, step % batches.length);
    part.learn(batch, await forward(batch));
  }
  const reached = meanSquare(first, await forward(first));
  has(`after ${STEPS} steps, bias = ${part.bias.toFixed(3)}, loss ${reached.toFixed(3)} over these samples`);
  await sayLossOnOneDevice(stage, part);
};

/** Each rank adds the bias to its addend, before the sum. */
export const biasTwice: RankScript = async (stage) => {
  const { rank, cured, calls, has } = stage;
  const part = new PartOfPair(rank);
  const forward = async (batch: readonly CurvePoint[]) => {
    const addends = part.addends(batch);
    if (!cured) return (await sumOfGroup(stage, plus(addends, part.bias).data)).data;
    return plus((await sumOfGroup(stage, addends)).data, part.bias).data;
  };
  const first = SAMPLES.slice(0, BATCH);
  calls(cured ? 'out = F.linear(h, weight)' : 'out = F.linear(h, weight, bias)');
  calls(`dist.all_reduce(out)${cured ? ', then out + bias' : ''}`);
  has(`out = ${show({ data: await forward(first) })}`);
  const { units, bias } = wholePair();
  has(`what one device computes for these samples: ${show(plus(addendsOf(units, first), bias))}`);
  for (let step = 0; step < STEPS; step++) part.learn(SAMPLES, await forward(SAMPLES));
  const out = await forward(SAMPLES);
  has(`after ${STEPS} steps, loss ${meanSquare(SAMPLES, out).toFixed(3)} in the group`);
  await sayLossOnOneDevice(stage, part);
};

const plus = (values: ArrayLike<number>, bias: number) => ({
  data: Float32Array.from(values, (value) => value + bias),
});

async function sumOfGroup({ dist }: RankOnStage, addends: Float32Array) {
  const out = tensor(addends);
  await dist.allReduce(out, { site: 'row_parallel.py:9' });
  return out;
}

/** Gathers the hidden units of both ranks on both. */
async function gather({ dist }: RankOnStage, own: readonly HiddenUnit[]): Promise<readonly HiddenUnit[]> {
  const mine = tensor(own.flat());
  const parts = [zeros(mine.shape), zeros(mine.shape)];
  await dist.allGather(parts, mine, { site: 'train.py:20' });
  const numbers = parts.flatMap(({ data }) => [...data]);
  return Array.from({ length: numbers.length / 4 }, (_, i): HiddenUnit => {
    const [first = 0, second = 0, bias = 0, toOutput = 0] = numbers.slice(4 * i, 4 * i + 4);
    return [first, second, bias, toOutput];
  });
}

/** Joins the trained parts and evaluates them on one device, as after loading their checkpoint there. */
async function sayLossOnOneDevice(stage: RankOnStage, part: PartOfPair): Promise<void> {
  const { rank, has } = stage;
  const units = await gather(stage, part.units);
  if (rank !== 0) return;
  const out = plus(addendsOf(units, SAMPLES), part.bias).data;
  has(`the checkpoint on one device: loss ${meanSquare(SAMPLES, out).toFixed(3)} over all samples`);
}
