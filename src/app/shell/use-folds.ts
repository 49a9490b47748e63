/**
 * A fold that somebody opens comes into view with what it holds, which may be fetched only then: else one at the foot
 * of a panel that scrolls opens below what is seen. At once, without motion; it ends with the next key, press or wheel.
 */
import { useEffect } from 'react';

const ENDS = ['keydown', 'pointerdown', 'wheel'] as const;

export function useFolds(): void {
  useEffect(() => {
    let leave: (() => void) | undefined;
    // Enter and the space bar click, too.
    const onClick = ({ target }: MouseEvent) => {
      const fold = target instanceof Element ? target.closest('summary')?.parentElement : undefined;
      leave?.();
      leave = fold instanceof HTMLDetailsElement && !fold.open ? follow(fold) : undefined;
    };
    document.addEventListener('click', onClick, { capture: true });
    return () => {
      leave?.();
      document.removeEventListener('click', onClick, { capture: true });
    };
  }, []);
}

/** Until somebody does something else. */
function follow(fold: HTMLDetailsElement): () => void {
  const grown = new ResizeObserver(() => {
    if (fold.open) fold.scrollIntoView({ block: 'nearest' });
  });
  const leave = () => {
    grown.disconnect();
    for (const kind of ENDS) window.removeEventListener(kind, leave);
  };
  grown.observe(fold);
  for (const kind of ENDS) window.addEventListener(kind, leave, { passive: true });
  return leave;
}
