/**
 * The rows of the timeline: per device a compute lane and a communication lane, each with the spans of its events on
 * one clock. Only this file reads an event's times on a clock. Pure; called by the timeline, the stage and the other
 * derivations.
 */
import { at } from '../base/invariant';
import type { Clock, DeviceIndex, Queue, Rank, StepTrace } from '../protocol/trace';

export interface Span {
  readonly startUs: number;
  readonly durUs: number;
}

export interface EventSpan extends Span {
  /** Index into trace.events. */
  readonly event: number;
}

export interface EventLane {
  readonly device: DeviceIndex;
  readonly rank: Rank;
  readonly queue: Queue;
  /** Sorted by start; events that start together are in the order of the trace. */
  readonly spans: readonly EventSpan[];
}

export function spanOf(trace: StepTrace, clock: Clock, index: number): Span {
  const { startUs, durUs } = clock === 'modelled' ? at(trace.modelled, index) : at(trace.events, index);
  return { startUs, durUs };
}

export const endUs = ({ startUs, durUs }: Span): number => startUs + durUs;

/** From the start of the step to the end of its last event. */
export function totalUs(trace: StepTrace, clock: Clock): number {
  return trace.events.reduce((last, _, index) => Math.max(last, endUs(spanOf(trace, clock, index))), 0);
}

/** Number of devices of the step, including devices without events that got a slice of the batch or hold parameters. */
export function deviceCount(trace: StepTrace): number {
  return trace.events.reduce((n, e) => Math.max(n, e.device + 1), Math.max(trace.samples.length, trace.initial.length));
}

/** Two lanes per device, in device order, compute above comm; an idle device has empty lanes. */
export function lanesOf(trace: StepTrace, clock: Clock): readonly EventLane[] {
  const ranks = new Map(trace.events.map((e) => [e.device, e.rank]));
  return Array.from({ length: deviceCount(trace) }, (_, device) =>
    (['compute', 'comm'] as const).map((queue): EventLane => {
      const spans = trace.events.flatMap((e, event): EventSpan[] =>
        e.device === device && e.queue === queue ? [{ event, ...spanOf(trace, clock, event) }] : [],
      );
      spans.sort((a, b) => a.startUs - b.startUs || a.event - b.event);
      return { device, rank: ranks.get(device) ?? 0, queue, spans };
    }),
  ).flat();
}
