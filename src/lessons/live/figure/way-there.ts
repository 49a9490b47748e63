/**
 * Leads the run of a figure to the moment of its link, with the settings that the reader has changed, and reports when
 * it arrives, or why it cannot. Called by figure-run.ts.
 */
import { BEGINNING, FULL_SPEED, type Pace, setByHand } from '../../../app/pace/pace';
import type { Changes, FigureSpec } from '../../lesson';
import { linkOf, readLink } from '../../run-link';
import type { FigureRunOptions } from './figure-face';
import { createParts, type RunParts } from './run-parts';

/** A calm pace, or full speed, unless the link sets another. */
const paceOf = ({ starts }: FigureSpec): Pace =>
  starts === 'train' ? setByHand(FULL_SPEED) : { ...BEGINNING, held: true };

export interface WayThere {
  readonly parts: RunParts;
  hasBegun(): boolean;
  /** Resolves when the moment is shown. */
  lead(changes: Changes): Promise<void>;
}

/** `onThere`: called at each arrival. */
export function createWayThere(options: FigureRunOptions, onThere: () => void): WayThere {
  const { spec } = options;
  let begun = false;
  let waiting: (() => void)[] = [];
  const onArrived = () => {
    // A newer lead() has overtaken this one.
    if (store.getState().state === 'loading') return;
    state.setState({ there: true, leading: false, failure: undefined });
    for (const go of waiting) go();
    waiting = [];
    onThere();
  };
  const parts = createParts(options, onArrived);
  const { services, state, arrival } = parts;
  const { store, controller } = services;
  return {
    parts,
    hasBegun: () => begun,
    lead(changes) {
      const { config, state: at, view } = readLink(linkOf(spec.run, changes));
      begun = true;
      state.setState({ changes, leading: true, failure: undefined });
      store.getState().setPace(paceOf(spec));
      store.getState().setView({ exhibit: view.exhibit });
      arrival.ask(at);
      const there = new Promise<void>((resolve) => waiting.push(resolve));
      if (store.getState().state === 'failed') {
        store.getState().setConfig(config);
        controller.restart();
      } else controller.apply(config, 'link');
      return there;
    },
  };
}

/** Until the figure arrives, copies errors into the figure's state. Returns a function that ends this. */
export function watchForFailure({ services, state }: RunParts): () => void {
  return services.store.subscribe(({ state: is, notices, busy }) => {
    if (state.getState().there || state.getState().failure !== undefined) return;
    const wrong = notices.find(({ level }) => level === 'error');
    if (!wrong && is !== 'failed') return;
    state.setState({ failure: wrong ? `${wrong.text} ${wrong.hint}`.trim() : busy });
  });
}
