/** The tooltips of the pipeline picture's cells and gaps. Pure. */
import type { Schedule } from '../../schedules/schedule';
import type { ScheduleGap } from '../../schedules/timing';
import { capital } from '../../trace/capital';
import type { Tip } from '../draw/tip';
import type { Picture, PictureCell } from './picture';
import type { PictureItem } from './picture-items';
import { actionWords, rowName, timeText, whyBubble } from './why-bubble';

const cellTip = ({ action, start, end, rank }: PictureCell, { unit, from }: Picture, schedule: Schedule): Tip => ({
  title: capital(actionWords(action)),
  facts: [
    ['on', rowName(schedule, rank)],
    ['begins', timeText(start - (unit === 'us' ? 0 : from), unit)],
    ['takes', timeText(end - start, unit)],
  ],
});

const gapTip = (gap: ScheduleGap, picture: Picture, schedule: Schedule): Tip => ({
  title: 'Bubble',
  facts: [],
  note: whyBubble(gap, picture, schedule),
});

/** The tooltip of an item; the end of a row has none. */
export function itemTip(item: PictureItem, picture: Picture, schedule: Schedule): Tip | undefined {
  if (item.kind === 'cell') return cellTip(item.cell, picture, schedule);
  return item.kind === 'gap' ? gapTip(item.gap, picture, schedule) : undefined;
}
