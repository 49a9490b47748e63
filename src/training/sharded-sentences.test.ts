/** The sentences of a step whose ranks keep shards: which unit is gathered, and who keeps what; and why. */
import { expect, test } from 'vitest';
import type { ConfigInput } from '../protocol/config';
import { momentSentence } from '../trace/moments/moment-sentence';
import { whyOf } from '../trace/moments/moment-why';
import { byMoments } from '../trace/moments/moments';
import { sentenceOf } from '../trace/sentence';
import { withTraining } from './testing/checkpoint-runs';

/** The sentence of each moment with its reason, and those of all events. */
const saidIn = (sharded: ConfigInput['sharded']) =>
  withTraining(
    {
      mode: 'sharded',
      worldSize: 3,
      device: 'cpu',
      sharded,
      data: { type: 'xor', samples: 30, testFraction: 0 },
      batchSize: 15,
      compareSingle: false,
    },
    {},
    async (training) => {
      const trace = byMoments(await training.trace());
      const moments = trace.moments.map(
        (moment) => [momentSentence(trace, moment, 'modelled'), whyOf(trace, moment, 'modelled')] as const,
      );
      const whys = moments.map(([, why]) => why);
      return { moments: new Map(moments), whys, events: trace.events.map((_, i) => sentenceOf(trace, i, 'modelled')) };
    },
  );

test('a unit is gathered, used, freed, and its gradients are scattered', async () => {
  const { moments, whys, events } = await saidIn({});
  for (const sentence of [
    'Forward: every rank copies its shards of «layer 0» into the buffer of the all-gather',
    'Round 1 of 2, all-gather of «layer 2»: every rank passes one rank’s part on to another',
    'Forward: all three ranks now have all of «layer 2»',
    'Forward: all three ranks run «layer 2» (Linear) on their own samples',
    'Backward: all three ranks now have all of «layer 2»',
    'Backward: all three ranks compute the gradient of «layer 2»',
    'Round 2 of 2, reduce-scatter of the gradients of «layer 2»: every rank sends a part to another, which adds it',
    'optimizer.step(): every rank updates its own shards, with its own part of the optimiser’s states',
  ])
    expect([...moments.keys()]).toContain(sentence);
  expect(moments.get('Round 1 of 2, all-gather of «layer 2»: every rank passes one rank’s part on to another')).toBe(
    'After its forward pass the unit was freed, and the backward pass needs its parameters once more. Meanwhile layer 4 computes its gradient.',
  );
  expect(whys).toContain(
    'Each rank keeps only its shards, but computes with whole parameters, on its own rows. Meanwhile layer 1 computes.',
  );
  expect(whys).toContain(
    'Each rank keeps only its shards, but computes with whole parameters, on its own rows. No layer computes meanwhile: the messages make the step longer.',
  );
  expect(events).toContain('Forward: rank 1 receives one rank’s shards of layer 0 from rank 2');
  expect(
    events.some((said) =>
      said.includes('adds a part of the gradients of layer 4 from rank 1: now the sum of 2 of 3 ranks'),
    ),
  ).toBe(true);
  // Nothing is said of what only other modes have.
  expect([...moments.keys(), ...events].filter((said) => /bucket|join\(\)|undefined/.test(said))).toEqual([]);
});

test('under ZeRO stage 1 each rank updates some parameters and broadcasts them', async () => {
  const { moments } = await saidIn({ stage: 1 });
  expect(moments.get('optimizer.step(): every rank updates the parameters whose optimiser states it keeps')).toContain(
    'can update no others',
  );
  expect(moments.get('Broadcast: rank 1 sends 0.weight to all other ranks')).toContain('still have the old values');
});
