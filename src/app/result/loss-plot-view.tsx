/**
 * The drawn loss chart in React: makes the plot anew when its lines or colours change. loss-chart.tsx loads it with the
 * first curve.
 */
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { must } from '../../base/invariant';
import { usePalette } from '../draw/drawing';
import { createLossPlot, type LossPlot } from './loss-plot';
import type { LossSeries } from './loss-series';

interface LossPlotViewProps {
  readonly series: LossSeries;
  /** It draws from now on. */
  readonly onThere: () => void;
}

export function LossPlotView({ series, onThere }: LossPlotViewProps) {
  // Before the browser paints: the axes of before and the plot must not share the place.
  useLayoutEffect(onThere, [onThere]);
  const host = useRef<HTMLDivElement>(null);
  const palette = usePalette();
  const ranks = series.perRank.length;
  const [plot, setPlot] = useState<LossPlot>();
  useEffect(() => {
    const made = createLossPlot(must(host.current, 'a place for the loss chart'), palette, ranks);
    setPlot(made);
    return () => {
      setPlot(undefined);
      made.destroy();
    };
  }, [palette, ranks]);
  useEffect(() => {
    plot?.show(series);
  }, [plot, series]);
  return <div ref={host} aria-hidden="true" style={{ height: '100%' }} />;
}
