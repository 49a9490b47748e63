/** The page's current moment, as part of a link. Called when the user shares a link. */
import { stepOf } from '../../protocol/micro-batches';
import type { StepTrace } from '../../protocol/trace';
import { lastOf } from '../../trace/moments/moment';
import { momentsOf } from '../../trace/moments/moments';
import { type LinkState, NO_STATE } from '../permalink/link-state';
import type { App } from '../state/app-state';
import { isConstruct } from '../state/kept-run';

export function stateHere(app: App, shown: LinkState['shown']): LinkState {
  const trace = app.cursor && app.traces[app.cursor.trace];
  return {
    ...NO_STATE,
    ...(trace && app.cursor ? { at: atOf(trace), ...placeIn(trace, app.cursor.event, app.cursorFraction) } : {}),
    clock: app.clock === 'measured' ? app.clock : undefined,
    pace: app.pace.held ? app.pace : undefined,
    select: app.pinned === undefined ? undefined : app.pinned + 1,
    shown,
  };
}

function atOf(trace: StepTrace): LinkState['at'] {
  if (isConstruct(trace)) return 'construct';
  const { microBatch, accumulate } = trace;
  const part = (microBatch % accumulate) + 1;
  return { step: stepOf(microBatch, trace) + 1, part: part === accumulate ? undefined : part };
}

/** Empty at the end of the step, because a link without a moment leads there. */
function placeIn(trace: StepTrace, event: number, fraction: number): Pick<LinkState, 'moment' | 'event'> | undefined {
  if (fraction < 1) return { moment: undefined, event: { number: event + 1, fraction } };
  if (event === trace.events.length - 1) return undefined;
  if (event < 0) return { moment: 0, event: undefined };
  const moment = momentsOf(trace).findIndex((one) => lastOf(one) === event);
  return moment < 0
    ? { moment: undefined, event: { number: event + 1, fraction: 1 } }
    : { moment: moment + 1, event: undefined };
}
