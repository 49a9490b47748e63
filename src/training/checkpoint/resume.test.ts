/** Loading a checkpoint elsewhere: by rank 0 alone, on another world size, with other settings. */
import { describe, expect, test } from 'vitest';
import { at, must } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import { readSafetensors, writeSafetensors } from '../../interop/safetensors';
import type { ConfigInput } from '../../protocol/config';
import { RESUME } from '../../protocol/step-kind';
import { emptyFeed } from '../../runtime/launch/empty-feed';
import { createBlueprint } from '../blueprint';
import { DeviceKeeper } from '../device-keeper';
import { openWorld } from '../open-world';
import { NET, savedAfter, stateOf, withTraining } from '../testing/checkpoint-runs';
import { PLACEMENTS } from '../testing/placements';

const DDP: ConfigInput = { ...NET, mode: 'ddp' };

describe('rank 0 reads and broadcasts', () => {
  test.each(PLACEMENTS)(
    '$title: what the others hold comes from it alone, whatever they held',
    async ({ placement }) => {
      const files = await savedAfter({ ...DDP, worldSize: 3, batchSize: 9, clipGradNorm: 1 }, 4);
      const config: ConfigInput = {
        ...DDP,
        worldSize: 3,
        batchSize: 9,
        clipGradNorm: 1,
        placement,
        resume: 'run',
        resumeBy: 'rank0',
      };
      const { programs, table, rankOfDevice, resume } = createBlueprint(parseConfig(config), files);
      const choice = await new DeviceKeeper(undefined, true).choose('cpu');
      const world = await openWorld({ programs, table, rankOfDevice, placement, choice, gpu: undefined });
      const values = must(resume, 'resume').checkpoint.values.filter((v) => !v.buffer.endsWith('.grad'));
      await world.write(values.map((v) => (v.device === 0 ? v : { ...v, data: v.data.map(() => Number.NaN) })));
      await world.run([emptyFeed(RESUME)]);
      const held = await world.read(values);
      for (const [i, value] of values.entries()) {
        const ofRank0 = values.find((v) => v.device === 0 && v.buffer === value.buffer);
        expect(at(held, i), `${value.buffer} of rank ${value.device}`).toEqual(must(ofRank0, 'value').data);
      }
      expect(values.map((v) => v.buffer)).toEqual(
        expect.arrayContaining(['0.weight', '0.weight.exp_avg_sq', '1.running_var']),
      );
      await world.dispose();
    },
  );

  test('the resumed run equals the uninterrupted run', async () => {
    const straight = await withTraining(DDP, {}, async (t) => {
      await t.run(9);
      return stateOf(t);
    });
    const files = await savedAfter(DDP, 4);
    const resumed = await withTraining({ ...DDP, resume: 'run', resumeBy: 'rank0' }, files, async (t) => {
      expect(t.blueprint.notices.map(({ text }) => text).join()).toContain(
        'the same bits as a run without the interruption',
      );
      await t.run(5);
      return stateOf(t);
    });
    // The running statistics that ranks > 0 hold after a step are their own; the next step takes rank 0's.
    expect(resumed).toEqual(straight);
  });

  test('if nothing broadcasts it, state that only other ranks had is lost, with a notice', async () => {
    const own: ConfigInput = { ...DDP, ddp: { broadcastBuffers: false } };
    const files = await savedAfter(own, 4);
    const { notices } = createBlueprint(parseConfig({ ...own, resume: 'run', resumeBy: 'rank0' }), files);
    const told = notices.map(({ text }) => text).join();
    expect(told).toContain('the run’s numbers differ from the numbers of a run without the interruption');
    expect(told).toContain('its own values of 1.running_mean');
  });

  test('not within a group of micro-batches, whose gradients are each rank’s own', async () => {
    const config: ConfigInput = { ...DDP, accumulate: 2 };
    const files = await savedAfter(config, 3);
    await expect(withTraining({ ...config, resume: 'run', resumeBy: 'rank0' }, files, stateOf)).rejects.toThrow(
      'Each rank had accumulated different gradients then, and rank 0 cannot broadcast them',
    );
  });
});

