import { expect, test } from 'vitest';
import { at, must } from '../../base/invariant';
import { runConfig } from '../../headless/run';
import type { ConfigInput } from '../../protocol/config';
import { precisionWhy } from './precision-why';

const RUN: ConfigInput = {
  device: 'cpu',
  mode: 'single',
  worldSize: 1,
  precision: 'autocast-fp16',
  gradScaler: { enabled: true, initScale: 1024 },
  model: { layers: [{ type: 'Linear', in: 2, out: 3 }, { type: 'Tanh' }, { type: 'Linear', in: 3, out: 1 }] },
  data: { type: 'xor', samples: 12 },
  batchSize: 6,
  steps: 1,
  compareSingle: false,
};

test('the reason for the scale counts the gradients that would become 0 without it', async () => {
  const { traces } = await runConfig(RUN, {}, { trace: true });
  const trace = at(traces, 0);
  const scaled = must(
    trace.events.find(({ name }) => name === 'scaler/scale-loss'),
    'the scaled loss',
  );
  expect(precisionWhy(trace, scaled)).toContain('Without the scale, none of the ');
  // The same step, with one gradient that is rounded to 0 without the scale: half of the smallest float16, a tie.
  const rounded = must(
    trace.events.findLast(({ name, phase }) => name === 'precision/round' && phase === 'backward'),
    'a rounded gradient',
  );
  at(rounded.captured, 0).values[0] = 1024 * 2 ** -25;
  expect(precisionWhy(trace, scaled)).toMatch(
    /Without the scale, 1 of the \d+ recorded gradient elements of this step/,
  );
});
