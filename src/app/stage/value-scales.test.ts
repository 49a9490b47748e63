/** The scale of the weights ignores old values that a gathered buffer held before it was filled. */
import { expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { must } from '../../base/invariant';
import { mlpLayers } from '../../protocol/presets';
import { openTestSession } from '../../session/testing/open-session';
import { createTraceFacts } from './facts-at';

test('shards gathered as halves, with a scaled loss', place({ modes: ['sharded'] }), async () => {
  const { api, info, close } = await openTestSession({
    mode: 'sharded',
    worldSize: 2,
    device: 'cpu',
    compareSingle: false,
    model: { layers: mlpLayers([2, 8, 8, 8, 1], 'Tanh') },
    data: { type: 'spiral', samples: 500 },
    batchSize: 64,
    gradScaler: { enabled: true },
    sharded: { paramDtype: 'float16' },
  });
  const trace = await api.traceStep();
  await close();
  const step = must(createTraceFacts(info, trace).at({ event: 0, fraction: 1 }, 'modelled').step, 'step');
  expect(step.scales.end('weight')).toBeLessThan(1.5);
  expect(step.scales.end('sum')).toBeGreaterThan(100);
});
