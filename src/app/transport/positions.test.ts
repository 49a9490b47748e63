import { describe, expect, it } from 'vitest';
import { BEGINNING, FULL_SPEED, setByHand } from '../pace/pace';
import { traceOf } from '../testing/trace-of';
import { lossShown, onlyPreviewed, runsFreely, stepShown } from './positions';

type Run = Parameters<typeof stepShown>[0];

const losses = [0, 1, 2].map((step) => ({ step, microBatch: step, epoch: 0, perRank: [], loss: step + 0.5 }));
const at = (traceIndex: number, event: number): Run => ({
  traces: [traceOf(0, 2), traceOf(1, 2), traceOf(2, 2)],
  cursor: { trace: traceIndex, event },
  cursorFraction: 1,
  losses,
  microBatch: 3,
  state: 'paused',
  info: undefined,
});

describe('positions', () => {
  it('counts the steps completed at the cursor', () => {
    expect(stepShown(at(0, -1), false)).toBe(0);
    expect(stepShown(at(0, 1), false)).toBe(1);
    expect(stepShown(at(2, 1), false)).toBe(3);
    expect(stepShown({ ...at(0, 0), losses: [], microBatch: 0 }, false)).toBe(0);
  });

  it('depends only on the run’s position if the cursor is after the last step', () => {
    expect(stepShown({ ...at(2, 1), microBatch: 90 }, false)).toBe(90);
    expect(stepShown({ ...at(2, 1), traces: [], cursor: undefined, losses: [], microBatch: 7 }, false)).toBe(7);
    // Looking back, it is the step that is looked at.
    expect(stepShown({ ...at(1, 1), microBatch: 90 }, false)).toBe(2);
  });

  it('says what has been trained while the session runs freely', () => {
    expect(stepShown(at(0, 0), true)).toBe(3);
    expect(lossShown(at(0, 0), true)).toBe(2.5);
    expect(lossShown(at(0, 0), false)).toBe(0.5);
    expect(runsFreely({ state: 'playing', pace: setByHand(FULL_SPEED) })).toBe(true);
    expect(runsFreely({ state: 'playing', pace: BEGINNING })).toBe(false);
  });

  it('counts a run as not begun until the first step is at its end, also before that step has come', () => {
    const fresh = { ...at(0, -1), traces: [], cursor: undefined, losses: [], microBatch: 0 };
    expect(onlyPreviewed(fresh)).toBe(true);
    expect(onlyPreviewed({ ...fresh, state: 'playing' })).toBe(false);
    const previewed = { ...at(0, 0), traces: [traceOf(0, 2)], losses: losses.slice(0, 1), microBatch: 1 };
    expect(onlyPreviewed(previewed)).toBe(true);
    expect(onlyPreviewed({ ...previewed, losses: [] })).toBe(true);
    expect(onlyPreviewed({ ...previewed, cursor: { trace: 0, event: 1 } })).toBe(false);
    expect(onlyPreviewed(at(2, 1))).toBe(false);
  });
});
