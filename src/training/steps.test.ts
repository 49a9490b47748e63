/**
 * `steps` are the optimizer's, wherever they are counted: a run with micro-batches takes as many of its steps as one
 * without, and says so everywhere.
 */
import { describe, expect, test } from 'vitest';
import { at } from '../base/invariant';
import { parseConfig } from '../config/parse-config';
import { runConfig } from '../headless/run';
import type { RunOptions } from '../headless/run-options';
import type { ConfigInput } from '../protocol/config';
import type { CheckpointFiles } from '../protocol/session';
import { openTestSession } from '../session/testing/open-session';
import { createBlueprint } from './blueprint';
import { describeCheckpoint } from './checkpoint/describe-checkpoint';
import old from './checkpoint/fixtures/version-1.json';
import { readCheckpoint } from './checkpoint/read-checkpoint';
import { overlapTimes } from './overlap-times';

const CONFIG = {
  device: 'cpu',
  mode: 'ddp',
  worldSize: 2,
  batchSize: 8,
  accumulate: 2,
  steps: 3,
  data: { type: 'xor', samples: 40, testFraction: 0 },
  optimizer: { type: 'Adam', lr: 0.01 },
} satisfies ConfigInput;

const run = async (more: ConfigInput = {}, options: RunOptions = {}) => runConfig({ ...CONFIG, ...more }, {}, options);

test('three steps of two micro-batches run six micro-batches, and the report has three steps', async () => {
  const told: string[] = [];
  const { report, traces } = await run(
    {},
    { trace: true, onLoss: ({ step, microBatch }, total, each) => told.push(`${step} ${microBatch} ${total} ${each}`) },
  );
  expect(report.steps).toBe(3);
  expect(report.losses.map(({ step, microBatch }) => [step, microBatch])).toEqual([
    [0, 0],
    [0, 1],
    [1, 2],
    [1, 3],
    [2, 4],
    [2, 5],
  ]);
  expect(told).toEqual(['0 0 3 2', '0 1 3 2', '1 2 3 2', '1 3 3 2', '2 4 3 2', '2 5 3 2']);
  // A trace holds whole steps.
  expect(traces.map(({ step, microBatch }) => [step, microBatch])).toEqual([
    [2, 4],
    [2, 5],
  ]);
  const { measuredTotalMs, measuredStepsPerSecond } = report.time;
  expect((measuredStepsPerSecond * measuredTotalMs) / 1000).toBeCloseTo(3, 6);
});

test('bytes and modelled times "a step" are those of all its micro-batches', async () => {
  const both = (await run()).report;
  // Reduced once a step under no_sync, and twice without.
  const none = (await run({ ddp: { noSync: 'none' } })).report;
  expect(none.bytes.perRank).toEqual(both.bytes.perRank.map((bytes) => 2 * bytes));
  expect(none.bytes.total).toBe(2 * both.bytes.total);
  expect(none.bytes.perRankFormula).toBe(`${both.bytes.perRankFormula}; 2 times a step`);
  const [whole] = overlapTimes(createBlueprint(parseConfig({ ...CONFIG, hardware: 'nvlink8' }), {}));
  const modelled = (await run({ hardware: 'nvlink8' })).report.time.modelledStepUs;
  expect(whole?.withOverlapUs).toBeCloseTo(modelled, 9);
  const half = createBlueprint(parseConfig({ ...CONFIG, hardware: 'nvlink8', accumulate: 1, batchSize: 4 }), {});
  expect(modelled).toBeGreaterThan(1.5 * at(overlapTimes(half), 0).withOverlapUs);
});

test('epochs are epochs of the data: an incomplete step at the end is computed but not applied', async () => {
  // Five micro-batches of 8 in 40 rows, and none is short.
  const { report } = await run({ epochs: 1, batchSize: 16 });
  expect(report.losses).toHaveLength(5);
  expect(report.steps).toBe(2);
  expect(report.losses.at(-1)).toMatchObject({ step: 2, microBatch: 4 });
});

