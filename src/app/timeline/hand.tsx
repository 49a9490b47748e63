/** The slider over the step's events, which receives pointer and keyboard on the timeline. */
import { cursorText } from '../lanes/event-label';
import { LanesSlider } from '../lanes/lanes-canvas';
import type { Lanes } from '../lanes/use-lanes';
import { useApp, useSettled } from '../state/use-app';

interface HandProps {
  readonly lanes: Pick<Lanes<unknown>, 'hand' | 'listeners'>;
  readonly locked: boolean;
}

export function Hand({ lanes, locked }: HandProps) {
  const cursor = useSettled((app) => app.cursor, 80);
  const traces = useSettled((app) => app.traces, 80);
  const clock = useApp((app) => app.clock);
  const trace = cursor && traces[cursor.trace];
  return (
    <LanesSlider
      lanes={lanes}
      label="Time cursor"
      now={(cursor?.event ?? -1) + 1}
      last={trace?.events.length ?? 0}
      text={trace ? cursorText(trace, clock, cursor.event) : 'nothing has run yet'}
      disabled={locked}
    />
  );
}
