/** Tables of nccl-tests and of lockstep collectives: bus bandwidth over size, beside that of the recorded run. */
import { useEffect, useMemo, useRef } from 'react';
import { must } from '../../../base/invariant';
import type { RecordingAnalysis } from '../../../recordings/recording-analysis';
import type { CollectivesTable } from '../../../recordings/tables/collectives-table';
import { usePalette } from '../../draw/canvas-context';
import { formatSize, formatTime } from '../../draw/format';
import { ColumnHeads } from '../../fields/column-heads';
import { ScrollRegion } from '../../fields/scroll-region';
import { formatBandwidth, inWords } from '../lanes/recorded-words';
import { type BandwidthLine, createBandwidthPlot } from './bandwidth-plot';
import styles from './tables.module.css';

interface NcclPanelProps {
  readonly tables: readonly CollectivesTable[];
  readonly analysis: RecordingAnalysis | undefined;
}

/** One line for each timing of each table; the recorded run is dots, by its medians. */
function linesOf(
  tables: readonly CollectivesTable[],
  analysis: RecordingAnalysis | undefined,
): readonly BandwidthLine[] {
  const lines = tables.flatMap(({ file, rows }) => {
    const labels = [...new Set(rows.flatMap(({ timings }) => timings.map(({ label }) => label)))];
    return labels.map((label): BandwidthLine => {
      const points = rows.flatMap(({ bytes, timings }) => {
        const timing = timings.find((one) => one.label === label);
        return timing && bytes > 0 && timing.busBandwidth > 0 ? [{ bytes, value: timing.busBandwidth }] : [];
      });
      return { name: tables.length > 1 ? `${file}, ${label}` : label, dots: false, points };
    });
  });
  const recorded = (analysis?.kinds ?? []).flatMap(({ bytes, busBandwidth }) =>
    bytes > 0 && busBandwidth !== undefined ? [{ bytes, value: busBandwidth }] : [],
  );
  return recorded.length > 0 ? [...lines, { name: 'the recorded run', dots: true, points: recorded }] : lines;
}

export function NcclPanel({ tables, analysis }: NcclPanelProps) {
  const lines = useMemo(() => linesOf(tables, analysis), [tables, analysis]);
  return (
    <>
      <Plot lines={lines} />
      {tables.map((table) => (
        <OneTable key={table.file} table={table} />
      ))}
    </>
  );
}

function Plot({ lines }: { readonly lines: readonly BandwidthLine[] }) {
  const host = useRef<HTMLDivElement>(null);
  const palette = usePalette();
  useEffect(() => {
    const plot = createBandwidthPlot(must(host.current, 'a place for the chart'), palette, lines);
    return () => plot.destroy();
  }, [palette, lines]);
  return (
    <figure className={styles['figure']}>
      <figcaption>bus bandwidth in GB/s over the size of the message</figcaption>
      <div ref={host} className={styles['plot']} aria-hidden="true" />
    </figure>
  );
}

function OneTable({ table: { file, tool, kind, ranks, rows } }: { readonly table: CollectivesTable }) {
  return (
    <ScrollRegion label={`Table of ${file}`} className={styles['scroll']}>
      <table>
        <caption>
          {file}: {tool}
          {kind !== '' && `, ${inWords(kind)}`}
          {ranks !== undefined && `, ${ranks} ${ranks === 1 ? 'rank' : 'ranks'}`}
        </caption>
        <ColumnHeads names={['Size', 'Type', 'Timing', 'Time', 'Algorithm bandwidth', 'Bus bandwidth', 'Wrong']} />
        <tbody>
          {rows.flatMap(({ bytes, dtype, timings }) =>
            timings.map(({ label, timeUs, algorithmBandwidth, busBandwidth, wrong }) => (
              <tr key={`${bytes} ${dtype} ${label}`}>
                <th scope="row">{formatSize(bytes)}</th>
                <td>{dtype}</td>
                <td>{label}</td>
                <td>{formatTime(timeUs)}</td>
                <td>{formatBandwidth(algorithmBandwidth)}</td>
                <td>{formatBandwidth(busBandwidth)}</td>
                <td>{wrong ?? ''}</td>
              </tr>
            )),
          )}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
