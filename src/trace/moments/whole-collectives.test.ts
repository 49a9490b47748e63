/** Steps with many collectives: one moment has all rounds of a collective, and the rounds can still be walked. */
import { expect, test } from 'vitest';
import { at } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import { mlpLayers } from '../../protocol/presets';
import { toldSteps } from '../../training/testing/told-steps';
import { stopsOf } from '../position';
import { plainText } from './marked';
import { momentSentence } from './moment-sentence';
import { byMoments } from './moments';

const momentsWith = async (depth: number) => {
  const config = parseConfig({
    mode: 'tensor',
    worldSize: 4,
    device: 'cpu',
    compareSingle: false,
    data: { type: 'xor', samples: 16 },
    batchSize: 16,
    model: { layers: mlpLayers([2, ...Array.from({ length: depth }, () => 8), 1], 'Tanh') },
  });
  return byMoments(at(await toldSteps(config), 0));
};

test('a short step has one moment for each round', async () => {
  const { moments } = await momentsWith(3);
  expect(moments.filter(({ round }) => round?.whole)).toEqual([]);
  expect(moments.filter(({ round }) => round).length % 6).toBe(0);
});

test('in a long step a collective is one moment, and the layer’s copies are in the moment of the layer', async () => {
  const trace = await momentsWith(9);
  const { moments } = trace;
  const whole = moments.filter(({ round }) => round);
  expect(whole.length).toBeGreaterThan(4);
  for (const { round, kind } of whole) expect([round?.whole, round?.count, kind]).toEqual([true, 6, 'round']);
  expect(moments.filter(({ kind, module }) => kind === 'copy' && module !== '')).toEqual([]);
  const said = moments.map((moment) => plainText(momentSentence(trace, moment, 'modelled')));
  expect(said).toContain(
    'All-reduce of the four addends of the output of layer 2: every rank gets the sum, in 6 rounds',
  );
  expect(stopsOf(trace, 'moment')).toHaveLength(moments.length);
  // Each round of each collective is a stop, in order.
  const rounds = stopsOf(trace, 'round');
  expect(rounds).toHaveLength(6 * whole.length);
  expect(rounds).toEqual([...rounds].sort((a, b) => a - b));
  expect(trace.events.map((_, index) => index)).toEqual(moments.flatMap(({ events }) => events));
});
