/**
 * Walks the store's cursor over the events of its trace at a given pace: the one place where time moves the cursor.
 * With reduced motion it jumps from moment to moment. It knows nothing of sessions; transport.ts calls it.
 */

import { previousStop } from '../../trace/position';
import type { Frames } from '../draw/frames';
import type { AppStore } from '../state/store';

/** Events per second; asked each frame, of the event that the cursor is in, with the time since the last frame. */
export type PlayRate = number | ((event: number, elapsedMs: number) => number);

export interface Walker {
  /**
   * Walks on to the end of event `goal` of the cursor's trace; resolves true there, false when it was stopped before. A
   * goal between two whole numbers is inside an event: 2.9 is nine tenths of event 3.
   */
  walkTo(goal: number, rate: PlayRate): Promise<boolean>;
  /** Jumps to the goal of the walk. */
  finish(): void;
  /** Stops the walk where the cursor is. */
  stop(): void;
  /** Whoever sees the walk wants no motion. */
  reducedMotion(): boolean;
}

/** A cursor at fraction 1 rests at a single event; one that walks is in the midst of a moment. */
const ALMOST = 1 - 1e-9;

interface Going {
  readonly goal: number;
  readonly done: (arrived: boolean) => void;
  readonly cancel: () => void;
}

export function createWalker(store: AppStore, frames: Frames, reducedMotion: () => boolean): Walker {
  let going: Going | undefined;

  const end = (arrived: boolean) => {
    const ended = going;
    going = undefined;
    ended?.cancel();
    ended?.done(arrived);
  };

  /** Event 3 at fraction 0.5 is position 2.5: the moment of event 3 is under way. */
  const put = (position: number, goal: number) => {
    const { cursor, seek, traces } = store.getState();
    const trace = cursor && traces[cursor.trace];
    if (!trace) return;
    // Between the first two places ceil() gives -0, which is not an index.
    const event = Math.ceil(position) + 0;
    if (position >= goal) seek(cursor.trace, event, position - event + 1);
    else if (reducedMotion()) seek(cursor.trace, previousStop(trace, Math.floor(position) + 1, 'moment'), 1);
    else seek(cursor.trace, event, Math.min(position - event + 1, ALMOST));
  };

  return {
    walkTo(goal, rate) {
      end(false);
      const { cursor, cursorFraction } = store.getState();
      if (!cursor) return Promise.resolve(false);
      let position = cursor.event - 1 + cursorFraction;
      if (position >= goal) return Promise.resolve(true);
      return new Promise((done) => {
        const cancel = frames.animate((_, elapsedMs) => {
          const eventsPerSecond = typeof rate === 'number' ? rate : rate(Math.floor(position) + 1, elapsedMs);
          position = Math.min(position + (elapsedMs / 1000) * eventsPerSecond, goal);
          put(position, goal);
          if (position < goal) return true;
          end(true);
          return false;
        });
        going = { goal, done, cancel };
      });
    },
    finish() {
      if (!going) return;
      put(going.goal, going.goal);
      end(true);
    },
    stop: () => end(false),
    reducedMotion,
  };
}
