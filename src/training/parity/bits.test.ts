/**
 * The same bits as before: the weights after 20 steps of every configuration of the table, and the losses on the way,
 * are those that were recorded. CPU device; bits.gpu.test.ts has WebGPU.
 */
import { afterAll, expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { DDP_RUNS } from '../testing/bits/ddp';
import { MODEL_RUNS } from '../testing/bits/models';
import { MODE_RUNS } from '../testing/bits/modes';
import { PIPELINE_RUNS } from '../testing/bits/pipelines';
import { CHANGED, RECORDING, recordBits, recordedBits } from '../testing/bits/recorded-bits';
import { runBits } from '../testing/bits/run-bits';
import { UPDATE_RUNS } from '../testing/bits/updates';

const RUNS = [...MODE_RUNS, ...UPDATE_RUNS, ...DDP_RUNS, ...PIPELINE_RUNS, ...MODEL_RUNS];
const recorded = new Map(Object.entries(recordedBits().cpu.bits));
const found = new Map(recorded);

for (const { name, config } of RUNS)
  test(name, place({ modes: [config.mode ?? 'single'] }), async () => {
    const { bits, finite } = await runBits(config, 'cpu');
    expect(finite, 'NaN hides changes').toBe(true);
    found.set(name, bits);
    if (!RECORDING) expect(bits, CHANGED).toBe(recorded.get(name));
  });

test('every configuration has one name, and every recorded name its configuration', () => {
  const names = RUNS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  if (!RECORDING) expect([...recorded.keys()].sort()).toEqual(names.sort());
});

afterAll(() => {
  if (RECORDING) recordBits('cpu', `Node ${process.version}`, RUNS, found);
});
