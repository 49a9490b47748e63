/**
 * The two clocks of a trace: 'measured' is what this machine took, 'modelled' what the chosen hardware would take. Every derivation
 * names the clock it reads; nothing here or elsewhere adds one to the other.
 */
import { at } from '../base/invariant';
import type { StepTrace } from '../protocol/trace';

export type Clock = 'measured' | 'modelled';

export interface Span {
  readonly startUs: number;
  readonly durUs: number;
}

/** When event `index` ran, microseconds from the start of the step. */
export function spanOf(trace: StepTrace, clock: Clock, index: number): Span {
  return clock === 'modelled' ? at(trace.modelled, index) : at(trace.events, index);
}

export function endOf({ startUs, durUs }: Span): number {
  return startUs + durUs;
}

/** Length of the step: the latest end of any event. */
export function totalUs(trace: StepTrace, clock: Clock): number {
  const spans: readonly Span[] = clock === 'modelled' ? trace.modelled : trace.events;
  return spans.reduce((latest, span) => Math.max(latest, endOf(span)), 0);
}
