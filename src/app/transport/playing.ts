/**
 * Play, in two ways. At a slow pace the cursor walks over one traced step after the other, each twice as fast as the
 * one before, while the next step runs. At a fast pace the session runs freely, and the stage replays the newest trace,
 * repeatedly if no newer one has come. transport.ts starts and stops Play.
 */

import { afterStep, runsFree, speedAt } from '../pace/pace';
import type { Cursor } from '../state/app-state';
import { isConstruct } from '../state/kept-run';
import type { AppStore } from '../state/store';
import type { Course } from './course';
import type { StepSource } from './step-source';
import type { UnderWay } from './under-way';
import type { Rates } from './walk-speed';
import type { Walker } from './walker';

export interface Playing {
  /** Plays until the pace is so fast that the session runs freely. `mine`: the ticket of the command. */
  slowly(mine: number): Promise<void>;
  /** `construct`: first replays DDP's constructor; training does not wait for this. */
  freely(mine: number, construct?: boolean): void;
  /** Tells the session to run freely at the current pace. */
  runFreely(): void;
  /** Replays the newest trace from its beginning; repeats it if no newer one has come. */
  replay(mine: number): void;
  /** Trains at full speed up to the micro-batch; false if stopped before. */
  trainUntil(microBatch: number, mine: number): Promise<boolean>;
}

interface PlayingOptions {
  readonly store: AppStore;
  readonly walker: Walker;
  readonly source: StepSource;
  readonly course: Course;
  readonly rates: Rates;
  readonly under: UnderWay;
}

export function createPlaying({ store, walker, source, course, rates, under }: PlayingOptions): Playing {
  const { last, endOf } = course;
  /** Ticket of the command whose replay is running. */
  let replays: number | undefined;

  const replay = async (mine: number): Promise<void> => {
    if (replays === mine) return;
    replays = mine;
    for (let arrived = true; arrived && mine === under.ticket && endOf(last()) >= 0; ) {
      store.getState().seek(last(), -1);
      arrived = await walker.walkTo(endOf(last()), rates.ofReplay(last()));
    }
    // The command that stopped this replay may have begun another.
    if (replays === mine) replays = undefined;
  };

  const runFreely = () => {
    const speed = speedAt(store.getState().pace);
    under.free = true;
    source.control({ type: 'play', stepsPerSecond: speed.kind === 'free' ? speed.perSecond : 0 });
  };

  const freely = (mine: number, construct = false): void => {
    const first = construct ? walker.walkTo(endOf(0), rates.ofReplay(0)) : Promise.resolve();
    first.then(() => replay(mine)).catch(source.report);
    // A step still being traced must end before the session may run freely.
    course
      .traced()
      .then(() => {
        if (mine === under.ticket) runFreely();
      })
      .catch(source.report);
  };

  /** Whether a walk from here shows most of a step; DDP's constructor is not a step. */
  const isWholeStep = ({ trace, event }: Cursor): boolean => {
    const kept = store.getState().traces[trace];
    return kept !== undefined && !isConstruct(kept) && event < endOf(trace) / 2;
  };

  return {
    async slowly(mine) {
      try {
        while (mine === under.ticket && !runsFree(store.getState().pace)) {
          const cursor = await course.onward();
          if (mine !== under.ticket || !cursor) return;
          // The next step runs while this one is shown.
          if (cursor.trace === last()) course.traceStep().catch(() => undefined);
          const whole = isWholeStep(cursor);
          const arrived = await walker.walkTo(endOf(cursor.trace), rates.ofPace(cursor.trace));
          const { pace, setPace } = store.getState();
          if (arrived && whole && mine === under.ticket) setPace(afterStep(pace));
        }
        if (mine === under.ticket) freely(mine);
      } catch (error) {
        if (mine !== under.ticket) return;
        store.getState().setState('paused');
        source.report(error);
      }
    },
    freely,
    runFreely,
    replay: (mine) => void replay(mine).catch(source.report),
    async trainUntil(microBatch, mine) {
      const { setState, setGoingTo } = store.getState();
      setGoingTo(microBatch);
      setState('playing');
      under.free = true;
      // After a lost device the session may already be returning to this place by itself.
      await source.idle();
      if (mine !== under.ticket) return false;
      source.control({ type: 'play', stepsPerSecond: 0, until: microBatch });
      await source.idle();
      if (mine !== under.ticket) return false;
      under.free = false;
      setGoingTo(undefined);
      setState('paused');
      return true;
    },
  };
}
