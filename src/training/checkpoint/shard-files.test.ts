/**
 * A checkpoint in shards: put together again it has the bits of the two files, whatever mesh it was saved on, so any
 * world, mode or mesh goes on from it as from these; a rank's file has what the rank keeps; what is missing or damaged
 * is named.
 */
import { describe, expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { at, must } from '../../base/invariant';
import { readSafetensors } from '../../interop/safetensors';
import type { ConfigInput } from '../../protocol/config';
import { mlpLayers } from '../../protocol/presets';
import type { CheckpointFiles, Files } from '../../protocol/session';
import { stateOf, withTraining } from '../testing/checkpoint-runs';
import { writeCheckpoint } from './checkpoint-file';
import { modelFileName, stateFileName } from './file-names';
import { joinShards } from './join-shards';
import { readCheckpoint } from './read-checkpoint';
import { shardFiles } from './shard-files';
import { INDEX, rankFile, type ShardIndex } from './shard-format';

const BASE: ConfigInput = {
  device: 'cpu',
  // Odd sizes: the shards of the last ranks are smaller, or there are none.
  model: { layers: mlpLayers([2, 5, 7, 1], 'Tanh') },
  data: { type: 'xor', samples: 48, testFraction: 0 },
  batchSize: 12,
  dropLast: true,
  optimizer: { type: 'AdamW', lr: 0.01 },
  seed: 2,
};

interface Saved {
  readonly files: CheckpointFiles;
  readonly shards: Files;
}

const savedOf = (config: ConfigInput): Promise<Saved> =>
  withTraining({ ...BASE, ...config }, {}, async (training) => {
    await training.run(3);
    const files = writeCheckpoint(training.blueprint, await training.checkpoint());
    return { files, shards: shardFiles(files, training.blueprint) };
  });

const CASES: readonly (readonly [string, ConfigInput])[] = [
  ['single', { mode: 'single', compareSingle: false }],
  ['ddp', { mode: 'ddp', worldSize: 3 }],
  ['dataParallel', { mode: 'dataParallel', worldSize: 2 }],
  ['modelParallel', { mode: 'modelParallel', worldSize: 2 }],
  ['pipeline', { mode: 'pipeline', worldSize: 2, pipeline: { microBatches: 2 } }],
  ['parameterServer', { mode: 'parameterServer', worldSize: 3 }],
  ['tensor', { mode: 'tensor', worldSize: 2 }],
  ['sharded', { mode: 'sharded', worldSize: 4 }],
  ['ZeRO stage 1', { mode: 'sharded', worldSize: 3, sharded: { stage: 1 } }],
  ['shards beside tp', { mode: 'sharded', worldSize: 4, mesh: { dpShard: 2, tp: 2 }, compareSingle: false }],
  [
    'shards around stages',
    { mode: 'pipeline', worldSize: 4, mesh: { pp: 2, dpShard: 2 }, pipeline: { microBatches: 2 } },
  ],
];

test.each(CASES)(
  '%s: the assembled pieces have the bits of the two files',
  place({ modes: ['sharded'] }),
  async (_, config) => {
    const { files, shards } = await savedOf(config);
    const joined = joinShards('run', shards);
    expect(joined.model).toEqual(files.model);
    expect(joined.state).toEqual(files.state);
  },
);

test(
  'each rank has its own rows of every parameter and of both of Adam’s averages',
  place({ modes: ['sharded'] }),
  async () => {
    const { shards } = await savedOf({ mode: 'sharded', worldSize: 4, compareSingle: false });
    expect(Object.keys(shards)).toEqual([INDEX, ...[0, 1, 2, 3].map(rankFile)]);
    const shapes = [0, 1, 2, 3].map((rank) => {
      const file = rankFile(rank);
      const tensors = readSafetensors(file, must(shards[file], file));
      return ['model:0.weight', 'state.0.exp_avg', 'state.0.exp_avg_sq'].map(
        (name) => tensors.find((tensor) => tensor.name === name)?.shape,
      );
    });
    // Five rows over four ranks: two, two, one and none.
    expect(shapes).toEqual(
      [2, 2, 1].map((rows) => [1, 2, 3].map(() => [rows, 2])).concat([[1, 2, 3].map(() => undefined)] as never),
    );
  },
);

test(
  'replicas share the work: the files of DDP’s ranks are about equally large',
  place({ modes: ['ddp'] }),
  async () => {
    const { files, shards } = await savedOf({
      mode: 'ddp',
      worldSize: 2,
      compareSingle: false,
      model: { layers: mlpLayers([2, 32, 32, 1], 'Tanh') },
    });
    const [first, second] = [0, 1].map((rank) => must(shards[rankFile(rank)], 'file').length);
    expect(Math.max(first ?? 0, second ?? 0)).toBeLessThan(0.65 * (files.model.length + files.state.length));
  },
);

test('a run with another world size and mode continues from shards', place({ modes: ['sharded'] }), async () => {
  const config: ConfigInput = { mode: 'sharded', worldSize: 4, compareSingle: false };
  const { files, shards } = await savedOf(config);
  const goOn = ({ model, state }: CheckpointFiles, more: ConfigInput) =>
    withTraining(
      { ...BASE, ...config, ...more, resume: 'run' },
      { [modelFileName('run')]: model, [stateFileName('run')]: state },
      async (training) => {
        await training.run(2);
        return stateOf(training);
      },
    );
  for (const more of [{}, { mode: 'ddp', worldSize: 2 }, { mode: 'tensor', worldSize: 2 }] as const)
    expect(await goOn(joinShards('run', shards), more)).toEqual(await goOn(files, more));
});

describe('what is missing or damaged', () => {
  const indexOf = (shards: Files): ShardIndex => JSON.parse(new TextDecoder().decode(shards[INDEX])) as ShardIndex;
  const withIndex = (shards: Files, index: object): Files => ({
    ...shards,
    [INDEX]: new Uint8Array(new TextEncoder().encode(JSON.stringify(index))),
  });
  const without = (shards: Files, name: string): Files =>
    Object.fromEntries(Object.entries(shards).filter(([key]) => key !== name));

  test('is named', place({ modes: ['sharded'] }), async () => {
    const { shards } = await savedOf({ mode: 'sharded', worldSize: 2, compareSingle: false });
    const index = indexOf(shards);
    const join = (files: Files) => () => joinShards('run', files);
    expect(join(without(shards, INDEX))).toThrow('run/index.json is missing');
    expect(join(without(shards, 'rank1.safetensors'))).toThrow(
      'run/rank1.safetensors is missing: the index names 2 ranks',
    );
    expect(join({ ...shards, [INDEX]: new Uint8Array([123]) })).toThrow('run/index.json: it is not JSON');
    expect(join(withIndex(shards, { ...index, ranks: 1e9 }))).toThrow('it is not the index of a checkpoint in shards');
    expect(join({ ...shards, 'rank1.safetensors': must(shards['rank0.safetensors'], 'rank 0') })).toThrow(
      /run\/\w+\.\w+/,
    );
    const stored = must(index.model.tensors['0.weight'], '0.weight');
    const tensors = { ...index.model.tensors, '0.weight': { ...stored, shape: [1 << 20, 1 << 12] } };
    expect(join(withIndex(shards, { ...index, model: { ...index.model, tensors } }))).toThrow(
      'the pieces of tensor "model:0.weight" do not make [1048576, 4096]',
    );
  });

  test('a changed byte is found by the checksums of the whole', place({ modes: ['sharded'] }), async () => {
    const { shards } = await savedOf({ mode: 'sharded', worldSize: 2, compareSingle: false });
    const bytes = Uint8Array.from(must(shards['rank1.safetensors'], 'rank 1'));
    bytes[bytes.length - 3] = at([...bytes], bytes.length - 3) ^ 1;
    const { model, state } = joinShards('run', { ...shards, 'rank1.safetensors': bytes });
    expect(() => readCheckpoint('run', { [modelFileName('run')]: model, [stateFileName('run')]: state })).toThrow(
      /tensor/,
    );
  });
});
