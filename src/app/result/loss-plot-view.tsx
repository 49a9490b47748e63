/**
 * The loss plot as a React component: makes a new plot when its lines or colours change. loss-chart.tsx loads it with
 * the first curve.
 */
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { must } from '../../base/invariant';
import { usePalette } from '../draw/canvas-context';
import { createLossPlot, type LossPlot } from './loss-plot';
import type { LossSeries } from './loss-series';

interface LossPlotViewProps {
  readonly series: LossSeries;
  /** Called once the plot draws. */
  readonly onThere: () => void;
}

export function LossPlotView({ series, onThere }: LossPlotViewProps) {
  // A layout effect runs before the browser paints, so the first axes and the plot never share a frame.
  useLayoutEffect(onThere, [onThere]);
  const host = useRef<HTMLDivElement>(null);
  const palette = usePalette();
  const devices = series.perPart.map(({ device }) => device).join(' ');
  const [plot, setPlot] = useState<LossPlot>();
  useEffect(() => {
    const made = createLossPlot(
      must(host.current, 'a place for the loss chart'),
      palette,
      devices === '' ? [] : devices.split(' ').map(Number),
    );
    setPlot(made);
    return () => {
      setPlot(undefined);
      made.destroy();
    };
  }, [palette, devices]);
  useEffect(() => {
    plot?.show(series);
  }, [plot, series]);
  return <div ref={host} aria-hidden="true" style={{ height: '100%' }} />;
}
