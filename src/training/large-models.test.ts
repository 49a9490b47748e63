/**
 * A model of 124 million parameters is compiled, verified and planned without being drawn; a model that its devices,
 * the page or the machine cannot hold is refused by key and value before anything of its size is allocated.
 */
import { expect, test } from 'vitest';
import { parseConfig } from '../config/parse-config';
import { PARALLEL_MODES } from '../parallel/modes';
import type { Config, ConfigInput } from '../protocol/config';
import { LARGE_PRESETS } from '../protocol/large-presets';
import { createBlueprint } from './blueprint';
import { planOf } from './blueprint/plan';
import { checkCpuMemory, checkDrawnWeights } from './check-host-memory';
import { memoryOf } from './device-memory';

const GPT_2 = LARGE_PRESETS.gpt2.config;
const BYTES = 4 * 124_439_808;
const gpt2 = (more: ConfigInput = {}) => parseConfig({ ...GPT_2, ...more });
/** 64 layers of 8,192 x 8,192: 17 GB of weights. */
const huge: ConfigInput = {
  model: { layers: Array.from({ length: 64 }, () => ({ type: 'Linear', in: 8192, out: 8192, bias: false }) as const) },
  data: { type: 'randomRegression', in: 8192, out: 8192, samples: 2 },
  loss: { type: 'MSELoss' },
  optimizer: { type: 'SGD', lr: 0.1 },
  batchSize: 1,
};
const GIB = 2 ** 30;

test('GPT-2 small: weights, gradients and the two states of AdamW, and the activations of 64 positions', () => {
  const [device] = memoryOf(planOf(gpt2(), {}));
  expect(device?.byCategory).toMatchObject({ parameter: BYTES, gradient: BYTES });
  // A step counter beside them for each group of parameters.
  expect(device?.byCategory.optimizer).toBeGreaterThan(2 * BYTES);
  expect(device?.byCategory.optimizer).toBeLessThan(2 * BYTES + 2048);
  expect(device?.peakBytes).toBeLessThan(2.2 * GIB);
});

test('eight ranks with shards of it hold an eighth of the states each', () => {
  const devices = memoryOf(planOf(gpt2({ mode: 'sharded', worldSize: 8, batchSize: 8, compareSingle: false }), {}));
  expect(devices).toHaveLength(8);
  const states = devices.map(({ byCategory }) => byCategory.optimizer);
  expect(states.reduce((sum, bytes) => sum + bytes, 0)).toBeGreaterThan(2 * BYTES);
  // Rows are dealt out whole, so the last rank has a few less.
  for (const bytes of states) expect(Math.abs(bytes / (BYTES / 4) - 1)).toBeLessThan(0.01);
});

test.each<[string, ConfigInput]>([
  ['GPT-2 small', { ...GPT_2, memoryBudgetMb: 256 }],
  ['17 GB of weights', huge],
])('%s in 256 MiB is refused before it is drawn', (_, input) => {
  expect(() => createBlueprint(parseConfig(input), {})).toThrow(
    /^memoryBudgetMb is 256: CUDA out of memory\. The step needs \d+\.\d\d MiB on GPU 0/,
  );
});

test('weights that the host cannot hold are refused where the devices could', () => {
  const check = (config: Config) => {
    const mode = PARALLEL_MODES[config.mode];
    checkDrawnWeights({ config, facets: mode.facets(config) }, mode.mesh(config), 2 * GIB);
  };
  expect(() => check(parseConfig({ ...huge, memoryBudgetMb: 1_000_000 }))).toThrow(
    /^model\.layers is \[\{"type":"Linear".*: the 4,294,967,296 parameters take 16\.0 GiB on the host, and a page can hold 2\.0 GiB\.$/,
  );
  const five: ConfigInput = { mode: 'ddp', worldSize: 5, batchSize: 5 };
  expect(() => check(gpt2(five))).not.toThrow();
  expect(() => check(gpt2({ ...five, ddp: { rankSeeds: 'beforeModel' } }))).toThrow('take 2.3 GiB');
});

test('a model that is too large for the page is refused on the CPU device, before WebGPU is requested', () => {
  const config = gpt2();
  const { programs } = planOf(config, {});
  expect(() => checkCpuMemory(config, [programs, []], 2 * GIB)).toThrow(
    'device is "auto" and batchSize is 1: training on the CPU takes 2.2 GiB for one device, and a page can hold 2.0 GiB.',
  );
  expect(() => checkCpuMemory(config, [programs, []], 3 * GIB)).not.toThrow();
  const two = gpt2({ mode: 'ddp', worldSize: 2, batchSize: 2, device: 'cpu', compareSingle: false });
  expect(() => checkCpuMemory(two, [planOf(two, {}).programs, []], 3 * GIB)).toThrow(
    /^device is "cpu", batchSize is 2 and worldSize is 2: training on the CPU takes \d\.\d GiB for 2 devices/,
  );
});
