/**
 * The speeds of the transport, slow to fast. A slow one walks the cursor over the events of one step after another, so
 * that every packet can be followed; a fast one lets the session run and shows a step now and then.
 */
export type Speed =
  | { readonly kind: 'events'; readonly perSecond: number; readonly label: string }
  | { readonly kind: 'steps' /** 0 = as fast as it goes */; readonly perSecond: number; readonly label: string };

const events = (perSecond: number): Speed => ({ kind: 'events', perSecond, label: `${perSecond} events/s` });
const steps = (perSecond: number): Speed => ({ kind: 'steps', perSecond, label: `${perSecond} steps/s` });

export const SPEEDS: readonly [Speed, ...Speed[]] = [
  events(2),
  events(8),
  events(25),
  events(80),
  steps(2),
  steps(10),
  steps(60),
  { kind: 'steps', perSecond: 0, label: 'full speed' },
];
export const DEFAULT_SPEED = SPEEDS.length - 1;

export const speedAt = (index: number): Speed => SPEEDS[index] ?? SPEEDS[0];