describe('checkpoints', () => {
  test('are written after the given number of steps, and named by steps', async () => {
    const saved: CheckpointFiles[] = [];
    const save = async (files: CheckpointFiles) => {
      saved.push(files);
    };
    const straight = await run({ steps: 5 }, { checkpoint: { every: 2, save } });
    expect(saved.map(({ state }) => describeCheckpoint('run', state).step)).toEqual([2, 4, 5]);
    const { model, state } = at(saved, 0);
    const files = { 'run.safetensors': model, 'run.state.safetensors': state };
    expect(readCheckpoint('run', files)).toMatchObject({ microBatch: 4, accumulate: 2 });
    const resumed = await runConfig({ ...CONFIG, steps: 5, resume: 'run' }, files);
    expect(resumed.report.steps).toBe(3);
    expect(resumed.report.losses).toEqual(straight.report.losses.slice(4));
    expect(resumed.report.weightsSha256).toBe(straight.report.weightsSha256);
    expect(resumed.report.notices.find(({ id }) => id === 'resumed')?.text).toContain(
      'before step 2 (micro-batch 1 of 2)',
    );
    await expect(runConfig({ ...CONFIG, steps: 2, resume: 'run' }, files)).rejects.toThrow(
      'was saved before step 2 (micro-batch 1 of 2), but the run has only 2 steps: no step is left',
    );
    // As many steps of more micro-batches: the optimizer goes on with its step 2.
    const finer = await runConfig({ ...CONFIG, accumulate: 4, steps: 3, resume: 'run' }, files);
    expect(finer.report.losses.map(({ step, microBatch }) => [step, microBatch])).toEqual(
      [8, 9, 10, 11].map((m) => [2, m]),
    );
  });

  test('a run that is stopped is stopped after a whole step', async () => {
    const abort = new AbortController();
    const saved: CheckpointFiles[] = [];
    const { report } = await run(
      { steps: 100_000, accumulate: 3, batchSize: 12 },
      {
        signal: abort.signal,
        onLoss: ({ microBatch }) => microBatch === 100 && abort.abort(),
        checkpoint: { every: undefined, save: async (files) => void saved.push(files) },
      },
    );
    expect(report.losses.length).toBe(3 * report.steps);
    expect(report.error?.message).toBe(`The run was stopped after ${report.steps} steps.`);
    expect(describeCheckpoint('run', at(saved, 0).state).step).toBe(report.steps);
  });

  test('a checkpoint of the version that counted micro-batches as steps continues at its position', async () => {
    const decode = (text: string) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
    const files = { 'run.safetensors': decode(old.model), 'run.state.safetensors': decode(old.state) };
    // Saved after three micro-batches of two a step.
    expect(describeCheckpoint('run', files['run.state.safetensors']).step).toBe(1);
    const { report } = await runConfig({ ...(old.config as ConfigInput), steps: 3, resume: 'run' }, files);
    expect(report.losses.map(({ loss }) => loss)).toEqual(old.losses.slice(3));
    expect(report.weightsSha256).toBe(old.weightsSha256);
    expect(report.steps).toBe(2);
  });
});

test('a fault at step 2 strikes the first micro-batch of step 2', async () => {
  const { report } = await run({ steps: 4 }, { faults: [{ what: 'kill', rank: 1, step: 2 }] });
  expect(report.error).toBeUndefined();
  const text = report.notices.find(({ id }) => id === 'rank-failed')?.text;
  expect(text).toMatch(
    /was killed at step 2 \(micro-batch 1 of 2\): .* Training continues by itself from step 2 \(micro-batch 1 of 2\)\.$/,
  );
});

test('an open session: a trace is of one micro-batch and says of which step, a snapshot is of whole steps', async () => {
  const session = await openTestSession(CONFIG);
  const places: (readonly number[])[] = [];
  for (let i = 0; i < 3; i++) {
    const { step, microBatch } = await session.api.traceStep();
    places.push([step, microBatch, (await session.api.snapshot()).step]);
  }
  expect(places).toEqual([
    [0, 0, 0],
    [0, 1, 1],
    [1, 2, 1],
  ]);
  await session.close();
});

test('under Adam the count that corrects the bias is of steps on every rank, also where ranks have unlike numbers of batches', async () => {
  const uneven = { accumulate: 2, steps: 2, batchSize: 8, ddp: { samplesPerRank: [20, 16] } } satisfies ConfigInput;
  const even = { ...uneven, ddp: { samplesPerRank: [16, 16] } } satisfies ConfigInput;
  const loose = { shuffle: false } satisfies ConfigInput;
  const [a, b] = [await run({ ...uneven, ...loose }), await run({ ...even, ...loose })];
  // Rank 1's rows are others, its first steps count alike: both apply Adam's correction for t = 1 and 2.
  const stepsOf = (config: ConfigInput) => {
    const blueprint = createBlueprint(parseConfig({ ...CONFIG, ...loose, ...config }), {});
    const batches = blueprint.batches();
    return [0, 1, 2, 3].map(() => {
      const { scalars, scalarsOf } = blueprint.feed([batches.next()]);
      return (scalarsOf ?? [scalars, scalars]).map((own) => [...own]);
    });
  };
  expect(stepsOf(uneven)).toEqual(stepsOf(even));
  expect([a.report.steps, b.report.steps]).toEqual([2, 2]);
});

test('a fault that never happened is named in a notice, with the number of steps', async () => {
  const { report } = await run({ steps: 4 }, { faults: [{ what: 'kill', rank: 1, step: 4 }] });
  expect(report.notices.find(({ id }) => id === 'fault-never')?.text).toBe(
    'The kill of rank 1 planned for step 4 never came: this run had the steps 0 to 3.',
  );
  const session = await openTestSession(CONFIG);
  for (let i = 0; i < 3; i++) await session.api.traceStep();
  await expect(session.api.hangRank(1, { step: 1 })).rejects.toThrow(
    'Step 1 has already begun: the run has reached step 1 (micro-batch 2 of 2).',
  );
  await session.close();
});
