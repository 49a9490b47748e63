/**
 * The behaviour inside an iframe (`embed=1`): sends the embedding page the height of the content and the state of the
 * run, pauses while the frame is scrolled out of view or its tab is hidden, and resumes when it is visible again.
 * Loaded only by embeds.
 */
import type { LinkState } from '../permalink/link-state';
import type { Controller } from '../run/controller';
import type { AppStore } from '../state/store';
import { tellState } from './tell-state';

export interface Guest {
  readonly store: AppStore;
  readonly controller: Pick<Controller, 'player' | 'goToLinked'>;
  readonly root: HTMLElement;
  /** The state to which the link leads. */
  readonly state: LinkState;
  /** Requests this state again, if the run was stopped on the way. */
  readonly ask: (state: LinkState) => void;
}

export function beAGoodGuest(guest: Guest): void {
  tellHeight(guest.root);
  pauseUnseen(guest);
  // The embedding page may have any origin; the state of a run is not a secret.
  tellState(guest.store, (message) => window.parent.postMessage(message, '*'));
}

/** Sends the height of the content; in an embed, no element takes its height from the frame. */
function tellHeight(root: HTMLElement): void {
  let told = 0;
  const tell = () => {
    const height = Math.ceil(root.getBoundingClientRect().height);
    if (height === told || height === 0) return;
    told = height;
    // The embedding page may have any origin; the height is not a secret.
    window.parent.postMessage({ type: 'lockstep:height', height }, '*');
  };
  new ResizeObserver(tell).observe(root);
}

function pauseUnseen({ store, controller, root, state, ask }: Guest): void {
  const { player } = controller;
  let resume: (() => void) | undefined;
  let onScreen = true;
  const goOn = () => {
    ask(state);
    controller.goToLinked();
  };
  const update = () => {
    const seen = onScreen && document.visibilityState === 'visible';
    const { state: is, goingTo } = store.getState();
    if (!seen && is === 'playing') {
      resume = goingTo === undefined ? player.play : goOn;
      player.pause();
    } else if (seen && resume) {
      const go = resume;
      resume = undefined;
      go();
    }
  };
  new IntersectionObserver((entries) => {
    onScreen = entries.at(-1)?.isIntersecting ?? true;
    update();
  }).observe(root);
  document.addEventListener('visibilitychange', update);
  // The run may begin to play, or to go to the link's moment, while the frame is out of view.
  store.subscribe((now, before) => {
    if (now.state !== before.state) update();
  });
}
