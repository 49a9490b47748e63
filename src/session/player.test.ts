/**
 * The pace of play on a clock of the test's own, and what is in flight when a loss breaks: a training that only counts
 * is in for a real one.
 */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Snapshots } from '../inference/snapshot';
import type { SessionEvent } from '../protocol/session-events';
import type { LossRecord, StepTrace } from '../protocol/trace';
import type { Checkpoint } from '../training/checkpoint/checkpoint';
import type { Training } from '../training/training';
import type { Weights } from '../training/weights/weights';
import { createPlayer, type PlayerOptions } from './player';

const BATCHES: Checkpoint['batches'] = { microBatch: 7, epoch: 0, batches: [], generators: [] };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const record = (step: number, loss = 1): LossRecord => ({ step, microBatch: step, epoch: 0, perRank: [loss], loss });

/** `runMs`: how long a chunk's losses take to come; `lossOf`: by step. */
function counting(runMs = 0, lossOf: (step: number) => number = () => 1) {
  let step = 0;
  let flying = 0;
  const training = {
    blueprint: { config: { accumulate: 1 } },
    microBatchesLeft: Number.POSITIVE_INFINITY,
    get microBatch() {
      return step;
    },
    async run(count: number) {
      const records = Array.from({ length: count }, (_, i) => record(step + i, lossOf(step + i)));
      step += count;
      flying++;
      await new Promise((resolve) => setTimeout(resolve, runMs));
      flying--;
      return records;
    },
    async trace() {
      const own = step++;
      return { microBatch: own, step: own, events: [], losses: record(own, lossOf(own)) } as unknown as StepTrace;
    },
    weights: async () => ({ microBatch: step }) as unknown as Weights,
    checkpoint: async (): Promise<Checkpoint> => ({ microBatch: step, values: [], reference: [], batches: BATCHES }),
  } as unknown as Training;
  return { training, flying: () => flying };
}

function playing(options: Partial<PlayerOptions> & Pick<PlayerOptions, 'training'>) {
  const events: SessionEvent[] = [];
  const player = createPlayer({
    snapshots: { take: ({ microBatch: step }: Weights) => ({ step }) } as unknown as Snapshots,
    emit: (event) => events.push(event),
    onNotFinite: async () => {},
    onFailure: (error) => {
      throw error;
    },
    ...options,
  });
  const steps = () => events.flatMap((e) => (e.type === 'losses' ? e.records.map((r) => r.step) : []));
  return { player, events, steps };
}

test.each([2, 10, 60])('%i steps per second include the sampled steps', async (stepsPerSecond) => {
  const { training } = counting();
  const { player, steps } = playing({ training });
  player.control({ type: 'play', stepsPerSecond });
  await vi.advanceTimersByTimeAsync(5000);
  // Timers count whole milliseconds, and the first step runs at once: within a tenth, counted in whole steps.
  expect(10 * Math.abs(steps().length - 5 * stepsPerSecond)).toBeLessThanOrEqual(5 * stepsPerSecond);
  player.control({ type: 'pause' });
  await vi.advanceTimersByTimeAsync(1000);
  expect(steps()).toEqual(steps().map((_, i) => i));
});

test.each([1, 2, 500])(
  'play until %i micro-batches are done: paused there by itself, the last one traced',
  async (until) => {
    const { training } = counting();
    const { player, steps, events } = playing({ training });
    player.control({ type: 'play', stepsPerSecond: 0, until });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(steps()).toEqual(Array.from({ length: until }, (_, i) => i));
    expect(events.at(-1)).toEqual({ type: 'state', state: 'paused', reason: '', microBatch: until });
    const traced = events.filter((event) => event.type === 'trace').at(-1);
    expect(traced).toMatchObject({ trace: { microBatch: until - 1 } });
    // It has come there already: nothing runs.
    player.control({ type: 'play', stepsPerSecond: 0, until });
    await vi.advanceTimersByTimeAsync(1000);
    expect(steps()).toHaveLength(until);
  },
);

