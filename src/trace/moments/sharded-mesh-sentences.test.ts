/** The sentences of shards beside the other axes of a mesh: whose parts are gathered, summed and scattered. */
import { expect, test } from 'vitest';
import { parseConfig } from '../../config/parse-config';
import { mlpLayers } from '../../protocol/presets';
import { createBlueprint } from '../../training/blueprint';
import { createTraining } from '../../training/create-training';
import { DeviceKeeper } from '../../training/device-keeper';
import { momentSentence } from './moment-sentence';
import { whyOf } from './moment-why';
import { momentsOf } from './moments';

interface Mesh {
  readonly pp?: number;
  readonly dpShard: number;
  readonly dpReplicate?: number;
  readonly tp?: number;
}

async function traced(mesh: Mesh) {
  const config = parseConfig({
    mesh,
    device: 'cpu',
    pipeline: { microBatches: 2 },
    model: { layers: mlpLayers([2, 8, 8, 8, 1], 'Tanh') },
    data: { type: 'xor' },
    batchSize: 16,
    dropLast: true,
  });
  const keeper = new DeviceKeeper(undefined, true);
  const training = await createTraining(createBlueprint(config, {}), { keeper, gpu: undefined });
  const trace = await training.trace();
  await training.dispose();
  return trace;
}

const sentences = async (mesh: Mesh) => {
  const trace = await traced(mesh);
  return momentsOf(trace).map((moment) => momentSentence(trace, moment, 'modelled'));
};

test('dp_replicate: half of an all-reduce is enough only for a reduce-scatter', async () => {
  const trace = await traced({ dpShard: 2, dpReplicate: 2 });
  const own = momentsOf(trace).filter(({ round, phase }) => round && phase === 'reduce');
  const half = (op: string) =>
    own
      .filter(({ round }) => round?.op === op)
      .map((moment) => whyOf(trace, moment, 'modelled')?.includes('half of an all-reduce') ?? false);
  expect(half('reduceScatter')).toContain(true);
  expect(half('reduceScatter')).not.toContain(false);
  expect(half('allReduce')).toContain(false);
  expect(half('allReduce')).not.toContain(true);
});

test('tp: the sums are those of a tensor group, and what is gathered is a part of the layer', async () => {
  const said = await sentences({ dpShard: 2, tp: 2 });
  expect(said.filter((each) => each.includes('SyncBatchNorm'))).toEqual([]);
  expect(said.join('\n')).toContain(
    'All-reduce of the two addends of the output of layer 2: every rank gets the sum, in 2 rounds',
  );
  expect(said).toContain('Forward: every rank multiplies by its half of the columns of «layer 0» (Linear)');
  expect(said).toContain('All-gather of «layer 0»: every rank passes one rank’s part on to another');
});

test('pp: the ranks of one stage gather and scatter among themselves', async () => {
  const said = await sentences({ pp: 2, dpShard: 2 });
  expect(said).toContain('All-gather of «layer 0»: ranks 0 and 1 each pass one rank’s part on to the other');
  expect(said).toContain(
    'Reduce-scatter of the gradients of «layer 6»: ranks 2 and 3 each send a part to the other, which adds it',
  );
});

test('both: in each part of the stage, and no stage sends to one that does not exist', async () => {
  const said = await sentences({ pp: 2, dpShard: 2, tp: 2 });
  expect(said).toContain(
    'All-gather of «layer 4»: ranks 4, 5, 6 and 7 each pass one rank’s part on to another, in two groups',
  );
  expect(said.filter((each) => /to stage [2-9]|Stages 0 and 1 send/.test(each))).toEqual([]);
});
