/**
 * All folds (<details>) of the page. A fold that the user opens is scrolled into view with its content, which may be
 * fetched only then; otherwise a fold at the foot of a panel would open out of view. Scrolling ends with the next key,
 * press or wheel. Escape closes the innermost open fold around the focus and puts the focus on its summary. Dialogs,
 * sheets and fields use Escape themselves. Called by app.tsx.
 */
import { useEffect } from 'react';

const ENDS = ['keydown', 'pointerdown', 'wheel'] as const;

export function useFolds(): void {
  useEffect(() => {
    let leave: (() => void) | undefined;
    // Enter and the space bar also cause a click.
    const onClick = ({ target }: MouseEvent) => {
      const fold = target instanceof Element ? target.closest('summary')?.parentElement : undefined;
      leave?.();
      leave = fold instanceof HTMLDetailsElement && !fold.open ? follow(fold) : undefined;
    };
    document.addEventListener('click', onClick, { capture: true });
    document.addEventListener('keydown', closeWithEscape);
    return () => {
      leave?.();
      document.removeEventListener('keydown', closeWithEscape);
      document.removeEventListener('click', onClick, { capture: true });
    };
  }, []);
}

function closeWithEscape(event: KeyboardEvent): void {
  const { target } = event;
  if (event.key !== 'Escape' || event.defaultPrevented || !(target instanceof Element)) return;
  if (target.matches('input:not([type="range"], [type="checkbox"], [type="radio"]), textarea, select')) return;
  if (target.closest('dialog, [popover]')) return;
  const fold = target.closest('details[open]');
  const summary = fold?.querySelector('summary');
  if (!(fold instanceof HTMLDetailsElement) || !summary) return;
  // One press closes one thing: the same press must not also remove a pin.
  event.preventDefault();
  event.stopPropagation();
  fold.open = false;
  summary.focus();
}

/** Keeps the fold in view until the user does something else. */
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
