/** The collectives of a recording: grouped by kind, group and size, and one by one. */
import { useState } from 'react';
import { bytesText } from '../../../recordings/recorded-numbers';
import type { Recording } from '../../../recordings/recording';
import type { RecordingAnalysis } from '../../../recordings/recording-analysis';
import { formatCount, formatTime } from '../../draw/format';
import { ColumnHeads } from '../../fields/column-heads';
import { ScrollRegion } from '../../fields/scroll-region';
import { formatBandwidth, inWords } from '../lanes/recorded-words';
import styles from './tables.module.css';

interface CollectivesPanelProps {
  readonly recording: Recording;
  readonly analysis: RecordingAnalysis;
}

/** The most rows of the table; more would block the page. */
const MOST = 500;

export function CollectivesPanel({ recording, analysis }: CollectivesPanelProps) {
  const [open, setOpen] = useState(false);
  if (recording.collectives.length === 0) return <p>No collectives were recorded.</p>;
  return (
    <>
      <ScrollRegion label="Collectives by kind and size" className={styles['scroll']}>
        <table>
          <ColumnHeads
            names={[
              'Collective',
              'Group',
              'Ranks',
              'Size',
              'Times',
              'Waits for the last',
              'Transfer',
              'Algorithm bandwidth',
              'Bus bandwidth',
            ]}
          />
          <tbody>
            {analysis.kinds.map((one) => (
              <tr key={`${one.kind} ${one.group} ${one.dtype} ${one.bytes}`}>
                <th scope="row">{inWords(one.kind)}</th>
                <td>{one.group}</td>
                <td>{one.ranks}</td>
                <td>{one.bytes > 0 ? `${bytesText(one.bytes)} ${one.dtype}` : ''}</td>
                <td>{formatCount(one.count)}</td>
                <td>{formatTime(one.waitedUs)}</td>
                <td>{formatTime(one.transferUs)}</td>
                <td>{formatBandwidth(one.algorithmBandwidth)}</td>
                <td>{formatBandwidth(one.busBandwidth)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <p className={styles['soft']}>
        Medians. The transfer begins when the last rank has joined. Bandwidths are sizes divided by the time of the
        transfer, computed as in nccl-tests.
      </p>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>One by one</summary>
        {open && <OneByOne recording={recording} analysis={analysis} />}
      </details>
    </>
  );
}

function OneByOne({ recording, analysis }: CollectivesPanelProps) {
  const { collectives } = recording;
  return (
    <ScrollRegion label="Collectives one by one" className={styles['scroll']}>
      <table>
        <ColumnHeads
          names={['Number', 'Collective', 'Step', 'Size', 'Last to join', 'by', 'Transfer', 'Bus bandwidth']}
        />
        <tbody>
          {collectives.slice(0, MOST).map((one) => {
            const figures = analysis.collectives[one.id];
            return (
              <tr key={one.id}>
                <th scope="row">{one.sequence}</th>
                <td>{inWords(one.kind)}</td>
                <td>{one.step}</td>
                <td>{one.bytes > 0 ? bytesText(one.bytes) : ''}</td>
                <td>{figures?.last ? `rank ${figures.last.rank}` : ''}</td>
                <td>{figures?.last ? formatTime(figures.last.byUs) : ''}</td>
                <td>{figures ? formatTime(figures.transferUs) : ''}</td>
                <td>{formatBandwidth(figures?.busBandwidth)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {collectives.length > MOST && (
        <p className={styles['soft']}>
          The first {MOST} of {formatCount(collectives.length)}; lockstep import has all of them.
        </p>
      )}
    </ScrollRegion>
  );
}
