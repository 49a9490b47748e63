/** The input that all parts of a recorded scene share. Pure. */
import type { Interval } from '../../../trace/intervals';
import type { Rect } from '../../draw/geometry';
import { cutToView, type TimeScale } from '../../lanes/time-axis';
import type { RecordedInput } from './recorded-scene-types';

/** The input of a scene: the recording, and the window through which it is seen. */
export interface Eye {
  readonly input: RecordedInput;
  readonly scale: TimeScale;
  readonly fromUs: number;
  readonly toUs: number;
}

/** The rectangle, in a lane, of the part of a stretch that is in view. */
export const cut = ({ input, scale }: Eye, lane: Rect, stretch: Interval): Rect | undefined =>
  cutToView(input.layout, scale, lane, stretch);
