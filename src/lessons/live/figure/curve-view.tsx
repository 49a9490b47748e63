/**
 * Memory of rank 0 over the step at the cursor, beside the memory that DDP would need: the curve of the set-up panel,
 * as a figure.
 */
import { useMemo, useRef } from 'react';
import { useSize } from '../../../app/draw/use-surface';
import { shownCurve } from '../../../app/setup/sharding/curve';
import { CurveFigure } from '../../../app/setup/sharding/curve-figure';
import { useApp } from '../../../app/state/use-app';

export function CurveView() {
  const host = useRef<HTMLDivElement>(null);
  const { width } = useSize(host);
  const info = useApp((app) => app.info);
  const trace = useApp((app) => app.cursor && app.traces[app.cursor.trace]);
  const event = useApp((app) => app.cursor?.event);
  const curve = useMemo(() => (info && trace ? shownCurve(info, trace) : undefined), [info, trace]);
  return (
    <div ref={host}>
      {curve && trace && width > 0 && <CurveFigure curve={curve} trace={trace} event={event} width={width} />}
    </div>
  );
}
