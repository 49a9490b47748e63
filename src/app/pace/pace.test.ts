import { describe, expect, it } from 'vitest';
import {
  advanced,
  afterStep,
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
  speedAt,
  speedOf,
  toggledHold,
} from './pace';

const MOMENTS = 50;

/** The time of each walked step, from a given pace on, and the pace after the last step. */
function walked(begin: Pace, most = 50): { readonly took: readonly number[]; readonly pace: Pace } {
  const took: number[] = [];
  let pace = begin;
  for (; !runsFree(pace) && took.length < most; pace = afterStep(pace)) took.push(secondsPerStep(pace, MOMENTS));
  return { took, pace };
}

/** Runs freely in frames of 50 ms. */
function ran(pace: Pace, seconds: number): Pace {
  let now = pace;
  for (let ms = 0; ms < 1000 * seconds; ms += 50) now = advanced(now, 50);
  return now;
}

describe('the pace of Play', () => {
  it('takes ten seconds for the first step and half as long for each next one, then runs freely', () => {
    const { took, pace } = walked(BEGINNING);
    expect(took.map((seconds) => Number(seconds.toFixed(3)))).toEqual([10, 5, 2.5, 1.25, 0.625, 0.313, 0.2]);
    expect(speedAt(pace).label).toBe('20 steps per second');
    expect(atFullSpeed(ran(pace, 2.9))).toBe(false);
    expect(atFullSpeed(ran(pace, 3.1))).toBe(true);
    // Time alone changes nothing while a step is walked over.
    expect(ran(BEGINNING, 60)).toEqual(BEGINNING);
  });

  it('goes through the stages one after the other, and stays at full speed', () => {
    const seen = new Set<number>();
    let pace = BEGINNING;
    for (let frame = 0; frame < 200; frame++) {
      seen.add(speedOf(pace));
      pace = advanced(afterStep(pace), 50);
    }
    expect([...seen]).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(speedOf(pace)).toBe(FULL_SPEED);
    expect(secondsToFull(pace)).toBeUndefined();
  });

  it('says when full speed comes', () => {
    expect(secondsToFull(BEGINNING)).toBe(23);
    expect(secondsToFull(walked(BEGINNING, 1).pace)).toBe(13);
    expect(secondsToFull(walked(BEGINNING).pace)).toBe(3);
    expect(factorOf(BEGINNING, MOMENTS)).toBeCloseTo(0.02);
    expect(factorOf(setByHand(FULL_SPEED), MOMENTS)).toBeUndefined();
  });

  it('can be held at any place, and continues from there', () => {
    const third = walked(BEGINNING, 2).pace;
    const held = toggledHold(third);
    expect(ran(afterStep(held), 100)).toEqual(held);
    expect(secondsPerStep(held, MOMENTS)).toBe(2.5);
    expect(secondsToFull(held)).toBeUndefined();
    expect(toggledHold(held)).toEqual(third);
  });

  it('a pace that the user sets is held at the pace of its label', () => {
    for (const [index, speed] of SPEEDS.entries()) {
      const pace = setByHand(index);
      expect(ran(afterStep(pace), 100)).toEqual(pace);
      expect(speedOf(pace)).toBe(index);
      if (speed.kind === 'walk') expect(secondsPerStep(pace, MOMENTS)).toBeCloseTo(speed.secondsPerStep);
    }
    expect(secondsPerStep(setByHand(0), MOMENTS)).toBe(MOMENTS);
    // A pace slower than Play's first one continues from Play's beginning.
    expect(toggledHold(setByHand(0))).toEqual(BEGINNING);
    expect(setByHand(99)).toEqual(setByHand(FULL_SPEED));
    expect(setByHand(-1)).toEqual(setByHand(0));
  });
});
