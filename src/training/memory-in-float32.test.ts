/** What a run in half precision says that float32 would reserve is what the same run reserves in float32. */
import { expect, test } from 'vitest';
import { parseConfig } from '../config/parse-config';
import type { ConfigInput } from '../protocol/config';
import { createBlueprint } from './blueprint';
import { hasHalves, memoryOf } from './device-memory';
import { memoryInFloat32 } from './memory-in-float32';

const NET = {
  device: 'cpu',
  compareSingle: false,
  data: { type: 'circle', samples: 64 },
  model: { layers: [{ type: 'Linear', in: 2, out: 64 }, { type: 'Tanh' }, { type: 'Linear', in: 64, out: 1 }] },
  batchSize: 16,
} as const satisfies ConfigInput;

const RUNS: readonly ConfigInput[] = [
  { mode: 'single' },
  { mode: 'single', accumulate: 2, gradScaler: { enabled: true } },
  { mode: 'ddp', worldSize: 2 },
  { mode: 'pipeline', worldSize: 2 },
  { mode: 'sharded', worldSize: 2, sharded: { stage: 3 } },
];

test('fully_shard with a MixedPrecisionPolicy', () => {
  const run = { ...NET, mode: 'sharded', worldSize: 2 } as const;
  const full = memoryOf(createBlueprint(parseConfig({ ...run, sharded: { stage: 3 } }), {}));
  for (const policy of [{ paramDtype: 'bfloat16' }, { reduceDtype: 'bfloat16' }] as const) {
    const half = createBlueprint(parseConfig({ ...run, sharded: { stage: 3, ...policy } }), {});
    expect(hasHalves(half.config)).toBe(true);
    const said = memoryInFloat32(half);
    expect(said).toEqual(full.map(({ device, peakBytes, byCategory }) => ({ device, peakBytes, byCategory })));
  }
});

test.each(['single', 'ddp'] as const)('%s in bfloat16: no kind takes more than half', (mode) => {
  const run = { ...NET, mode, worldSize: 2, optimizer: { type: 'Adam' } } as const;
  const half = createBlueprint(parseConfig({ ...run, precision: 'bf16' }), {});
  const full = memoryOf(createBlueprint(parseConfig(run), {}));
  const said = memoryInFloat32(half);
  expect(said).toEqual(full.map(({ device, peakBytes, byCategory }) => ({ device, peakBytes, byCategory })));
  for (const [d, { byCategory }] of memoryOf(half).entries())
    for (const kind of ['parameter', 'gradient', 'bucket'] as const)
      expect(byCategory[kind], kind).toBeLessThanOrEqual((full[d]?.byCategory[kind] ?? 0) / 2 + 4 * 256);
});

test.each(RUNS)('$mode', (run) => {
  for (const precision of ['autocast-bf16', 'autocast-fp16'] as const) {
    const half = createBlueprint(parseConfig({ ...NET, ...run, precision }), {});
    const full = memoryOf(createBlueprint(parseConfig({ ...NET, ...run }), {}));
    const said = memoryInFloat32(half);
    expect(said).toEqual(full.map(({ device, peakBytes, byCategory }) => ({ device, peakBytes, byCategory })));
    expect(memoryOf(half).map(({ byCategory }) => byCategory)).not.toEqual(said.map(({ byCategory }) => byCategory));
  }
});
