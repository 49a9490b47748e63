/** Loss over steps: a line a rank in its hue, their mean in ink, the test loss dashed. uPlot draws; React only feeds it. */
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { must } from '../../base/invariant';
import { formatLoss, formatTick } from '../format';
import type { Palette } from '../theme';
import { usePalette, useSettled } from '../use-app';
import { type LossSeries, lossSeries } from './loss-series';
import styles from './result.module.css';

const HEIGHT = 150;
const EVERY_MS = 150;

function columns({ steps, perRank, mean, test }: LossSeries): uPlot.AlignedData {
  return [[...steps], ...perRank.map((rank) => [...rank]), [...mean], [...test]];
}

function options(palette: Palette, ranks: number, width: number): uPlot.Options {
  const axis = { stroke: palette.soft, font: `10px ${palette.sans}`, ticks: { show: false }, gap: 2 };
  const grid = { stroke: palette.hair, width: 1 };
  return {
    width,
    height: HEIGHT,
    padding: [6, 12, 0, 0],
    legend: { show: false },
    cursor: { points: { show: false }, drag: { x: false, y: false } },
    scales: {
      x: { time: false },
      y: { range: (_, low, high) => [Math.min(0, low), high === low ? low + 1 : high * 1.05] },
    },
    axes: [
      { ...axis, grid: { show: false }, size: 20, space: 44 },
      { ...axis, grid, size: 34, space: 28, values: (_, ticks) => ticks.map(formatTick) },
    ],
    series: [
      {},
      ...Array.from({ length: ranks }, (_, rank) => ({
        stroke: palette.ranks[rank] ?? palette.soft,
        width: 0.9,
        alpha: 0.6,
        points: { show: false },
      })),
      { stroke: palette.ink, width: 1.6, points: { show: false } },
      { stroke: palette.accent, width: 1.3, dash: [4, 3], spanGaps: true, points: { show: false } },
    ],
  };
}

export function LossChart() {
  const host = useRef<HTMLDivElement>(null);
  const palette = usePalette();
  const losses = useSettled((app) => app.losses, EVERY_MS);
  const evaluations = useSettled((app) => app.evaluations, EVERY_MS);
  const series = lossSeries(losses, evaluations);
  const ranks = series.perRank.length;
  const chart = useRef<uPlot>(undefined);
  useEffect(() => {
    const element = must(host.current, 'loss chart');
    const plot = new uPlot(
      options(palette, ranks, element.clientWidth),
      [[], ...Array.from({ length: ranks + 2 }, () => [])],
      element,
    );
    chart.current = plot;
    const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    resize.observe(element);
    return () => {
      resize.disconnect();
      plot.destroy();
      chart.current = undefined;
    };
  }, [palette, ranks]);
  useEffect(() => {
    chart.current?.setData(columns(series));
  });
  return (
    <figure className={styles['loss']}>
      <div ref={host} aria-hidden="true" />
      <figcaption>
        {ranks > 0 ? (
          <>
            loss, {ranks} ranks and <b>mean</b>
          </>
        ) : (
          <b>loss</b>
        )}
        {series.test.some((value) => value !== null) && (
          <>
            , <em>test</em>
          </>
        )}
      </figcaption>
      <LossTable series={series} />
    </figure>
  );
}

const TABLE_ROWS = 10;

function LossTable({ series }: { series: LossSeries }) {
  const { steps, perRank, mean, test } = series;
  const stride = Math.max(1, Math.ceil(steps.length / TABLE_ROWS));
  const rows = steps.map((_, index) => index).filter((index) => index % stride === 0 || index === steps.length - 1);
  const cell = (column: readonly (number | null)[], index: number) => formatLoss(column[index] ?? undefined);
  return (
    <details className={styles['table']}>
      <summary>As a table</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">step</th>
            {perRank.map((_, rank) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a rank is its index
              <th key={rank} scope="col">
                rank {rank}
              </th>
            ))}
            <th scope="col">mean</th>
            <th scope="col">test</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((index) => (
            <tr key={steps[index]}>
              <th scope="row">{steps[index]}</th>
              {perRank.map((rank, r) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a rank is its index
                <td key={r}>{cell(rank, index)}</td>
              ))}
              <td>{cell(mean, index)}</td>
              <td>{cell(test, index)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
