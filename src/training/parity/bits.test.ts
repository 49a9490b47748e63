/**
 * The same bits as before: the weights after 20 steps of every configuration of the table, and the losses on the way,
 * are those that were recorded. CPU device; bits.gpu.test.ts has WebGPU.
 */
import { afterAll, expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { DDP_RUNS } from '../testing/bits/ddp';
import { DDP_TOGETHER_RUNS } from '../testing/bits/ddp-together';
import { HALF_RUNS } from '../testing/bits/halves';
import { MODEL_RUNS } from '../testing/bits/models';
import { MODE_RUNS } from '../testing/bits/modes';
import type { Named } from '../testing/bits/nets';
import { PIPELINE_REPLICA_RUNS } from '../testing/bits/pipeline-replicas';
import { PIPELINE_STEP_RUNS } from '../testing/bits/pipeline-steps';
import { PIPELINE_RUNS } from '../testing/bits/pipelines';
import { CHANGED, RECORDING, recordBits, recordedBits } from '../testing/bits/recorded-bits';
import { runBits } from '../testing/bits/run-bits';
import { UPDATE_RUNS } from '../testing/bits/updates';

/** Nearly every setting by itself. */
const ALONE = [...MODE_RUNS, ...UPDATE_RUNS, ...DDP_RUNS, ...PIPELINE_RUNS, ...MODEL_RUNS, ...HALF_RUNS];
/** Settings with each other. */
const TOGETHER = [...DDP_TOGETHER_RUNS, ...PIPELINE_REPLICA_RUNS, ...PIPELINE_STEP_RUNS];
const RUNS = [...ALONE, ...TOGETHER];
const recorded = new Map(Object.entries(recordedBits().cpu.bits));
const found = new Map(recorded);

const holdRuns = (runs: readonly Named[], rest?: string) => {
  for (const { name, config } of runs)
    test(name, place({ modes: [config.mode ?? 'single'], rest }), async () => {
      const { bits, finite } = await runBits(config, 'cpu');
      expect(finite, 'NaN hides changes').toBe(true);
      found.set(name, bits);
      if (!RECORDING) expect(bits, CHANGED).toBe(recorded.get(name));
    });
};
holdRuns([...MODE_RUNS, ...PIPELINE_RUNS]);
holdRuns(DDP_RUNS, 'script-losses.test.ts holds the settings of DDP to what PyTorch printed');
holdRuns(HALF_RUNS, 'mixed-precision.test.ts and half-norms.test.ts hold models in half precision to PyTorch');
holdRuns([...UPDATE_RUNS, ...MODEL_RUNS], 'script-losses.test.ts holds optimisers and layers to what PyTorch printed');
holdRuns(TOGETHER, 'each of these settings is also in a run by itself');

test('every configuration has one name, and every recorded name its configuration', () => {
  const names = RUNS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  if (!RECORDING) expect([...recorded.keys()].sort()).toEqual(names.sort());
});

afterAll(() => {
  if (RECORDING) recordBits('cpu', `Node ${process.version}`, RUNS, found);
});
