/**
 * Moves the focus from one part of the page to the next: bar, stage, timeline, set-up, result, code. From the first Tab
 * the set-up is fifty stops away; by this key it is four. The next Tab then enters the part. Called by keys.ts.
 */
export function focusNextPart(step: 1 | -1): void {
  const parts = [...document.querySelectorAll<HTMLElement>('[data-part]')].filter(
    (part) => part.getClientRects().length > 0,
  );
  const here = parts.findIndex((part) => part.contains(document.activeElement));
  const next = here < 0 && step < 0 ? parts.length - 1 : (here + step + parts.length) % parts.length;
  const part = parts[next];
  if (!part) return;
  // Only while the part has the focus: otherwise a click anywhere in it would focus it, and Space would show its focus
  // ring.
  part.tabIndex = -1;
  part.addEventListener('blur', () => part.removeAttribute('tabindex'), { once: true });
  part.focus();
}
