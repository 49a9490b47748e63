import { describe, expect, it } from 'vitest';
import {
  advanced,
  atFullSpeed,
  BEGINNING,
  FULL_SPEED,
  factorOf,
  type Pace,
  runsFree,
  SPEEDS,
  secondsPerStep,
  secondsToFull,
  setByHand,
  speedOf,
  toggledHold,
} from './pace';

const MOMENTS = 50;

/** Plays in frames of 50 ms. */
function played(pace: Pace, seconds: number): Pace {
  let now = pace;
  for (let ms = 0; ms < 1000 * seconds; ms += 50) now = advanced(now, 50);
  return now;
}

/** How long each step takes that is walked over, from a beginning. */
function stepsFrom(begin: Pace): readonly number[] {
  const steps: number[] = [];
  let [pace, done, took] = [begin, 0, 0];
  while (!runsFree(pace) && steps.length < 200) {
    done += 0.05 / secondsPerStep(pace, MOMENTS);
    took += 0.05;
    pace = advanced(pace, 50);
    if (done < 1) continue;
    steps.push(took);
    [done, took] = [done - 1, 0];
  }
  return steps;
}

describe('the pace of Play', () => {
  it('takes ten seconds for each of the first steps, then less for each, and runs freely within 40 s', () => {
    const steps = stepsFrom(BEGINNING);
    expect(steps.slice(0, 2).map(Math.round)).toEqual([10, 10]);
    expect(steps.every((step, n) => n === 0 || step <= (steps[n - 1] ?? 0) + 0.051)).toBe(true);
    expect(steps.length).toBeGreaterThan(12);
    expect(steps.at(-1)).toBeCloseTo(0.2, 1);
    expect(runsFree(played(BEGINNING, 36))).toBe(false);
    expect(atFullSpeed(played(BEGINNING, 41))).toBe(true);
  });

  it('goes through the stages one after the other, and stays at full speed', () => {
    const seen = new Set<number>();
    let pace = BEGINNING;
    for (let ms = 0; ms < 60_000; ms += 50) {
      seen.add(speedOf(pace));
      pace = advanced(pace, 50);
    }
    expect([...seen]).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(speedOf(pace)).toBe(FULL_SPEED);
    expect(secondsToFull(pace)).toBeUndefined();
  });

  it('says when full speed comes', () => {
    expect(secondsToFull(BEGINNING)).toBe(40);
    expect(secondsToFull(played(BEGINNING, 26))).toBe(14);
    expect(factorOf(BEGINNING, MOMENTS)).toBeCloseTo(0.02);
    expect(factorOf(setByHand(FULL_SPEED), MOMENTS)).toBeUndefined();
  });

  it('is held anywhere, and goes on from there', () => {
    const half = played(BEGINNING, 27);
    const held = toggledHold(half);
    expect(played(held, 100)).toEqual(held);
    expect(secondsPerStep(held, MOMENTS)).toBe(secondsPerStep(half, MOMENTS));
    expect(secondsToFull(held)).toBeUndefined();
    expect(toggledHold(held)).toEqual(half);
  });

  it('set by hand is held at what its label says', () => {
    for (const [index, speed] of SPEEDS.entries()) {
      const pace = setByHand(index);
      expect(played(pace, 100)).toEqual(pace);
      expect(speedOf(pace)).toBe(index);
      if (speed.kind === 'walk') expect(secondsPerStep(pace, MOMENTS)).toBeCloseTo(speed.secondsPerStep);
    }
    expect(secondsPerStep(setByHand(0), MOMENTS)).toBe(MOMENTS);
    // What lies before the way that Play takes joins it at its beginning.
    expect(toggledHold(setByHand(0))).toEqual(BEGINNING);
    expect(setByHand(99)).toEqual(setByHand(FULL_SPEED));
    expect(setByHand(-1)).toEqual(setByHand(0));
  });
});
