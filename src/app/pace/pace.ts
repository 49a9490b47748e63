/**
 * How fast Play goes. The first step takes ten seconds, so that a newcomer can follow it, and every next step takes
 * half as long, until training runs by itself as fast as it can. A pace is a place on this scale: 0 is ten seconds per
 * step, each 1 more is twice as fast. A held pace does not change. The table has the stages that the bar shows and that
 * the user can choose: up to ×1 each step is traced and walked over, beyond it the session runs freely and the stage
 * replays a step now and then. Pure; the transport moves the place on, the store keeps it.
 */
import { at } from '../../base/invariant';

export type Speed = {
  readonly label: string;
  /** The place at which this speed begins. */
  readonly from: number;
} & (
  | { readonly kind: 'moments'; readonly perSecond: number }
  | { readonly kind: 'walk'; readonly secondsPerStep: number }
  /** 0 = as fast as it goes. */
  | { readonly kind: 'free'; readonly perSecond: number }
);

export interface Pace {
  readonly place: number;
  /** The pace stays at this place: the user held it or set it. */
  readonly held: boolean;
}

/** Seconds of the first step, and of a step at the pace from which the session runs freely. */
const FIRST_SECONDS = 10;
const LAST_SECONDS = 0.2;
const LAST_WALKED = Math.log2(FIRST_SECONDS / LAST_SECONDS);
const FREE_FROM = LAST_WALKED + 1;
/** How long the session runs at 20 steps per second before it goes to full speed. */
const FREE_SECONDS = 3;
const FULL_FROM = FREE_FROM + 1;

/** The seconds per step while the cursor walks over every step. */
export const secondsAt = (place: number): number =>
  place >= LAST_WALKED ? LAST_SECONDS : FIRST_SECONDS * 2 ** -Math.max(place, 0);
/** The place with so many seconds per step. */
export const placeOf = (secondsPerStep: number): number => Math.log2(FIRST_SECONDS / secondsPerStep);

const walk = (secondsPerStep: number, from = placeOf(secondsPerStep)): Speed => ({
  kind: 'walk',
  label: secondsPerStep < 1 ? `${1 / secondsPerStep} steps per second` : `${secondsPerStep} s per step`,
  from,
  secondsPerStep,
});

/** Slow to fast. Play begins after the first, which only the user can choose. */
export const SPEEDS: readonly Speed[] = [
  { kind: 'moments', label: '1 moment per second', from: -1, perSecond: 1 },
  walk(FIRST_SECONDS, 0),
  walk(5),
  walk(2),
  walk(1),
  walk(LAST_SECONDS),
  { kind: 'free', label: '20 steps per second', from: FREE_FROM, perSecond: 20 },
  { kind: 'free', label: 'full speed', from: FULL_FROM, perSecond: 0 },
];

export const BEGINNING: Pace = { place: 0, held: false };
export const FULL_SPEED = SPEEDS.length - 1;

/** Index into SPEEDS. */
export const speedOf = ({ place }: Pace): number =>
  Math.max(
    0,
    SPEEDS.findLastIndex(({ from }) => from <= place + 1e-9),
  );
export const speedAt = (pace: Pace): Speed => at(SPEEDS, speedOf(pace));
export const runsFree = (pace: Pace): boolean => speedAt(pace).kind === 'free';
export const atFullSpeed = (pace: Pace): boolean => speedOf(pace) === FULL_SPEED;

/** The held pace for a speed that the user sets. */
export const setByHand = (speed: number): Pace => ({
  place: at(SPEEDS, Math.min(Math.max(speed, 0), FULL_SPEED)).from,
  held: true,
});
/** Holds the pace; a held pace speeds up again from its place. */
export const toggledHold = ({ place, held }: Pace): Pace => ({ place: Math.max(place, held ? 0 : -1), held: !held });

/** After a step has been walked over from its beginning to its end: twice as fast, and in the end freely. */
export const afterStep = (pace: Pace): Pace => {
  if (pace.held || pace.place >= FREE_FROM) return pace;
  return { ...pace, place: pace.place < LAST_WALKED ? Math.min(pace.place + 1, LAST_WALKED) : FREE_FROM };
};

/** The pace after the session has run freely for `elapsedMs`. */
export const advanced = (pace: Pace, elapsedMs: number): Pace =>
  pace.held || pace.place < FREE_FROM || pace.place >= FULL_FROM
    ? pace
    : { ...pace, place: Math.min(pace.place + elapsedMs / 1000 / FREE_SECONDS, FULL_FROM) };

/** Seconds of a step with this many moments; meaningless while the session runs freely. */
export function secondsPerStep(pace: Pace, moments: number): number {
  const speed = speedAt(pace);
  return speed.kind === 'moments' ? moments / speed.perSecond : secondsAt(pace.place);
}

/** ×1 is the fastest pace at which the page shows every step; undefined at faster paces. */
export function factorOf(pace: Pace, moments: number): number | undefined {
  return runsFree(pace) ? undefined : LAST_SECONDS / secondsPerStep(pace, moments);
}

const untilFull = (pace: Pace): number => {
  if (pace.place >= FREE_FROM) return (FULL_FROM - pace.place) * FREE_SECONDS;
  return secondsAt(pace.place) + untilFull(afterStep(pace));
};

/** Seconds until full speed, from the beginning of a step; undefined if the pace is held or already full. */
export const secondsToFull = (pace: Pace): number | undefined =>
  pace.held || pace.place >= FULL_FROM ? undefined : Math.ceil(untilFull(pace));