describe('another world size', () => {
  /** Every batch divides by four. */
  const EVEN: ConfigInput = { ...DDP, data: { type: 'xor', samples: 48, testFraction: 0 } };
  const WORLDS: readonly [string, ConfigInput, ConfigInput][] = [
    ['DDP, 2 ranks to 4', EVEN, { ...EVEN, worldSize: 4 }],
    ['DDP, 4 ranks to 1', { ...EVEN, worldSize: 4 }, { ...EVEN, worldSize: 1 }],
    ['single to DDP', { ...NET, mode: 'single' }, DDP],
    ['DataParallel, 2 devices to 3', { ...NET, mode: 'dataParallel' }, { ...NET, mode: 'dataParallel', worldSize: 3 }],
  ];
  test.each(WORLDS)(
    '%s: weights, optimiser state and step continue, and a notice says what changes',
    async (_, from, to) => {
      const files = await savedAfter(from, 4);
      const exp = must(
        readSafetensors('s', must(files['run.state.safetensors'], 'state')).find((t) => t.name === 'state.0.exp_avg'),
        'exp_avg',
      ).data;
      const weight = must(readSafetensors('m', must(files['run.safetensors'], 'model'))[0], 'weight').data;
      const run = () =>
        withTraining({ ...to, resume: 'run' }, files, async (t) => {
          expect(t.microBatch).toBe(4);
          const { values, batches } = await t.checkpoint();
          expect(values.filter((v) => v.buffer === '0.weight').map((v) => v.data)).toContainEqual(weight);
          for (const v of values.filter((one) => one.buffer === '0.weight.exp_avg')) expect(v.data).toEqual(exp);
          // Six batches of eight in an epoch.
          expect(batches.epoch).toBe(0);
          const records = await t.run(3);
          expect(records.map((r) => [r.step, r.epoch])).toEqual([
            [4, 0],
            [5, 0],
            [6, 1],
          ]);
          return { notices: t.blueprint.notices, after: await stateOf(t) };
        });
      const first = await run();
      const said = first.notices.find((n) => n.id === 'resume-world');
      expect(said?.text).toMatch(/^Saved with \w+ on \d devices?, resumed with \w+ on \d devices?:/);
      expect(await run()).toEqual(first);
    },
  );

  test('notices: samples per rank, samplers, running statistics', async () => {
    const files = await savedAfter(EVEN, 4);
    const { notices } = createBlueprint(parseConfig({ ...EVEN, worldSize: 4, resume: 'run' }), files);
    expect(notices.find((n) => n.id === 'resume-world')?.text).toBe(
      'Saved with ddp on 2 devices, resumed with ddp on 4 devices: parameters, optimiser state, schedule and step continue. Each rank now takes 2 samples per step; in the saved run 2 ranks took 4 each. The samplers distribute the rows again: epoch 0 continues at batch 4 of 6. All ranks take the running statistics of rank 0. Dropout draws different masks.',
    );
    expect(notices.find((n) => n.id === 'resumed')?.text).toContain(
      'the run’s numbers differ from the numbers of a run without the interruption',
    );
  });

  test('Dropout(0) draws no masks, so no notice says that masks differ', async () => {
    const layers = must(EVEN.model, 'model').layers.map((layer) =>
      layer.type === 'Dropout' ? { type: 'Dropout' as const, p: 0 } : layer,
    );
    const none: ConfigInput = { ...EVEN, model: { layers } };
    const files = await savedAfter(none, 4);
    const { notices } = createBlueprint(parseConfig({ ...none, worldSize: 4, resume: 'run' }), files);
    expect(layers).toContainEqual({ type: 'Dropout', p: 0 });
    expect(notices.find((n) => n.id === 'resume-world')?.text).not.toContain('Dropout');
  });

  test('the micro-batches of an unfinished step are done again', async () => {
    const config: ConfigInput = { ...EVEN, batchSize: 16, accumulate: 2 };
    const files = await savedAfter(config, 3);
    await withTraining({ ...config, worldSize: 4, resume: 'run' }, files, async (t) => {
      expect(t.microBatch).toBe(2);
      expect(t.blueprint.notices.find((n) => n.id === 'resume-world')?.text).toContain(
        '1 micro-batch of an unfinished step is done again',
      );
    });
  });

  test('model parallel on other devices has the same bits', async () => {
    const config: ConfigInput = { ...NET, mode: 'modelParallel' };
    const straight = await withTraining(config, {}, async (t) => {
      await t.run(8);
      return t.weights();
    });
    const files = await savedAfter(config, 3);
    const resumed = await withTraining(
      { ...config, modelParallel: { split: [4, 1] }, resume: 'run' },
      files,
      async (t) => {
        await t.run(5);
        return t.weights();
      },
    );
    const all = (w: typeof straight) => Object.fromEntries(w.devices.flatMap((d) => [...d]));
    expect(all(resumed)).toEqual(all(straight));
  });
});

test('other settings: the run goes on with them, and says so', async () => {
  const files = await savedAfter(DDP, 2);
  const { notices } = createBlueprint(
    parseConfig({ ...DDP, optimizer: { type: 'Adam', lr: 0.5 }, resume: 'run' }),
    files,
  );
  expect(notices.find((n) => n.id === 'resume-settings')?.text).toContain(
    'These settings differ from the checkpoint’s: optimizer.',
  );
});

test('names with module. in front are read without it, and the run says so', async () => {
  const files = await savedAfter(DDP, 2);
  const model = readSafetensors('m', must(files['run.safetensors'], 'model'));
  const wrapped = writeSafetensors(model.map((t) => ({ ...t, name: `module.${t.name}` })));
  const { notices, resume } = createBlueprint(parseConfig({ ...DDP, resume: 'run' }), {
    ...files,
    'run.safetensors': wrapped,
  });
  expect(resume?.exact).toBe(true);
  expect(notices.map((n) => n.id)).toContain('module-prefix');
  const alone = createBlueprint(parseConfig({ ...DDP, weights: 'w.safetensors' }), { 'w.safetensors': wrapped });
  expect(alone.notices.map((n) => n.id)).toContain('module-prefix');
});

test('the state reads as torch’s optimizer.state_dict()', async () => {
  const files = await savedAfter({ ...DDP, paramGroups: [{ match: '*.bias', weightDecay: 0.1 }] }, 3);
  const state = readSafetensors('s', must(files['run.state.safetensors'], 'state'));
  const named = (name: string) =>
    must(
      state.find((t) => t.name === name),
      name,
    );
  // Biases first, as the script makes its groups.
  expect(named('state.0.exp_avg').shape).toEqual([4]);
  expect(named('state.0.exp_avg_sq').shape).toEqual([4]);
  expect(named('state.0.step')).toMatchObject({ shape: [], data: Float32Array.of(3) });
  expect(named('rng_state.0').data.length).toBe(5056);
});