test('the search for the first number that is not finite begins when no step is in flight, from the last checkpoint', async () => {
  const { training, flying } = counting(20, (step) => (step === 100 ? Number.NaN : 1));
  const found: { step: number; checkpoint: number | undefined; flying: number }[] = [];
  const { player, events } = playing({
    training,
    onNotFinite: async (step, checkpoint) => {
      found.push({ step, checkpoint: checkpoint?.microBatch, flying: flying() });
    },
  });
  player.control({ type: 'play', stepsPerSecond: 0 });
  await vi.advanceTimersByTimeAsync(3000);
  await player.idle();
  expect(found).toEqual([{ step: 100, checkpoint: expect.any(Number), flying: 0 }]);
  expect(found[0]?.checkpoint).toBeLessThanOrEqual(100);
  // onNotFinite says that it paused, and why; no plain 'paused' hides the reason.
  expect(events.some((e) => e.type === 'state' && e.state === 'paused')).toBe(false);
});

test('a failure is reported once, without waiting for the player', async () => {
  const { training } = counting();
  const told: unknown[] = [];
  const broken = { ...training, run: () => Promise.reject(new Error('lost')) } as Training;
  const { player } = playing({ training: broken, onFailure: (error) => told.push(error) });
  player.control({ type: 'play', stepsPerSecond: 0 });
  await vi.advanceTimersByTimeAsync(1000);
  await player.idle();
  expect(told).toEqual([new Error('lost')]);
});

test('a player goes on from the checkpoint that its training was restored from', () => {
  const checkpoint: Checkpoint = { microBatch: 7, values: [], reference: [], batches: BATCHES };
  expect(playing({ training: counting().training, checkpoint }).player.checkpoint).toBe(checkpoint);
});

test('a pause ends with a sample: losses, trace, snapshot, checkpoint and the state are of one step', async () => {
  const { training } = counting(20);
  const { player, events, steps } = playing({ training });
  for (let again = 0; again < 5; again++) {
    player.control({ type: 'play', stepsPerSecond: 0 });
    await vi.advanceTimersByTimeAsync(1000 + 77 * again);
    player.control({ type: 'pause' });
    await vi.advanceTimersByTimeAsync(1000);
    const step = steps().length;
    const last = <T extends SessionEvent['type']>(type: T) =>
      events.findLast((e): e is Extract<SessionEvent, { type: T }> => e.type === type);
    expect(training.microBatch).toBe(step);
    expect(last('trace')?.trace.microBatch).toBe(step - 1);
    expect(last('snapshot')?.snapshot.step).toBe(step);
    expect(player.checkpoint?.microBatch).toBe(step);
    expect(last('state')).toEqual({ type: 'state', state: 'paused', reason: '', microBatch: step });
  }
});

test('a play that was taken back before it began trains nothing', async () => {
  const { training } = counting();
  const { player, events, steps } = playing({ training });
  player.control({ type: 'play', stepsPerSecond: 0 });
  player.control({ type: 'pause' });
  await vi.advanceTimersByTimeAsync(1000);
  expect(steps()).toEqual([]);
  expect(events.findLast((e) => e.type === 'state')).toMatchObject({ state: 'paused', microBatch: 0 });
});

test('the last step before a script ends on its own is sampled', async () => {
  const { training } = counting();
  const end = 137;
  const ending = Object.defineProperty(Object.create(training) as Training, 'microBatchesLeft', {
    get: () => end - training.microBatch,
  });
  const trace = () =>
    training.microBatch < end ? training.trace() : Promise.reject(new Error('the script has ended'));
  const told: unknown[] = [];
  const { player, events } = playing({
    training: Object.assign(ending, { trace }),
    onFailure: (error) => told.push(error),
  });
  player.control({ type: 'play', stepsPerSecond: 0 });
  await vi.advanceTimersByTimeAsync(5000);
  await player.idle();
  expect(told).toEqual([new Error('the script has ended')]);
  expect(events.findLast((e) => e.type === 'trace')).toMatchObject({ trace: { microBatch: end - 1 } });
  expect(player.checkpoint?.microBatch).toBe(end);
});
