/**
 * The wheel over lanes: sideways, or with Shift, it pans; else it zooms about where the pointer is. If the panel or the
 * page scrolls, the wheel scrolls it, and Ctrl or Command zooms, as in maps.
 */
import { type RefObject, useEffect, useRef } from 'react';

export interface WheelHands {
  /** Whether the panel scrolls; the hook itself checks the page. */
  scrolls?(): boolean;
  pan(pixels: number): void;
  /** `factor` > 1: larger; about `x`, in pixels from the left of the element. */
  zoom(factor: number, x: number): void;
}

const SPEED = 0.0022;

const pageScrolls = (): boolean => document.documentElement.scrollHeight > window.innerHeight + 1;

export function useWheel(target: RefObject<HTMLElement | null>, hands: WheelHands): void {
  const latest = useRef(hands);
  latest.current = hands;
  useEffect(() => {
    const element = target.current;
    if (!element) return;
    const onWheel = (event: WheelEvent) => {
      const { scrolls, pan, zoom } = latest.current;
      const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
      const asked = event.ctrlKey || event.metaKey;
      if (!sideways && !asked && (scrolls?.() || pageScrolls())) return;
      event.preventDefault();
      const x = event.clientX - element.getBoundingClientRect().left;
      if (sideways) pan(event.deltaX || event.deltaY);
      else zoom(Math.exp(-event.deltaY * SPEED * (event.ctrlKey ? 4 : 1)), x);
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [target]);
}
