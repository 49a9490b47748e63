/** What every part of a recorded scene is made with. Pure. */
import type { Interval } from '../../../trace/idle';
import type { Rect } from '../../draw/geometry';
import { cutToView, type TimeScale } from '../../lanes/time-axis';
import type { RecordedInput } from './scene-types';

/** A scene in the making: what is looked at, and through which window. */
export interface Eye {
  readonly input: RecordedInput;
  readonly scale: TimeScale;
  readonly fromUs: number;
  readonly toUs: number;
}

/** The part of a stretch that is in view, in a lane. */
export const cut = ({ input, scale }: Eye, lane: Rect, stretch: Interval): Rect | undefined =>
  cutToView(input.layout, scale, lane, stretch);
