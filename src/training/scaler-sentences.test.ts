/** What a step with a GradScaler says if the model is on several devices or ranks. */
import { expect, test } from 'vitest';
import { place } from '../../scripts/tier';
import { parseConfig } from '../config/parse-config';
import type { ConfigInput } from '../protocol/config';
import { mlpLayers } from '../protocol/presets';
import { momentSentence } from '../trace/moments/moment-sentence';
import { byMoments } from '../trace/moments/moments';
import { sentenceOf } from '../trace/sentence';
import { withTraining } from './testing/checkpoint-runs';

async function said(more: ConfigInput) {
  const config: ConfigInput = {
    device: 'cpu',
    batchSize: 12,
    data: { type: 'xor', samples: 60 },
    model: { layers: mlpLayers([2, 3, 3, 1], 'Tanh') },
    precision: 'autocast-fp16',
    gradScaler: { enabled: true },
    compareSingle: false,
    ...more,
  };
  const trace = await withTraining(parseConfig(config), {}, async (training) => byMoments(await training.trace()));
  return {
    moments: trace.moments.map((moment) => momentSentence(trace, moment, 'modelled')),
    events: trace.events.flatMap(({ kind, slice }, index) =>
      kind !== 'compute' && slice?.buffer === 'scaler.found_inf' ? [sentenceOf(trace, index, 'modelled')] : [],
    ),
  };
}

test('the devices of model parallelism tell one another', place({ modes: ['modelParallel'] }), async () => {
  const { moments, events } = await said({ mode: 'modelParallel', worldSize: 2 });
  expect(moments).toContain('scaler.unscale_(): the devices tell one another whether a gradient is inf or NaN');
  expect(events).toEqual([
    'scaler.unscale_(): cuda:1 sends the flag for inf or NaN to cuda:0',
    'scaler.unscale_(): cuda:0 receives the flag for inf or NaN from cuda:1',
    'scaler.unscale_(): cuda:0 sends the flag for inf or NaN to cuda:1',
    'scaler.unscale_(): cuda:1 receives the flag for inf or NaN from cuda:0',
  ]);
});

test('the stages of a pipeline keep the largest flag', place({ modes: ['pipeline'] }), async () => {
  const { moments, events } = await said({ mode: 'pipeline', mesh: { pp: 2 } });
  for (const sentence of [
    'scaler.unscale_(): both ranks divide their 4 gradients by the scale',
    'Round 1 of 2, reduce-scatter of the flag for inf or NaN: rank 1 sends its value to rank 0, which keeps the larger values',
    'Round 2 of 2, all-gather of the flag for inf or NaN: rank 0 sends the result to rank 1',
  ])
    expect(moments).toContain(sentence);
  expect(events[0]).toBe('scaler.unscale_(): rank 1 sends the flag for inf or NaN to rank 0');
});

test(
  'scaling the loss is a moment between the loss and backward, with the scale',
  place({ modes: ['ddp'] }),
  async () => {
    const { moments } = await said({ mode: 'ddp', worldSize: 2, gradScaler: { enabled: true, initScale: 1024 } });
    const scaled = moments.findIndex((sentence) => sentence.startsWith('scaler.scale(loss)'));
    expect(moments.slice(scaled - 1, scaled + 2)).toEqual([
      'Both ranks compute the loss of their own samples (BCEWithLogitsLoss)',
      'scaler.scale(loss): both ranks multiply the loss by the scale: the gradient of the loss begins at 1024',
      'Backward begins: both ranks compute the gradient of the loss with respect to the output',
    ]);
  },
);

test('with micro-batches, the number from which backward starts has the digits of a float', async () => {
  const { moments } = await said({ mode: 'single', accumulate: 3, gradScaler: { enabled: true, initScale: 65536 } });
  expect(moments).toContain(
    'scaler.scale(loss): cuda:0 multiplies the loss by the scale: the gradient of the loss begins at 21845.33, the scale divided by 3 micro-batches',
  );
});
