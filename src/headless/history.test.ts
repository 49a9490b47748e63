import { describe, expect, it, test } from 'vitest';
import type { ConfigInput, LayerInput } from '../protocol/config';
import { decodeF32 } from '../tensor/fixtures/decode';
import { elements } from '../tensor/shape';
import { PARITY_CASES, type ParityCase } from '../training/testing/parity-cases';
import { PIPELINE_CASES } from '../training/testing/pipeline-cases';
import { sampleOf } from './history';
import { runConfig } from './run';

const bitsOf = (values: Float32Array): string => [...values].join(' ');

describe('gradients of the first step are those of PyTorch', () => {
  // Large nets take seconds, and their gradients are put together no differently.
  const sizeOf = (tensors: ParityCase['finalParameters']): number =>
    [...tensors.values()].reduce((sum, { shape }) => sum + elements(shape), 0);
  const cases = [...PARITY_CASES, ...PIPELINE_CASES].filter(
    ({ firstGradients }) => firstGradients.size > 0 && sizeOf(firstGradients) <= 1000,
  );

  it.each(cases)('$name', async ({ config, files, firstGradients, clipped, bars }) => {
    const { epochs: _, ...rest } = config;
    const { report } = await runConfig({ ...rest, steps: 1, device: 'cpu', compareSingle: false }, files, {
      records: { history: 1 },
    });
    const gradients = new Map(Object.entries(report.history?.[0]?.gradients ?? {}));
    let compared = 0;
    for (const [name, stored] of firstGradients) {
      // Of large tensors other elements are recorded than sampled; the key part of an attention's bias is rounding.
      if (!('b64' in stored) || name.endsWith('qkv.bias')) continue;
      const expected = sampleOf(decodeF32(stored).map((value) => value * clipped));
      const scale = Math.max(...decodeF32(stored).map(Math.abs)) * clipped;
      const { sample = [] } = gradients.get(name) ?? {};
      expect(sample).toHaveLength(expected.sample.length);
      for (const [i, value] of sample.entries())
        expect(Math.abs((value ?? 0) - (expected.sample[i] ?? 0))).toBeLessThanOrEqual(bars.first_grad_maxrel * scale);
      compared++;
    }
    expect(compared).toBeGreaterThan(0);
  });
});

const layers: LayerInput[] = [{ type: 'Linear', in: 2, out: 6 }, { type: 'Tanh' }, { type: 'Linear', in: 6, out: 1 }];
const base: ConfigInput = { model: { layers }, device: 'cpu', steps: 7 };
const runs: Readonly<Record<string, ConfigInput>> = {
  single: { ...base },
  'single with accumulation': { ...base, accumulate: 6, batchSize: 24 },
  'with a clip and a short last batch': { ...base, clipGradNorm: 0.1, data: { type: 'spiral', samples: 50 } },
  DataParallel: { ...base, mode: 'dataParallel' },
  DDP: { ...base, mode: 'ddp' },
  'DDP with accumulation and bucket views': {
    ...base,
    mode: 'ddp',
    accumulate: 2,
    ddp: { gradientAsBucketView: true, noSync: 'backward' },
  },
  'DDP, a worker for each rank': { ...base, mode: 'ddp', worldSize: 2, placement: 'workers' },
  'model parallel': { ...base, mode: 'modelParallel', worldSize: 2 },
  pipeline: { ...base, mode: 'pipeline', mesh: { pp: 2 }, pipeline: { microBatches: 2 } },
  'pipelines that average': { ...base, mode: 'pipeline', mesh: { pp: 2, dp: 2 }, pipeline: { microBatches: 2 } },
  'parameter server': { ...base, mode: 'parameterServer', worldSize: 2 },
  'parameter server, asynchronous': {
    ...base,
    mode: 'parameterServer',
    worldSize: 2,
    parameterServer: { synchronous: false },
  },
};

describe.each(Object.entries(runs))('%s', (_name, config) => {
  test('history and weights change no bit of the run', async () => {
    const plain = await runConfig(config, {});
    const noted = await runConfig(config, {}, { records: { history: 3, weights: true }, trace: true });
    expect(noted.report.losses).toEqual(plain.report.losses);
    expect(noted.report.weightsSha256).toBe(plain.report.weightsSha256);
    expect(noted.report.history?.map(({ step }) => step)).toEqual([0, 1, 2]);
    expect([plain.report.history, plain.report.weights]).toEqual([undefined, undefined]);
  });

  test('the parameters after a step equal those of a run of this many steps', async () => {
    const { report } = await runConfig(config, {}, { records: { history: 9 }, trace: true });
    expect(report.history).toHaveLength(7);
    const short = await runConfig({ ...config, steps: 4 }, {}, { records: { weights: true } });
    for (const [name, { norm, sample }] of Object.entries(report.history?.[3]?.parameters ?? {})) {
      const stored = new Map(Object.entries(short.report.weights ?? {})).get(name);
      const values = decodeF32({ shape: [], dtype: 'f32', b64: stored?.float32 ?? '' });
      expect(bitsOf(Float32Array.from(sampleOf(values).sample, Number))).toBe(
        bitsOf(Float32Array.from(sample, Number)),
      );
      expect(sampleOf(values).norm).toBe(norm);
    }
    expect(Object.keys(report.history?.[0]?.gradients ?? {})).toEqual(Object.keys(report.parametersSha256));
  });
});

it('a run that restarts after a dead rank has the same history', async () => {
  const config = { ...base, mode: 'ddp', worldSize: 2 } as const;
  const plain = await runConfig(config, {}, { records: { history: 7 } });
  const faults = [{ what: 'kill', rank: 1, step: 4 }] as const;
  const killed = await runConfig(config, {}, { records: { history: 7 }, faults });
  expect(killed.report.history).toEqual(plain.report.history);
});

it.each<ConfigInput>([
  {},
  { mode: 'ddp', worldSize: 2, ddp: { findUnusedParameters: true } },
  { mode: 'ddp', worldSize: 2 },
])('a parameter that forward does not use has no gradient: %j', async (mode) => {
  const unused: LayerInput = { type: 'Unused', layers: [{ type: 'Linear', in: 6, out: 3 }] };
  const config = { ...base, ...mode, model: { layers: [...layers, unused] } };
  const { report } = await runConfig(config, {}, { records: { history: 1 } });
  const [step] = report.history ?? [];
  expect(Object.keys(step?.parameters ?? {})).toHaveLength(6);
  expect(Object.keys(step?.gradients ?? {})).toHaveLength(4);
});

it('refuses an invalid number of steps', async () => {
  await expect(runConfig(base, {}, { records: { history: 0.5 } })).rejects.toThrow('history is 0.5');
});

it('reports the bytes passed to collectives, whatever the algorithm sends', async () => {
  const bytesOf = async (config: ConfigInput) =>
    (await runConfig({ ...config, steps: 1 }, {})).report.bytes.payloadPerStep;
  // 6 * 2 + 6 + 6 + 1 = 25 parameters of 4 bytes.
  expect(await bytesOf(runs['DDP'] ?? {})).toEqual({ all_reduce: 100 });
  expect(await bytesOf({ ...runs['DDP'], ddp: { algorithm: 'naive' } })).toEqual({ all_reduce: 100 });
  expect(await bytesOf(runs['single'] ?? {})).toEqual({});
});
