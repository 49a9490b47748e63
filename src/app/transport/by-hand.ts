/**
 * Steps by hand: a press moves the cursor to the end of the next event, moment, round, phase or step; quick presses all
 * count. Needs only one step at a time from the session.
 */
import type { Position } from '../../trace/moments/moment';
import { nextStop, previousStop, type Stride, stopsOf } from '../../trace/position';
import type { AppStore } from '../state/store';
import type { Course } from './course';
import type { StepSource } from './step-source';
import type { UnderWay } from './under-way';
import type { Walker } from './walker';

/** How long a step by hand takes. */
const HAND_SECONDS = 0.5;
/** Longest time of a step by hand, however many moments it passes. */
const MOST_HAND_SECONDS = 1.5;

export interface ByHand {
  /** `mine`: the ticket of the press. */
  step(mine: number, stride: Stride): Promise<void>;
  /** Moves to the end of a step; the constructor does not count as a step, so the first step follows it at once. */
  iteration(mine: number): Promise<void>;
  /** Moves back to the end of the previous event, moment, round, phase or step. */
  back(stride: Stride): void;
  /** Called when another command comes: completes a step that was to follow the constructor. */
  finish(): void;
  /** Drops the step that was to follow the constructor. */
  forget(): void;
}

interface ByHandOptions {
  readonly store: AppStore;
  readonly walker: Walker;
  readonly source: StepSource;
  readonly course: Course;
  readonly under: UnderWay;
}

export function createByHand({ store, walker, source, course, under }: ByHandOptions): ByHand {
  /** An iteration has begun with the constructor; the requested step follows. */
  let stepFollows = false;

  const walk = async (mine: number, stride: Stride | 'step'): Promise<void> => {
    const cursor = await course.onward();
    const { cursorFraction, traces } = store.getState();
    const trace = cursor && traces[cursor.trace];
    if (mine !== under.ticket || !trace) return;
    const position: Position = { event: cursor.event, fraction: cursorFraction };
    const goal = stride === 'step' ? course.endOf(cursor.trace) : nextStop(trace, position, stride);
    const moments = stopsOf(trace, 'moment').filter((stop) => stop > cursor.event && stop <= goal).length;
    const seconds = Math.min(Math.max(1, moments) * HAND_SECONDS, MOST_HAND_SECONDS);
    // Also from within the last event: the cursor has not done the event that it is in.
    const walked = walker.walkTo(goal, (goal - (cursor.event - 1 + cursorFraction)) / seconds);
    // A single event is not animated: within a moment all its events would move.
    if (walker.reducedMotion() || stride === 'event') walker.finish();
    await walked;
  };

  return {
    async step(mine, stride) {
      try {
        course.constructFirst();
        await walk(mine, stride);
      } catch (error) {
        source.report(error);
      }
    },
    async iteration(mine) {
      try {
        stepFollows = course.constructFirst();
        if (stepFollows) await walk(mine, 'step');
        if (mine !== under.ticket) return;
        stepFollows = false;
        await walk(mine, 'step');
      } catch (error) {
        stepFollows = false;
        source.report(error);
      }
    },
    back(stride) {
      const { cursor, seek, traces } = store.getState();
      const trace = cursor && traces[cursor.trace];
      if (!trace) return;
      if (cursor.event >= 0) seek(cursor.trace, previousStop(trace, cursor.event, stride));
      else if (cursor.trace > 0) course.toEndOf(cursor.trace - 1);
    },
    finish() {
      if (stepFollows && course.last() > 0) course.toEndOf(1);
      stepFollows = false;
    },
    forget() {
      stepFollows = false;
    },
  };
}
