/** The element that receives pointer and keyboard on the timeline: a slider over the step's events. */
import type { KeyboardEvent, RefObject } from 'react';
import { cursorText } from '../lanes/event-label';
import styles from '../lanes/lanes.module.css';
import type { useLanesPointer } from '../lanes/use-lanes-pointer';
import { useApp, useSettled } from '../state/use-app';

interface HandProps {
  readonly hand: RefObject<HTMLDivElement | null>;
  readonly locked: boolean;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly hands: ReturnType<typeof useLanesPointer>;
}

export function Hand({ hand, locked, onKeyDown, hands }: HandProps) {
  const cursor = useSettled((app) => app.cursor, 80);
  const traces = useSettled((app) => app.traces, 80);
  const clock = useApp((app) => app.clock);
  const trace = cursor && traces[cursor.trace];
  return (
    <div
      ref={hand}
      className={styles['hand']}
      role="slider"
      tabIndex={0}
      aria-label="Time cursor"
      aria-disabled={locked || undefined}
      aria-valuemin={0}
      aria-valuemax={trace?.events.length ?? 0}
      aria-valuenow={(cursor?.event ?? -1) + 1}
      aria-valuetext={trace ? cursorText(trace, clock, cursor.event) : 'nothing has run yet'}
      onKeyDown={onKeyDown}
      {...hands}
    />
  );
}
