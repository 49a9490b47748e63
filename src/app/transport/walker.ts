/**
 * Walks the store's cursor over the events of its trace at a given pace: the one place where time moves the cursor.
 * With reduced motion it goes from event to event without what lies between. It knows nothing of sessions; player.ts
 * sends it.
 */

import type { AppStore } from '../state/store';
import type { Frames } from './frames';

export interface Walker {
  /**
   * Walks on to the end of event `goal` of the cursor's trace; resolves true there, false when it was stopped before.
   */
  walkTo(goal: number, eventsPerSecond: number): Promise<boolean>;
  /** Jumps to where it was going. */
  finish(): void;
  /** Stays where it is. */
  stop(): void;
  /** Whoever sees the walk wants no motion. */
  reducedMotion(): boolean;
}

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

  /** Event 3 at fraction 0.5 is position 2.5: everything up to event 2 is done, event 3 is half way. */
  const put = (position: number) => {
    const { cursor, seek } = store.getState();
    if (!cursor) return;
    // Between the first two places ceil() gives -0, which is not an index.
    const event = Math.ceil(position) + 0;
    if (reducedMotion()) seek(cursor.trace, Math.floor(position), 1);
    else seek(cursor.trace, event, position - event + 1);
  };

  return {
    walkTo(goal, eventsPerSecond) {
      end(false);
      const { cursor, cursorFraction } = store.getState();
      if (!cursor) return Promise.resolve(false);
      let position = cursor.event - 1 + cursorFraction;
      if (position >= goal) return Promise.resolve(true);
      return new Promise((done) => {
        const cancel = frames.animate((_, elapsedMs) => {
          position = Math.min(position + (elapsedMs / 1000) * eventsPerSecond, goal);
          put(position);
          if (position < goal) return true;
          end(true);
          return false;
        });
        going = { goal, done, cancel };
      });
    },
    finish() {
      if (!going) return;
      const { cursor, seek } = store.getState();
      if (cursor) seek(cursor.trace, going.goal, 1);
      end(true);
    },
    stop: () => end(false),
    reducedMotion,
  };
}
