/**
 * Keeps the bar in one row without cutting anything: measures the row and, while it is too wide, hides the least
 * important parts one after the other, by levels in `data-tight` that the style sheets read (bar.module.css,
 * pace-picker.module.css). The window's width alone does not decide: the numbers of ranks and the loss vary in digits,
 * and fonts differ. Used by bar.tsx.
 */
import { type RefObject, useLayoutEffect } from 'react';

const LEVELS = ['1', '2', '3', '4', '5', '6'] as const;

export function useFit(bar: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = bar.current;
    if (!element) return;
    let level = 0;
    const set = (next: number) => {
      level = next;
      element.dataset['tight'] = LEVELS.slice(0, next).join(' ');
    };
    const tighten = () => {
      while (level < LEVELS.length && element.scrollWidth > element.clientWidth) set(level + 1);
    };
    const refit = () => {
      set(0);
      tighten();
    };
    const invites = () => element.querySelector('[data-inviting]') !== null;
    let inviting = invites();
    // Only a new width, or the end of the invitation to press Play, brings hidden parts back: otherwise a loss with one
    // digit less would make the bar jump.
    const resized = new ResizeObserver(refit);
    const changed = new MutationObserver(() => {
      const before = inviting;
      inviting = invites();
      if (before && !inviting) refit();
      else tighten();
    });
    refit();
    resized.observe(element);
    changed.observe(element, { childList: true, characterData: true, subtree: true });
    return () => {
      resized.disconnect();
      changed.disconnect();
    };
  }, [bar]);
}
