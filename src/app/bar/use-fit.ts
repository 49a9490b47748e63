/**
 * Keeps the bar in one row without cutting anything: measures the row, and where it is wider than its place takes away
 * one thing after the other that matters least, by the list of levels in `data-tight` that the style sheets read
 * (bar.module.css, pace-picker.module.css). Widths of the window alone do not tell: ranks have one digit or two, the
 * loss any number, and fonts differ. Used by bar.tsx.
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
    // Only a new width gives room back: a loss that has one digit less would make the bar jump.
    const resized = new ResizeObserver(() => {
      set(0);
      tighten();
    });
    const changed = new MutationObserver(tighten);
    set(0);
    tighten();
    resized.observe(element);
    changed.observe(element, { childList: true, characterData: true, subtree: true });
    return () => {
      resized.disconnect();
      changed.disconnect();
    };
  }, [bar]);
}
