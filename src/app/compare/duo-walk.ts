/**
 * Sets the cursors of two compared runs to the same time of the same step, and walks both over the step. Only shows
 * trained steps, trains none. Called by duo.ts.
 */
import type { StoreApi } from 'zustand/vanilla';
import type { Frames } from '../draw/frames';
import { createTrack, endOf, previousTime } from './duo-clock';
import type { DuoState } from './duo-state';
import type { BothSides } from './training-turns';

export interface DuoWalk {
  put(timeUs: number): void;
  /** Shows a step of both runs at a time within it. */
  show(step: number, timeUs: number): void;
  /** Resolves to true at the goal, to false if stopped earlier. */
  walkTo(goalUs: number, seconds: number): Promise<boolean>;
  /** Jumps to the goal of the walk. */
  finish(): void;
}

interface DuoWalkOptions {
  readonly sides: BothSides;
  readonly state: StoreApi<DuoState>;
  readonly frames: Frames;
  readonly reducedMotion: () => boolean;
}

export function createDuoWalk({ sides, state, frames, reducedMotion }: DuoWalkOptions): DuoWalk {
  let walking: { readonly goalUs: number; readonly end: (arrived: boolean) => void } | undefined;

  const put = (timeUs: number) => {
    const { tracks } = state.getState();
    sides.forEach(({ store }, index) => {
      const place = tracks[index]?.placeAt(timeUs);
      const at = place ? store.getState().traces.indexOf(place.trace) : -1;
      if (place && at >= 0) store.getState().seek(at, place.event, place.fraction);
    });
    state.setState({ timeUs });
  };

  return {
    put,
    show(step, timeUs) {
      const { clock } = sides[0].store.getState();
      for (const { store, controller } of sides) {
        controller.player.halt();
        store.getState().setClock(clock);
      }
      const tracks = sides.map(({ store }) =>
        createTrack(
          store.getState().traces.filter((trace) => trace.step === step && trace.kind.type !== 'construct'),
          clock,
        ),
      );
      state.setState({ step, tracks });
      put(Math.min(timeUs, endOf(tracks)));
    },
    walkTo(goalUs, seconds) {
      walking?.end(false);
      const { tracks, timeUs: from } = state.getState();
      if (from >= goalUs) return Promise.resolve(true);
      return new Promise((resolve) => {
        let timeUs = from;
        const cancel = frames.animate((_, elapsedMs) => {
          timeUs = Math.min(goalUs, timeUs + ((goalUs - from) * elapsedMs) / (1000 * seconds));
          const still = reducedMotion() && timeUs < goalUs;
          put(still ? Math.max(from, previousTime(tracks, timeUs, 'moment')) : timeUs);
          if (timeUs >= goalUs) walking?.end(true);
          return timeUs < goalUs;
        });
        walking = {
          goalUs,
          end: (arrived) => {
            walking = undefined;
            cancel();
            resolve(arrived);
          },
        };
      });
    },
    finish() {
      const { goalUs, end } = walking ?? {};
      if (goalUs !== undefined) put(goalUs);
      end?.(false);
    },
  };
}
