/**
 * A run with OneCycleLR and clip_grad_norm_, step by step against what real PyTorch recorded (rates to 1e-12, total
 * norms, losses), and what must hold of such runs: a resumed run is the run without the break, all ranks clip by one
 * norm. For the CPU and the GPU.
 */
import { describe, expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { at, must } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import { makeSchedule } from '../../optim/rates';
import type { ConfigInput } from '../../protocol/config';
import { createBlueprint } from '../blueprint';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';
import fixture from '../fixtures/runs/tanh_clip_onecycle.json';
import type { Training } from '../training';
import { SCRIPTS } from './script-cases';

const { losses, lrs, grad_norms: norms } = fixture.single;

const RUN: ConfigInput = {
  model: {
    layers: [
      { type: 'Linear', in: 2, out: 8 },
      { type: 'Tanh' },
      { type: 'Linear', in: 8, out: 8 },
      { type: 'Tanh' },
      { type: 'Linear', in: 8, out: 1 },
    ],
  },
  loss: { type: 'BCEWithLogitsLoss' },
  optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9 },
  scheduler: { type: 'OneCycleLR', maxLr: 0.5, totalSteps: 60 },
  clipGradNorm: fixture.spec.clip,
  data: { type: 'xor', samples: 128 },
  batchSize: 32,
  seed: fixture.spec.seed,
  compareSingle: false,
};

const MODES: readonly [string, ConfigInput][] = [
  ['single', {}],
  [
    'model parallel: the norm spans two devices',
    { mode: 'modelParallel', worldSize: 2, modelParallel: { split: [2, 3] } },
  ],
  ['model parallel, a GPUDevice a stage', { mode: 'modelParallel', worldSize: 2, placement: 'workers' }],
  ['DataParallel', { mode: 'dataParallel', worldSize: 2 }],
];

const relative = (actual: number, expected: number): number => Math.abs(actual - expected) / Math.abs(expected);

export function clipScheduleSuite(device: 'cpu' | 'webgpu', gpu: () => GPU | undefined): void {
  const withTraining = async <T>(config: ConfigInput, use: (training: Training) => Promise<T>): Promise<T> => {
    const keeper = new DeviceKeeper(gpu(), true);
    const blueprint = createBlueprint(parseConfig({ ...config, device }), {});
    const training = await createTraining(blueprint, { keeper, gpu: gpu() });
    try {
      return await use(training);
    } finally {
      await training.dispose();
      keeper.forget();
    }
  };

  const REST = 'ranks on one GPUDevice have the same kernels, and the CPU device has ranks in workers';
  for (const [name, mode] of MODES)
    describe(name, place(device === 'webgpu' && mode.placement === 'workers' ? { rest: REST } : {}), () => {
      test('rates, norms and losses are those of PyTorch', async () => {
        await withTraining({ ...RUN, ...mode }, async (training) => {
          const batches = training.blueprint.batches();
          const ratesAt = makeSchedule(training.blueprint.config);
          for (const [step, loss] of losses.entries()) {
            expect(relative(at(ratesAt(step), 0).lr, at(lrs, step)), `lr of step ${step}`).toBeLessThanOrEqual(1e-12);
            const { scalars } = training.blueprint.feed([batches.next()]);
            expect(relative(at(scalars, 0), at(lrs, step)), `float32 lr of step ${step}`).toBeLessThanOrEqual(2 ** -24);
            const trace = await training.trace();
            expect(Math.abs(trace.losses.loss - loss) / (loss + 0.01), `loss of step ${step}`).toBeLessThanOrEqual(
              1e-5,
            );
            const written = trace.events.flatMap((e) => e.captured.filter(({ buffer }) => buffer === 'grad_norm'));
            expect(written.length).toBeGreaterThan(0);
            for (const { values } of written)
              expect(relative(at(values, 0), at(norms, step)), `norm of step ${step}`).toBeLessThanOrEqual(2e-5);
          }
        });
      });
    });

  const otherNorms = SCRIPTS.cases.filter(({ name, config }) => name.includes('clipped by') && config.mode !== 'ddp');
  test('there are runs clipped by other norms and by value', () => expect(otherNorms.length).toBe(5));
  test.each(otherNorms)('losses that torch printed: $name', async ({ name, config }) => {
    await withTraining(config, async (training) => {
      const records = await training.run(9);
      const [printed] = must(SCRIPTS.recorded.cases[name], name).printed;
      const found = records.flatMap(({ perRank }) => perRank);
      expect(found.length).toBe(printed?.length);
      for (const [i, loss] of (printed ?? []).entries())
        expect(relative(at(found, i), loss), `loss ${i}`).toBeLessThanOrEqual(1e-5);
    });
  });

  const EVERYTHING: ConfigInput = {
    ...RUN,
    optimizer: { type: 'NAdam', lr: 0.02 },
    scheduler: { type: 'OneCycleLR', maxLr: 0.05, totalSteps: 20 },
    paramGroups: [{ match: '*.bias', weightDecay: 0, lr: 0.01 }],
    mode: 'ddp',
    worldSize: 2,
  };

  test('a run that resumes has the weights of one that did not stop, and every rank the same norm', async () => {
    const straight = await withTraining(EVERYTHING, async (training) => {
      await training.run(24);
      return training.checkpoint();
    });
    const resumed = await withTraining(EVERYTHING, async (training) => {
      await training.run(11);
      const checkpoint = await training.checkpoint();
      await training.run(7);
      await training.restore(checkpoint);
      await training.run(13);
      return training.checkpoint();
    });
    expect(resumed.values).toEqual(straight.values);
    const ofRanks = straight.values.filter(({ buffer }) => buffer === 'grad_norm').map(({ data }) => at(data, 0));
    expect(ofRanks.length).toBe(2);
    expect(ofRanks[0]).toBe(ofRanks[1]);
    expect(ofRanks[0]).toBeGreaterThan(0);
  });

  test('Adagrad starts from its initial accumulator value, also after a reset', async () => {
    const config: ConfigInput = {
      ...RUN,
      scheduler: undefined,
      clipGradNorm: undefined,
      optimizer: { type: 'Adagrad', lr: 0.01, initialAccumulatorValue: 0.5 },
    };
    await withTraining(config, async (training) => {
      const sums = async () =>
        must(
          (await training.checkpoint()).values.find(({ buffer }) => buffer === '0.bias.sum'),
          'sum',
        ).data;
      expect([...(await sums())].every((value) => value === 0.5)).toBe(true);
      await training.run(3);
      expect([...(await sums())].every((value) => value > 0.5)).toBe(true);
      await training.reset();
      expect([...(await sums())].every((value) => value === 0.5)).toBe(true);
    });
  });
}
