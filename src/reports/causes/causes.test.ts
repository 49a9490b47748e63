import { afterAll, describe, expect, it, test } from 'vitest';
import { runConfig } from '../../headless/run';
import type { ConfigInput, LayerInput } from '../../protocol/config';
import type { Report } from '../../protocol/report';
import { compareReports, type ReportComparison } from '../compare-reports';
import { readReport } from '../read-report';
import { PRECISION_HISTORY, PRECISION_RUN, recordedBf16 } from './testing/precision-run';

const layers: LayerInput[] = [
  { type: 'Linear', in: 2, out: 8 },
  { type: 'Tanh' },
  { type: 'Linear', in: 8, out: 8 },
  { type: 'Tanh' },
  { type: 'Linear', in: 8, out: 1 },
];
const base: ConfigInput = {
  model: { layers },
  data: { type: 'spiral', samples: 96 },
  batchSize: 32,
  mode: 'ddp',
  worldSize: 4,
  steps: 8,
  device: 'cpu',
  compareSingle: false,
};

/** Many tests compare with the same run. */
const runs = new Map<string, Promise<Report>>();
afterAll(() => runs.clear());

async function run(config: ConfigInput, history = 8): Promise<Report> {
  const key = JSON.stringify([config, history]);
  const kept =
    runs.get(key) ??
    runConfig({ ...base, ...config }, {}, { records: { history, weights: true } }).then(({ report }) => report);
  runs.set(key, kept);
  // A copy for each test, because some tests change it.
  return structuredClone(await kept);
}

/** Reports as read from files. Without configurations, a cause must show in the numbers. */
function compare(a: Partial<Report>, b: Partial<Report>, { configs = false } = {}): ReportComparison {
  const read = (report: Partial<Report>, name: string) => {
    const { config, ...rest } = report;
    return readReport(JSON.parse(JSON.stringify(configs ? { config, ...rest } : rest)), name);
  };
  return compareReports(read(a, 'A'), read(b, 'B'));
}

const ids = ({ causes }: ReportComparison): readonly string[] => causes.map(({ id }) => id);
const first = ({ causes: [cause] }: ReportComparison): string => cause?.evidence ?? '';

const adam: ConfigInput = { optimizer: { type: 'Adam', lr: 0.01 } };
const norm: LayerInput[] = [
  { type: 'Linear', in: 2, out: 8 },
  { type: 'BatchNorm1d', features: 8 },
  { type: 'Tanh' },
  { type: 'Linear', in: 8, out: 1 },
];

const piped: ConfigInput = { mode: 'pipeline', worldSize: 2, mesh: { pp: 2 }, pipeline: { microBatches: 4 } };
const unused: LayerInput[] = [...layers, { type: 'Unused', layers: [{ type: 'Linear', in: 1, out: 3 }] }];

describe('a run with one setting changed: the cause is seen in the numbers alone', () => {
  test.each<[cause: string, a: ConfigInput, b: ConfigInput]>([
    ['seed', {}, { seed: 1 }],
    [
      'model',
      {},
      { model: { layers: layers.slice(2) }, data: { type: 'randomRegression', in: 8 }, loss: { type: 'MSELoss' } },
    ],
    ['set-epoch', {}, { ddp: { setEpoch: false } }],
    ['reduction', {}, { loss: { type: 'BCEWithLogitsLoss', reduction: 'sum' } }],
    ['learning-rate', {}, { optimizer: { type: 'SGD', lr: 0.05, momentum: 0.9 } }],
    ['learning-rate', { ...adam }, { optimizer: { type: 'Adam', lr: 0.02 } }],
    ['learning-rate', {}, { scheduler: { type: 'StepLR', stepSize: 3, gamma: 0.5 } }],
    ['learning-rate', { ...adam }, { ...adam, scheduler: { type: 'StepLR', stepSize: 3, gamma: 0.5 } }],
    [
      'weight-decay',
      { optimizer: { type: 'AdamW', lr: 0.01 } },
      { optimizer: { type: 'AdamW', lr: 0.01, weightDecay: 0.5 } },
    ],
    ['optimizer', {}, { optimizer: { type: 'SGD', lr: 0.1, momentum: 0.5 } }],
    ['clip', {}, { clipGradNorm: 0.05 }],
    ['clip', { clipGradNorm: 0.1 }, { clipGradNorm: 0.05 }],
    ['half-gradients', {}, { ddp: { commHook: { type: 'fp16Compress' } } }],
    ['half-gradients', {}, { ddp: { commHook: { type: 'bf16Compress' } } }],
    ['rows', {}, { ddp: { samplerSeed: 5 } }],
    ['rows', {}, { shuffle: false }],
    ['rows', {}, { batchSize: 16 }],
    [
      'buffers',
      { model: { layers: norm } },
      { model: { layers: norm.map((l) => (l.type === 'BatchNorm1d' ? { ...l, momentum: 0.3 } : l)) } },
    ],
    ['gradients', {}, { ddp: { commHook: { type: 'localSGD', startLocalSGDIter: 0 } } }],
    ['weight-decay', {}, { optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9, weightDecay: 0.1 } }],
    ['gradient-scale', piped, { ...piped, pipeline: { microBatches: 4, scaleGrads: false } }],
    ['some-ranks', {}, { ddp: { initSync: false, rankSeeds: 'beforeModel' } }],
    ['gradients', { model: { layers: unused }, ddp: { findUnusedParameters: true } }, { model: { layers: unused } }],
  ])('%s: %j, %j', async (cause, a, b) => {
    const found = compare(await run(a), await run(b));
    expect(found.verdict.same).toBe(false);
    expect(ids(found)).toEqual([cause]);
  });
});

