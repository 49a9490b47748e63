import { describe, expect, it } from 'vitest';
import { createFrames } from '../draw/frames';
import { PAGE_CONFIG } from '../edit/page-config';
import { DEFAULT_VIEW } from '../permalink/permalink-view';
import { createAppStore } from '../state/store';
import { traceOf } from '../testing/trace-of';
import { createWalker } from './walker';

function setUp(reduced: boolean) {
  const waiting: ((nowMs: number) => void)[] = [];
  const frames = createFrames((callback) => waiting.push(callback));
  const store = createAppStore(PAGE_CONFIG, DEFAULT_VIEW);
  store.getState().addTrace(traceOf(0, 4));
  const walker = createWalker(store, frames, () => reduced);
  let now = 0;
  const run = (ms: number) => {
    for (const end = now + ms; now < end; now += 50) for (const callback of waiting.splice(0)) callback(now);
  };
  const place = () => {
    const { cursor, cursorFraction } = store.getState();
    return [cursor?.event, cursorFraction];
  };
  return { store, walker, run, place };
}

describe('walker', () => {
  it('walks to its goal, fraction by fraction', async () => {
    const { walker, run, place } = setUp(false);
    const arrived = walker.walkTo(2, 2.5);
    run(300);
    expect(place()).toEqual([0, 0.625]);
    run(1500);
    expect(place()).toEqual([2, 1]);
    expect(await arrived).toBe(true);
  });

  it('stays where it was stopped, or jumps to its goal', async () => {
    const { walker, run, place } = setUp(false);
    const stopped = walker.walkTo(3, 2.5);
    run(300);
    walker.stop();
    run(1000);
    expect(place()).toEqual([0, 0.625]);
    expect(await stopped).toBe(false);
    const finished = walker.walkTo(3, 2.5);
    walker.finish();
    expect(place()).toEqual([3, 1]);
    expect(await finished).toBe(true);
  });

  it('rests inside an event where its goal is inside one, also with reduced motion', async () => {
    for (const reduced of [false, true]) {
      const { walker, run, place } = setUp(reduced);
      const arrived = walker.walkTo(2.75, 2.5);
      run(2000);
      expect(place()).toEqual([3, 0.75]);
      expect(await arrived).toBe(true);
    }
  });

  it('shows whole moments only, with reduced motion', () => {
    const { walker, run, place } = setUp(true);
    void walker.walkTo(3, 2.5);
    run(300);
    expect(place()).toEqual([-1, 1]);
    run(500);
    expect(place()).toEqual([0, 1]);
  });
});

describe('store', () => {
  it('reports nothing while the cursor does not move', () => {
    const { store } = setUp(false);
    let said = 0;
    store.subscribe(() => {
      said++;
    });
    store.getState().seek(0, 2);
    expect(said).toBe(1);
    store.getState().seek(0, 2);
    expect(said).toBe(1);
    store.getState().seek(0, 2, 0.5);
    expect(said).toBe(2);
  });

  it('keeps the cursor on its trace while old traces fall away, and starts over when its own goes', () => {
    const { store } = setUp(false);
    for (let step = 1; step < 64; step++) store.getState().addTrace(traceOf(step, 4));
    store.getState().seek(3, 2);
    store.getState().addTrace(traceOf(64, 4));
    expect(store.getState().cursor).toEqual({ trace: 2, event: 2 });
    for (let step = 65; step < 70; step++) store.getState().addTrace(traceOf(step, 4));
    expect(store.getState().traces).toHaveLength(64);
    expect(store.getState().cursor).toEqual({ trace: 0, event: -1 });
  });

  it('replaces the earlier records of steps that run again', () => {
    const { store } = setUp(false);
    const record = (step: number, loss: number) => ({ step, microBatch: step, epoch: 0, perRank: [loss], loss });
    store.getState().addLosses([record(0, 1), record(1, 2), record(2, 3)], 0);
    store.getState().addLosses([record(1, 9)], 0);
    expect(store.getState().losses.map(({ loss }) => loss)).toEqual([1, 9]);
  });

  it('thins a long history evenly and keeps its newest record', () => {
    const { store } = setUp(false);
    const records = Array.from({ length: 50_001 }, (_, step) => ({
      step,
      microBatch: step,
      epoch: 0,
      perRank: [0],
      loss: 0,
    }));
    store.getState().addLosses(records, 0);
    const steps = store.getState().losses.map(({ step }) => step);
    expect(steps.length).toBeLessThan(4000);
    expect(steps.slice(0, 3)).toEqual([0, 16, 32]);
    expect(steps.at(-1)).toBe(50_000);
  });
});
