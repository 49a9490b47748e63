import { describe, expect, it, vi } from 'vitest';
import { createFrames } from './frames';

function manual() {
  const waiting: ((nowMs: number) => void)[] = [];
  const frames = createFrames((callback) => waiting.push(callback));
  const frame = (nowMs: number) => {
    for (const callback of waiting.splice(0)) callback(nowMs);
  };
  return { frames, frame, waiting };
}

describe('frames', () => {
  it('draws each requested drawing once, and then rests', () => {
    const { frames, frame, waiting } = manual();
    let drawn = 0;
    const drawer = frames.drawer(() => {
      drawn++;
    });
    drawer.request();
    frame(0);
    expect(drawn).toBe(1);
    expect(waiting).toHaveLength(0);
    drawer.request();
    drawer.dispose();
    frame(16);
    expect(drawn).toBe(1);
  });

  it('continues with the other drawings if one throws, and names its region', () => {
    const { frames, frame, waiting } = manual();
    const errors: unknown[] = [];
    let drawn = 0;
    frames.drawer(
      () => {
        throw new Error('no canvas');
      },
      (error) => errors.push(error),
    );
    frames.drawer(() => {
      drawn++;
    });
    const reported = vi.fn();
    vi.stubGlobal('reportError', reported);
    frames.animate(() => {
      throw new Error('no clock');
    });
    let animated = 0;
    frames.animate(() => ++animated < 3);
    frame(0);
    frame(16);
    frame(32);
    vi.unstubAllGlobals();
    expect(errors).toEqual([new Error('no canvas')]);
    expect(reported.mock.calls).toEqual([[new Error('no clock')]]);
    expect(drawn).toBe(1);
    expect(animated).toBe(3);
    expect(waiting).toHaveLength(0);
  });

  it('animates until asked to stop, and a hidden tab does not make it leap', () => {
    const { frames, frame, waiting } = manual();
    const elapsed: number[] = [];
    frames.animate((_, ms) => {
      elapsed.push(ms);
      return elapsed.length < 3;
    });
    frame(0);
    frame(16);
    frame(60_000);
    expect(elapsed).toEqual([0, 16, 100]);
    expect(waiting).toHaveLength(0);
  });

  it('leaves a second drawer to the next frame when the first was slow', () => {
    const { frames, frame } = manual();
    const order: string[] = [];
    const slow = frames.drawer(() => {
      order.push('slow');
      const until = performance.now() + 15;
      while (performance.now() < until);
    });
    frames.drawer(() => {
      order.push('late');
    });
    slow.request();
    frame(0);
    expect(order).toEqual(['slow']);
    frame(16);
    expect(order).toEqual(['slow', 'late']);
  });
});
