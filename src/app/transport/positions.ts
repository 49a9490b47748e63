/** What the page says about the run at a cursor: steps, loss, moments. Pure functions over the state of the store. */
import { stepOf } from '../../protocol/micro-batches';
import type { StepTrace } from '../../protocol/trace';
import { hasMoments } from '../../trace/moments/moment';
import { runsFree } from '../pace/pace';
import type { AppState } from '../state/app-state';
import { isConstruct } from '../state/kept-run';

/** The session runs by itself, not step by step with the cursor. */
export const runsFreely = ({ state, pace }: Pick<AppState, 'state' | 'pace'>): boolean =>
  state === 'playing' && runsFree(pace);

/** Whether a pause is pending: the session first ends the current step, which the page then shows. */
export const isPausing = ({ state, pausing }: Pick<AppState, 'state' | 'pausing'>): boolean =>
  state === 'paused' && pausing;

type Run = Pick<AppState, 'traces' | 'cursor' | 'cursorFraction' | 'losses' | 'microBatch' | 'state'>;

/** The cursor is after the last event of the last trace, so the page shows the current training state. */
export function atLiveEdge({ traces, cursor, cursorFraction }: Omit<Run, 'losses' | 'microBatch' | 'state'>): boolean {
  const last = traces.at(-1);
  if (!last || !cursor) return true;
  return cursor.trace === traces.length - 1 && cursor.event === last.events.length - 1 && cursorFraction === 1;
}

/**
 * The micro-batches completed at the cursor; while the session runs freely, and if the cursor is after everything that
 * ran, all completed micro-batches.
 */
export function microBatchesShown(run: Run, freeRunning: boolean): number {
  if (freeRunning || atLiveEdge(run)) return run.microBatch;
  const trace = run.cursor && run.traces[run.cursor.trace];
  if (!trace || !run.cursor) return run.microBatch;
  // During the constructor, no step has been taken.
  if (isConstruct(trace)) return trace.microBatch + 1;
  const ended = run.cursor.event === trace.events.length - 1 && run.cursorFraction === 1;
  return trace.microBatch + (ended ? 1 : 0);
}

/** Completed optimizer steps; a step with unfinished micro-batches does not count. */
export const stepShown = (run: Run & Pick<AppState, 'info'>, freeRunning: boolean): number =>
  stepOf(microBatchesShown(run, freeRunning), run.info?.config ?? { accumulate: 1 });

/**
 * Nothing has run except the preview's micro-batch, if that, and the cursor is not at its end: for the user, the run
 * has not begun.
 */
export function onlyPreviewed(run: Run): boolean {
  const [step, second] = run.traces.filter((trace) => !isConstruct(trace));
  if (run.state === 'playing' || run.losses.length > 1 || second) return false;
  return step === undefined || microBatchesShown(run, false) === step.microBatch;
}

/**
 * Whether the stage first shows the transfers of DDP's constructor: only for a run from its start, of which at most the
 * first shown micro-batch has run. `shown`: the constructor's trace that the stage has already shown.
 */
export const beginsWithConstruct = (
  { info, losses, microBatch }: Pick<AppState, 'info' | 'losses' | 'microBatch'>,
  shown: StepTrace | undefined,
): boolean =>
  info?.construct !== undefined &&
  info.construct !== shown &&
  losses.length <= 1 &&
  (losses[0]?.microBatch ?? microBatch) === 0;

/**
 * The steps taken while the stage replays an older one, because training runs ahead; undefined if the stage shows the
 * newest step.
 */
export const trainingAt = (run: Run & Pick<AppState, 'info' | 'pace' | 'standstill'>): number | undefined =>
  runsFreely(run) && !run.standstill ? stepShown(run, true) : undefined;

/** Number of moments in the step at the cursor; without moments, each event counts as one. */
export function momentsShown({ traces, cursor }: Pick<AppState, 'traces' | 'cursor'>): number {
  const trace = traces[cursor?.trace ?? -1];
  if (!trace) return 1;
  return hasMoments(trace) ? trace.moments.length : trace.events.length;
}

export function lossShown(run: Run, freeRunning: boolean): number | undefined {
  if (freeRunning || atLiveEdge(run)) return run.losses.at(-1)?.loss;
  const trace = run.cursor && run.traces[run.cursor.trace];
  return trace && isConstruct(trace) ? undefined : trace?.losses.loss;
}
