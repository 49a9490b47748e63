/**
 * The line between stage and timeline: the user drags it, moves it with the arrow keys, or resets it with Enter or a
 * double click. The store keeps its place; before the first move, the page's own proportions apply. It exists only if
 * the page fits on one screen.
 */
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { lookup } from '../../base/lookup';
import { clamp } from '../draw/geometry';
import { useApp, useAppStore } from '../state/use-app';
import styles from './divider.module.css';

/** The limits of the timeline's share of the height. */
const LEAST = 0.12;
const MOST = 0.72;
const STEP = 0.02;
const PAGE = 0.1;

export function Divider() {
  const store = useAppStore();
  const split = useApp((app) => app.split);
  const line = useRef<HTMLHRElement>(null);
  /** The part above the line, in per cent of the height, as the page has laid it out. */
  const [above, setAbove] = useState(62);
  useEffect(() => {
    const both = line.current?.parentElement;
    if (!both) return;
    const measure = () => {
      const at = line.current?.offsetTop ?? 0;
      if (at > 0) setAbove(Math.round((100 * at) / both.clientHeight));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(both);
    if (split !== undefined) measure();
    return () => observer.disconnect();
  }, [split]);

  const put = (share: number | undefined) =>
    store.getState().setSplit(share === undefined ? undefined : clamp(share, LEAST, MOST));
  const drag = (event: PointerEvent) => {
    const both = line.current?.parentElement?.getBoundingClientRect();
    if (both && event.currentTarget.hasPointerCapture(event.pointerId))
      put((both.bottom - event.clientY) / both.height);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const now = split ?? 1 - above / 100;
    const to = lookup(
      {
        ArrowUp: now + STEP,
        ArrowDown: now - STEP,
        PageUp: now + PAGE,
        PageDown: now - PAGE,
        Home: MOST,
        End: LEAST,
      },
      event.key,
    );
    if (to === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    event.stopPropagation();
    put(to);
  };
  return (
    <hr
      ref={line}
      className={styles['divider']}
      tabIndex={0}
      aria-label="Stage and timeline"
      aria-orientation="horizontal"
      aria-valuemin={Math.round(100 * (1 - MOST))}
      aria-valuemax={Math.round(100 * (1 - LEAST))}
      aria-valuenow={above}
      aria-valuetext={`stage ${above} %`}
      title="Drag to give the stage or the timeline more room; double-click to reset"
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onDoubleClick={() => put(undefined)}
      onKeyDown={onKeyDown}
    />
  );
}
