/** Whose words are heard: those of the player of the training that the run has now. Trainings here only count. */
import { expect, test } from 'vitest';
import type { Snapshots } from '../inference/snapshot';
import type { SessionEvent } from '../protocol/session-events';
import type { Blueprint } from '../training/blueprint';
import type { Training } from '../training/training';
import { createCurrentPlayer } from './current-player';
import { Reports } from './reports';

const config = { accumulate: 1, compareSingle: false, worldSize: 1 };
const blueprint = { config, reference: [] } as unknown as Blueprint;

/** Its losses are its name; a step waits for `go` where there is one. */
function counting(name: number, go = Promise.resolve()): Training {
  let microBatch = 0;
  return {
    blueprint,
    microBatchesLeft: Number.POSITIVE_INFINITY,
    get microBatch() {
      return microBatch;
    },
    async trace() {
      await go;
      const own = microBatch++;
      const losses = { step: own, microBatch: own, epoch: 0, perRank: [name], loss: name };
      return { microBatch: own, step: own, events: [], losses };
    },
    weights: async () => ({ microBatch }),
    checkpoint: async () => ({ microBatch, values: [], reference: [], batches: {} }),
  } as unknown as Training;
}

function opened() {
  const events: SessionEvent[] = [];
  const reports = new Reports((event) => events.push(event), {
    take: ({ microBatch }: { microBatch: number }) => ({ step: microBatch }),
  } as unknown as Snapshots);
  const player = createCurrentPlayer({
    blueprint,
    reports,
    onStop: () => undefined,
    onFailure: (_, error) => {
      throw error;
    },
  });
  const losses = () =>
    events.flatMap((event) => (event.type === 'losses' ? event.records.map(({ loss }) => loss) : []));
  return { player, reports, losses };
}

test('before the first training there is no player', () => {
  expect(() => opened().player.now).toThrow('a player');
});

test('a new training has a new player, and events of the old player are ignored', async () => {
  const { player, losses, reports } = opened();
  let go: () => void = () => undefined;
  player.take(
    counting(
      1,
      new Promise<void>((resolve) => {
        go = resolve;
      }),
    ),
    undefined,
  );
  const old = player.now;
  const late = old.traceStep();
  player.take(counting(2), undefined);
  expect(player.now).not.toBe(old);
  await player.now.traceStep();
  go();
  await late;
  expect(losses()).toEqual([2]);
  expect(reports.finished).toBe(1);
});

test('events of a silenced player are ignored until the next player takes over', async () => {
  const { player, losses, reports } = opened();
  player.take(counting(1), undefined);
  player.silence();
  await player.now.traceStep();
  expect(losses()).toEqual([]);
  expect(reports.finished).toBe(0);
  player.take(counting(2), undefined);
  await player.now.traceStep();
  expect(losses()).toEqual([2]);
});
