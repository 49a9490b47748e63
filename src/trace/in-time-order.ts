/**
 * Puts the events of a trace in the order in which they begin on the modelled clock; what begins together stays in the
 * trace's own order. The order a session writes respects every dependency, but merges the ranks as it pleases: one may
 * be a phase ahead of the next. In this one a cursor that walks the events walks time: ranks in lockstep, hops of one
 * round in flight together. Nothing begins before what it depends on has ended, so dependencies are respected here too.
 * Pure; the page calls it when a trace arrives.
 */
import { at } from '../base/invariant';
import type { StepTrace } from '../protocol/trace';

export function inTimeOrder(trace: StepTrace): StepTrace {
  const order = trace.events.map((_, index) => index);
  order.sort((a, b) => at(trace.modelled, a).startUs - at(trace.modelled, b).startUs || a - b);
  return {
    ...trace,
    events: order.map((index) => at(trace.events, index)),
    modelled: order.map((index) => at(trace.modelled, index)),
  };
}
