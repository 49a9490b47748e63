/** On the page `steps` ends nothing, so a run within join() goes on past it with the same bits, whatever `steps` is. */
import { expect, test } from 'vitest';
import type { ConfigInput } from '../protocol/config';
import { openTestSession } from './testing/open-session';

/** The first rank has 6 batches in an epoch, the second 3. */
const UNEVEN: ConfigInput = {
  ...{ mode: 'ddp', worldSize: 2, device: 'cpu', compareSingle: false, batchSize: 8, seed: 2 },
  data: { type: 'xor', samples: 36, testFraction: 0 },
  optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9 },
  ddp: { join: true, samplesPerRank: [24, 12] },
};

/** Messages of every step of an epoch and of the next epoch, and the weights after these steps. */
async function played(steps: number): Promise<{ readonly messages: readonly string[][]; readonly weights: unknown }> {
  const session = await openTestSession({ ...UNEVEN, steps });
  try {
    const messages: string[][] = [];
    for (let step = 0; step < 8; step++) {
      const { events } = await session.api.traceStep();
      messages.push(events.filter(({ kind }) => kind === 'recv').map(({ phase, device }) => `${phase} ${device}`));
    }
    return { messages, weights: (await session.api.snapshot()).parameters };
  } finally {
    await session.close();
  }
}

test('a session goes on past `steps` within join() as if `steps` were larger', async () => {
  const [short, long] = [await played(3), await played(1000)];
  expect(short).toEqual(long);
  const broadcasts = long.messages.map((step) => step.filter((one) => one.startsWith('broadcast')).length);
  // Only the epoch's last step ends join().
  expect(broadcasts.map((count) => count > (broadcasts[0] ?? 0))).toEqual(broadcasts.map((_, step) => step === 5));
});
