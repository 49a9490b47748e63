/** What the tooltip of the pipeline picture says of a cell and of a gap. Pure. */
import type { Schedule } from '../../schedules/schedule';
import type { Gap } from '../../schedules/timing';
import { capital } from '../../trace/words';
import type { Tip } from '../draw/tip';
import type { Picture, PictureCell } from './picture';
import { actionWords, rowName, timeText, whyBubble } from './why-bubble';

export const cellTip = (
  { action, start, end, rank }: PictureCell,
  { unit, from }: Picture,
  schedule: Schedule,
): Tip => ({
  title: capital(actionWords(action)),
  facts: [
    ['on', rowName(schedule, rank)],
    ['begins', timeText(start - (unit === 'us' ? 0 : from), unit)],
    ['takes', timeText(end - start, unit)],
  ],
});

export const gapTip = (gap: Gap, picture: Picture, schedule: Schedule): Tip => ({
  title: 'Bubble',
  facts: [],
  note: whyBubble(gap, picture, schedule),
});