describe("what the table says of a report from a loop of one's own", () => {
  const plain = (losses: readonly number[]): Partial<Report> =>
    ({ losses: losses as unknown as Report['losses'], history: [] }) satisfies Partial<Report>;

  it('sees that one rank logged', async () => {
    const report = await run({});
    const found = compare(report, plain(report.losses.map(({ perRank }) => perRank[2] ?? 0)));
    expect(ids(found)).toEqual(['one-rank']);
    expect(first(found)).toBe('Every loss of B equals the loss of rank 2 in A.');
  });

  it('sees that steps are counted from another one', async () => {
    const report = await run({});
    expect(ids(compare(report, plain(report.losses.slice(1).map(({ loss }) => loss))))).toEqual(['shifted']);
  });

  it('sees that the logged losses are divided', async () => {
    const report = await run({ accumulate: 2 });
    const found = compare(report, plain(report.losses.map(({ loss }) => loss / 2)));
    expect(ids(found)).toEqual(['logged-scale']);
    expect(first(found)).toContain('0.5 times');
    // Small differences, as from half precision, are not taken for a division.
    const near = compare(report, plain(report.losses.map(({ loss }) => loss * 1.00005)));
    expect(near.verdict.same).toBe(false);
    expect(ids(near)).not.toContain('logged-scale');
  });

  it.each([
    [-1, 'every gradient of B has the opposite sign.'],
    [-2.5, 'every gradient of B has the opposite sign and is 2.5 times as large.'],
    [-0.25, 'every gradient of A has the opposite sign and is 4 times as large: 4 is the number of ranks.'],
    [4, 'every gradient of B is 4 times as large: 4 is the number of ranks.'],
  ])('sees that the gradients are multiplied by %d', async (factor, words) => {
    const report = await run({});
    const history = (report.history ?? []).map((step) => ({
      ...step,
      gradients: Object.fromEntries(
        Object.entries(step.gradients).map(([name, { norm, sample }]) => [
          name,
          { norm: (norm ?? 0) * Math.abs(factor), sample: sample.map((value) => (value ?? 0) * factor) },
        ]),
      ),
    }));
    const found = compare(report, { ...report, history });
    expect(ids(found)).toEqual(['gradient-scale']);
    expect(first(found)).toBe(`At step 0 the loss agrees, and ${words}`);
  });

  it('names the step to look at if the reports have only losses', async () => {
    const report = await run({});
    const other = await run({ optimizer: { type: 'SGD', lr: 0.05 } });
    const found = compare(report, plain(other.losses.map(({ loss }) => loss)));
    expect(ids(found)).toEqual(['first-update']);
  });
});

describe('causes that need a configuration', () => {
  const dropped: LayerInput[] = [...layers.slice(0, 2), { type: 'Dropout', p: 0.5 }, ...layers.slice(2)];
  const config: ConfigInput = { model: { layers: dropped } };

  it('tells masks of another generator from other rows', async () => {
    const [a, b] = [await run(config), await run({ ...config, ddp: { rankSeeds: 'afterModel' } })];
    expect(ids(compare(a, b, { configs: true }))).toContain('dropout');
    expect(ids(compare(a, b)).length).toBeGreaterThan(0);
  });

  it('does not suspect Dropout(0), which draws no masks', async () => {
    const none: LayerInput[] = [...layers.slice(0, 2), { type: 'Dropout', p: 0 }, ...layers.slice(2)];
    const same: ConfigInput = { model: { layers: none } };
    const found = ids(compare(await run(same), await run({ ...same, ddp: { samplerSeed: 7 } }), { configs: true }));
    expect(found).toContain('rows');
    expect(found).not.toContain('dropout');
  });

  it('quotes the settings that differ beside what the numbers say', async () => {
    const found = compare(await run({}), await run({ seed: 1 }), { configs: true });
    expect(first(found)).toContain('The configurations say so: seed is 0 in A and 1 in B.');
  });
});

