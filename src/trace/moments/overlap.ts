/**
 * What overlaps with a moment on a clock: the round of an all-reduce that runs while a layer computes its gradient, or
 * the other way round. Pure; called by the sentences and by views that mark what is hidden.
 */
import { at } from '../../base/invariant';
import type { Clock, StepTrace } from '../../protocol/trace';
import { endUs, spanOf } from '../lanes';
import type { Moment } from './moment';
import { momentsOf } from './moments';

const isReduced = ({ kind, round }: Moment): boolean => kind === 'round' && round?.op === 'allReduce';
const isBackward = ({ kind, phase, module }: Moment): boolean =>
  kind === 'compute' && phase === 'backward' && module !== '';

/**
 * The first other moment that overlaps with `moment` on the same device; undefined if `moment` is neither a round nor a
 * gradient.
 */
export function overlapOf(trace: StepTrace, moment: Moment, clock: Clock): Moment | undefined {
  const wanted = isBackward(moment) ? isReduced : isReduced(moment) ? isBackward : undefined;
  return wanted && firstBeside(trace, moment, clock, wanted);
}

/** The first moment for which `wanted` is true and that overlaps with `moment` on a device. */
export function firstBeside(
  trace: StepTrace,
  moment: Moment,
  clock: Clock,
  wanted: (other: Moment) => boolean,
): Moment | undefined {
  const own = spansOf(trace, moment, clock);
  return momentsOf(trace).find(
    (other) =>
      wanted(other) &&
      spansOf(trace, other, clock).some((b) =>
        own.some((a) => a.device === b.device && a.startUs < b.endUs && b.startUs < a.endUs),
      ),
  );
}

const spansOf = (trace: StepTrace, { events }: Moment, clock: Clock) =>
  events.map((index) => {
    const span = spanOf(trace, clock, index);
    return { device: at(trace.events, index).device, startUs: span.startUs, endUs: endUs(span) };
  });
