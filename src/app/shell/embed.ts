/**
 * Manners inside an iframe (`embed=1`): tells the page around it the height of what it shows and what the run has come
 * to, and pauses while it is scrolled out of sight or its tab is hidden, going on as before when it is seen again.
 */
import { loadPart } from '../../base/load-part';
import type { LinkState } from '../permalink/link-state';
import type { Controller } from '../run/controller';
import type { AppStore } from '../state/store';

export interface Guest {
  readonly store: AppStore;
  readonly controller: Pick<Controller, 'player' | 'goToLinked'>;
  readonly root: HTMLElement;
  /** Where the link leads. */
  readonly state: LinkState;
  /** Asks for it again, where it was stopped on the way. */
  readonly ask: (state: LinkState) => void;
}

export function beAGoodGuest(guest: Guest): void {
  tellHeight(guest.root);
  pauseUnseen(guest);
  // Who embeds it may have any origin, and what a run has come to is no secret.
  loadPart('What an embed tells of its run', () => import('./tell-state')).then(
    ({ tellState }) => tellState(guest.store, (message) => window.parent.postMessage(message, '*')),
    () => undefined,
  );
}

/** The height of the content: nothing in an embed is as high as its frame. */
function tellHeight(root: HTMLElement): void {
  let told = 0;
  const tell = () => {
    const height = Math.ceil(root.getBoundingClientRect().height);
    if (height === told || height === 0) return;
    told = height;
    // The embedding page may have any origin; the height is no secret.
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
  // It may begin to play, or to go where the link leads, while nobody sees it.
  store.subscribe((now, before) => {
    if (now.state !== before.state) update();
  });
}