it('tells a lower precision from other rows, in a run that real PyTorch made in bfloat16', async () => {
  const records = { history: PRECISION_HISTORY, weights: true };
  const { report } = await runConfig(PRECISION_RUN, {}, { records });
  const found = compare(report, JSON.parse(recordedBf16()) as Partial<Report>);
  expect(found.verdict.same).toBe(false);
  expect(ids(found)).toEqual(['precision']);
  expect(first(found)).toMatch(/the first loss differs by [\d.]+ % and the gradients by [\d.]+ %/);
});

it('sees that another number of ranks took part', async () => {
  // With 4 ranks each takes 7 rows, with 2 ranks 15.
  const batchSize = 30;
  expect(ids(compare(await run({ batchSize }), await run({ batchSize, worldSize: 2 })))).toContain('world-size');
});

it('does not name the number of ranks as the cause if the model, the data or the loss differ', async () => {
  const ofTwo = await run({ worldSize: 2, data: { type: 'circle', samples: 96 } });
  const bare = ({ history: _, weights: __, ...rest }: Report): Partial<Report> => rest;
  const found = compare(bare(await run({})), bare(ofTwo), { configs: true });
  expect(ids(found)).toEqual(['task']);
  expect(first(found)).toMatch(/^The configurations say so: data\.type is "spiral" in A and "circle" in B/);
});

it('names no cause for runs that are the same or have nothing in common', async () => {
  const report = await run({});
  expect(compare(report, { ...report, losses: [] }).causes).toEqual([]);
});

describe('rounding', () => {
  const wild: ConfigInput = { optimizer: { type: 'SGD', lr: 1.5, momentum: 0.9 }, steps: 400 };

  it('that training amplifies is no wrong setting', async () => {
    const found = compare(await run(wild, 3), await run({ ...wild, ddp: { algorithm: 'naive' } }, 3));
    expect(found.verdict.same).toBe(false);
    expect(ids(found)).toEqual(['rounding']);
  });

  it('in a bias that the loss does not see does not count', async () => {
    const config: ConfigInput = { model: { layers: norm }, ...adam, steps: 60 };
    const found = compare(await run(config), await run({ ...config, ddp: { algorithm: 'naive' } }));
    expect([...found.history.rounding]).toContain('0.bias');
    expect(found.weights.tensors.find(({ name }) => name === '0.bias')?.relative).toBeGreaterThan(1e-2);
    expect(found.verdict.same).toBe(true);
  });

  const text = 'what is only rounding goes anywhere in adam';
  const vocab = new Set(text).size;
  const gpt: ConfigInput = {
    model: {
      layers: [
        { type: 'TokenEmbedding', vocab, context: 4, width: 8, name: '' },
        { type: 'TransformerBlock', width: 8, heads: 2, name: 'blocks.0' },
        { type: 'Linear', in: 8, out: vocab, bias: false, name: 'head' },
      ],
    },
    loss: { type: 'CrossEntropyLoss' },
    data: { type: 'text', text, context: 4 },
    batchSize: 8,
  };
  test.each<[what: string, config: ConfigInput, tensors: RegExp]>([
    [
      'keys of an attention',
      gpt,
      /All losses agree; blocks\.0\.\S*(qkv\.bias|in_proj_bias) do not, which include the bias of the keys/,
    ],
    [
      'a bias before BatchNorm',
      { model: { layers: norm } },
      /All losses agree; 0\.bias, 1\.running_mean do not, which by/,
    ],
  ])('without the first steps, what the loss does not see is known by its name: %s', async (_, more, tensors) => {
    const config: ConfigInput = { ...more, ...adam, steps: 60 };
    const [a, b] = [await run(config, 1), await run({ ...config, ddp: { algorithm: 'naive' } }, 1)];
    const found = compare({ ...a, history: [] }, { ...b, history: [] });
    expect(found.verdict.same).toBe(false);
    expect(ids(found)).toEqual(['rounding-gradients']);
    expect(first(found)).toMatch(tensors);
  });
});

describe('no false alarm', () => {
  test.each<[a: ConfigInput, b: ConfigInput]>([
    [{}, {}],
    [{}, { ddp: { algorithm: 'naive' } }],
    [{}, { ddp: { bucketCapMb: 0.0001, overlap: false } }],
    [{ mode: 'single' }, { mode: 'dataParallel' }],
    [{ mode: 'single' }, { mode: 'modelParallel', worldSize: 2 }],
    [{ mode: 'single' }, piped],
    [{ ...adam }, { ...adam, ddp: { algorithm: 'naive' } }],
    [{ accumulate: 4 }, { accumulate: 4, ddp: { noSync: 'none' } }],
    [{ mode: 'single', accumulate: 4 }, { mode: 'single' }],
  ])('%j, %j', async (a, b) => {
    const steps = 60;
    const found = compare(await run({ ...a, steps }, 60), await run({ ...b, steps }, 60));
    expect([found.verdict.same, ids(found)]).toEqual([true, []]);
  });
});
