/**
 * Manners inside an iframe (`embed=1`): tells its height to the page around it, and pauses while it is scrolled out of
 * sight or its tab is hidden, going on when it is seen again.
 */

import type { AppStore } from '../state/store';
import type { Transport } from '../transport/transport';

export function beAGoodGuest(store: AppStore, player: Transport, root: HTMLElement): void {
  const tellHeight = () => {
    const height = Math.ceil(root.getBoundingClientRect().height);
    // The embedding page may have any origin; the height is no secret.
    window.parent.postMessage({ type: 'lockstep:height', height }, '*');
  };
  new ResizeObserver(tellHeight).observe(root);

  let resume = false;
  let onScreen = true;
  const update = () => {
    const seen = onScreen && document.visibilityState === 'visible';
    if (!seen && store.getState().state === 'playing') {
      resume = true;
      player.pause();
    } else if (seen && resume) {
      resume = false;
      player.play();
    }
  };
  new IntersectionObserver((entries) => {
    onScreen = entries.at(-1)?.isIntersecting ?? true;
    update();
  }).observe(root);
  document.addEventListener('visibilitychange', update);
}
