/** The read files: kind, length and clock of each. */
import type { Imported } from '../../../recordings/imported';
import { bytesText } from '../../../recordings/recorded-numbers';
import type { ClockOffset } from '../../../recordings/recording';
import { formatCount, formatTime } from '../../draw/format';
import { ColumnHeads } from '../../fields/column-heads';
import { ScrollRegion } from '../../fields/scroll-region';
import styles from './tables.module.css';

interface FilesPanelProps {
  readonly imported: Imported;
  readonly timeline: boolean;
}

const KINDS: Readonly<Record<Imported['sources'][number]['kind'], string>> = {
  kineto: 'torch.profiler',
  'chrome-trace': 'Chrome trace',
  lockstep: 'trace of Lockstep',
  'flight-recorder': 'flight recorder',
  'collectives-table': 'table of collectives',
};

export function FilesPanel({ imported: { sources, recording }, timeline }: FilesPanelProps) {
  const clocks = recording?.clocks ?? [];
  return (
    <>
      <ScrollRegion label="Files" className={styles['scroll']}>
        <table>
          <ColumnHeads
            names={['File', 'What', 'Rank', 'Size', 'Entries', 'Host', 'Backend', ...(timeline ? ['Clock'] : [])]}
          />
          <tbody>
            {sources.map((source) => (
              <tr key={source.file}>
                <th scope="row">{source.file}</th>
                <td>{KINDS[source.kind]}</td>
                <td>{source.rank}</td>
                <td>{bytesText(source.bytes)}</td>
                <td>{formatCount(source.entries)}</td>
                <td>{source.host}</td>
                <td>{[source.backend, source.device].filter(Boolean).join(', ')}</td>
                {timeline && <td>{clockWords(clocks.find(({ rank }) => rank === source.rank))}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {timeline && clocks.length > 1 && (
        <p className={styles['soft']}>
          Clocks are aligned where they differ: the ends of a collective are at the same time on all of its ranks.
        </p>
      )}
    </>
  );
}

function clockWords(clock: ClockOffset | undefined): string {
  if (!clock) return '';
  if (clock.appliedUs === 0) return 'as recorded';
  return `moved by ${formatTime(Math.abs(clock.appliedUs))}`;
}
