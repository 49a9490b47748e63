/**
 * The timeline's selection: a selected span is pinned on the whole page, and the cursor moves to it; a selected gap
 * concerns only the timeline.
 */
import { useEffect, useMemo, useState } from 'react';
import type { StepTrace } from '../../protocol/trace';
import { useController } from '../run/use-controller';
import { useApp, useAppStore } from '../state/use-app';
import type { Selection } from './selection';
import type { IdleStretch } from './timeline-scene';

export function useSelection(locked: boolean) {
  const store = useAppStore();
  const { player } = useController();
  const pinned = useApp((app) => app.pinned);
  const trace = useApp((app) => app.cursor && app.traces[app.cursor.trace]);
  const clock = useApp((app) => app.clock);
  const [idle, setIdle] = useState<{
    readonly stretch: IdleStretch;
    readonly trace: StepTrace | undefined;
    readonly clock: string;
  }>();
  const go = (event: number, fraction = 1) => {
    const { cursor, seek } = store.getState();
    if (!cursor || locked) return;
    // The player's seek stops playing; the timeline sets the fraction itself.
    player.seek(cursor.trace, event);
    if (fraction < 1) seek(cursor.trace, event, fraction);
  };
  const select = (next: Selection | undefined) => {
    const { pin, pinned: now } = store.getState();
    setIdle(next?.kind === 'idle' ? { stretch: next.stretch, trace, clock } : undefined);
    if (next?.kind === 'event') {
      go(next.event);
      if (now !== next.event) pin(next.event);
    } else pin(undefined);
  };
  const selection = useMemo((): Selection | undefined => {
    if (pinned !== undefined)
      return trace && pinned < trace.events.length ? { kind: 'event', event: pinned } : undefined;
    return idle && idle.trace === trace && idle.clock === clock ? { kind: 'idle', stretch: idle.stretch } : undefined;
  }, [pinned, idle, trace, clock]);
  // Forgets a selection in another step, so that it does not reappear with that step.
  useEffect(() => {
    if (idle && (idle.trace !== trace || idle.clock !== clock)) setIdle(undefined);
  }, [idle, trace, clock]);
  return { selection, select, go };
}
