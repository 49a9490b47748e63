/** Words for the moment to which a link leads: 'step 12, moment 5 of 58'. Pure. */
import { stepWords } from '../../protocol/micro-batches';
import { doneAt, lastOf } from '../../trace/moments/moment';
import { momentsOf } from '../../trace/moments/moments';
import { stepNumber } from '../draw/format';
import type { App } from '../state/app-state';

export function momentWords({
  cursor,
  cursorFraction,
  traces,
}: Pick<App, 'cursor' | 'cursorFraction' | 'traces'>): string {
  const trace = traces[cursor?.trace ?? -1];
  if (!trace || !cursor) return '';
  const step = stepWords(trace.microBatch, trace, stepNumber);
  const moments = momentsOf(trace);
  const done = doneAt(moments, { event: cursor.event, fraction: cursorFraction });
  const number = moments.filter((moment) => lastOf(moment) <= done).length + (cursorFraction < 1 ? 1 : 0);
  return number === moments.length ? `the end of ${step}` : `${step}, moment ${number} of ${moments.length}`;
}
