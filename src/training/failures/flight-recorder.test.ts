/**
 * The flight recorder of a training run: every collective of every rank, and where each rank was when one died, in
 * PyTorch's field names.
 */
import { expect, test } from 'vitest';
import { must } from '../../base/invariant';
import { runConfig } from '../../headless/run';
import type { ConfigInput } from '../../protocol/config';
import { PLACEMENTS } from '../testing/placements';

const config: ConfigInput = {
  device: 'cpu',
  mode: 'ddp',
  worldSize: 3,
  model: { layers: [{ type: 'Linear', in: 2, out: 1 }] },
  data: { type: 'xor', samples: 24 },
  batchSize: 6,
  compareSingle: false,
  timeoutS: 7,
  steps: 4,
};

test('one collective per step and rank, numbered on over the steps, all completed; traced ones have their times', async () => {
  const { flightRecorder } = await runConfig(config, {}, { trace: true });
  const dumps = flightRecorder();
  expect(dumps.map(({ rank }) => rank)).toEqual([0, 1, 2]);
  for (const { entries, pg_status, pg_config } of dumps) {
    expect(entries.map((e) => [e.profiling_name, e.collective_seq_id, e.state])).toEqual(
      [1, 2, 3, 4].map((seq) => ['nccl:all_reduce', seq, 'completed']),
    );
    expect(entries[3]?.input_sizes).toEqual([[3]]);
    expect(entries[3]).toMatchObject({ timeout_ms: 7000, pg_id: 0, is_p2p: false, retired: true });
    expect(must(entries[3]?.duration_ms, 'a duration')).toBeGreaterThan(0);
    expect(entries[3]?.frames).toEqual([{ name: 'step 3', filename: 'train.py', line: expect.any(Number) }]);
    expect(pg_status['0']).toEqual({
      last_enqueued_collective: 4,
      last_started_collective: 4,
      last_completed_collective: 4,
    });
    expect(pg_config['0']).toEqual({ name: '0', desc: 'default_pg', ranks: '[0, 1, 2]' });
  }
});

test('of several micro-batches in a Program each collective is named by its own', async () => {
  const accumulating: ConfigInput = { ...config, batchSize: 12, accumulate: 2, steps: 3, ddp: { noSync: 'none' } };
  const { flightRecorder } = await runConfig(
    { ...accumulating, data: { type: 'xor', samples: 48, testFraction: 0 } },
    {},
  );
  const names = [0, 1, 2].flatMap((step) => [1, 2].map((n) => `step ${step} (micro-batch ${n} of 2)`));
  for (const { entries } of flightRecorder()) {
    expect(entries.map(({ frames }) => frames[0]?.name)).toEqual(names);
    expect(entries.map((e) => e.collective_seq_id)).toEqual([1, 2, 3, 4, 5, 6]);
  }
});

test.each(PLACEMENTS)('$title: after a kill it shows who was in which collective', async ({ placement }) => {
  const faults = [{ what: 'kill', rank: 2, step: 1 }] as const;
  const { flightRecorder } = await runConfig({ ...config, placement }, {}, { faults });
  for (const { rank, entries } of flightRecorder()) {
    const first = entries.filter((e) => e.pg_id === 0).map((e) => e.state);
    // Rank 2 died before it had loaded its batch of step 1; the others have run as far as they can without it.
    expect(first.slice(0, 2)).toEqual(['completed', rank === 2 ? 'scheduled' : 'started']);
    expect(entries.filter((e) => e.pg_id === 1).map((e) => e.state)).toEqual(Array(4).fill('completed'));
  }
});

test('sizes and dtypes are those of the tensors: halves that travel in words, a gathered tensor with its share', async () => {
  const model = {
    layers: [...must(config.model, 'a model').layers.slice(0, 1), { type: 'BatchNorm1d', features: 1 }],
  } as const;
  const of = async (ddp: ConfigInput['ddp']) =>
    (await runConfig({ ...config, model: { layers: [...model.layers] }, ddp, steps: 1 }, {}))
      .flightRecorder()
      .map(({ entries }) =>
        entries.map(
          (e) =>
            `${e.profiling_name.slice(5)} ${e.input_dtypes.join()} ${e.input_sizes.join()} ${e.output_sizes.join()}`,
        ),
      );
  const broadcasts = ['broadcast Float 1 1', 'broadcast Float 1 1', 'broadcast Int 1 1'];
  // 2 + 1 + 1 + 1 gradients: three words.
  const halves = [...broadcasts, 'all_reduce Half 5 5'];
  expect(await of({ commHook: { type: 'fp16Compress' } })).toEqual([halves, halves, halves]);
  const synced = [...broadcasts, 'all_gather Float 3 9', 'all_reduce Float 2 2', 'all_reduce Float 5 5'];
  expect(await of({ syncBatchNorm: true })).toEqual([synced, synced, synced]);
});

test('one process has no process group to record', async () => {
  const { flightRecorder } = await runConfig({ ...config, mode: 'dataParallel' }, {});
  expect(flightRecorder).toThrow(/without a process group/);
});
