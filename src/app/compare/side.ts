/**
 * The second of two compared runs: a store, a walker, a session in a separate worker and a controller, as main.tsx
 * makes them for the page. It ends with the comparison. The first run is the page's own.
 */
import type { Config } from '../../protocol/config';
import type { Files } from '../../protocol/session';
import { createArrival } from '../address/arrival';
import { createLinkedViews, type LinkedViews } from '../address/linked-views';
import type { Frames } from '../draw/frames';
import type { ViewOptions } from '../permalink/permalink-view';
import { type Controller, createController } from '../run/controller';
import { type SessionClient, startSession } from '../run/session-client';
import { type AppStore, createAppStore } from '../state/store';
import { createWalker } from '../transport/walker';

/** One of the two compared runs. */
export interface Side {
  readonly store: AppStore;
  readonly controller: Controller;
}

export interface SecondSide extends Side {
  readonly linked: LinkedViews;
  /** Ends the run's worker. */
  end(): void;
}

export interface SecondSideOptions {
  readonly config: Config;
  /** The page's configuration, which runs if run B's is refused. */
  readonly first: Config;
  readonly files: Files;
  readonly view: ViewOptions;
  readonly frames: Frames;
  readonly reducedMotion: () => boolean;
  readonly onRuns: (origin: 'edit' | 'link') => void;
}

export function openSecondSide(options: SecondSideOptions): SecondSide {
  const store = createAppStore(options.config, options.view);
  const linked = createLinkedViews();
  const started = new Set<SessionClient>();
  const controller = createController({
    store,
    walker: createWalker(store, options.frames, options.reducedMotion),
    startSession: (listener) => {
      const client = startSession(listener);
      started.add(client);
      return client;
    },
    arrival: createArrival(store, linked),
    onRuns: options.onRuns,
    instead: { config: options.first, words: 'Run A’s settings run as B instead.' },
  });
  controller.trainOn(options.files, options.config);
  return {
    store,
    controller,
    linked,
    end() {
      controller.player.halt();
      for (const client of started) client.end();
    },
  };
}
