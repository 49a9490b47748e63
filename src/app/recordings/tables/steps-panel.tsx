/** The shares of each rank's time: bars on one scale, and the numbers, for the mean of all steps and for each step. */
import { useState } from 'react';
import { bytesText } from '../../../recordings/recorded-numbers';
import type { IdleShare, RecordingAnalysis, StepOfRank } from '../../../recordings/recording-analysis';
import { formatTime, NONE } from '../../draw/format';
import { ColumnHeads } from '../../fields/column-heads';
import { ScrollRegion } from '../../fields/scroll-region';
import { Key, Patch } from '../../lanes/key';
import styles from './tables.module.css';

const COLUMNS = [
  'Rank',
  'Where the time goes',
  'Step',
  'Computes',
  'Communicates',
  'hidden',
  'waits for others',
  'exposed transfer',
  'Idle',
  'Bytes',
  'Idle, and why',
];

const MEAN = 'mean';

export function StepsPanel({ analysis }: { readonly analysis: RecordingAnalysis }) {
  const steps = [...new Set(analysis.steps.map(({ step }) => step))];
  const [chosen, setChosen] = useState<string>(MEAN);
  const rows = chosen === MEAN ? analysis.ranks : analysis.steps.filter(({ step }) => String(step) === chosen);
  const longest = Math.max(1, ...rows.map(({ durUs }) => durUs));
  return (
    <>
      {steps.length > 1 && (
        <label className={styles['choice']}>
          Of{' '}
          <select value={chosen} onChange={(event) => setChosen(event.target.value)}>
            <option value={MEAN}>{steps.length} steps, their mean</option>
            {steps.map((step) => (
              <option key={step} value={String(step)}>
                step {step}
              </option>
            ))}
          </select>
        </label>
      )}
      <ScrollRegion label="Time of each rank" className={styles['scroll']}>
        <table data-ends="words">
          <ColumnHeads names={COLUMNS} />
          <tbody>
            {rows.map((row) => (
              <Row key={`${row.step} ${row.rank}`} row={row} longest={longest} />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <Key entries={PARTS.map(({ look, words }) => [look, words])} className={styles['legend']} />
    </>
  );
}

const PARTS = [
  { look: 'compute', words: 'computes', of: (row: StepOfRank) => row.computeUs - row.overlapUs },
  { look: 'hidden', words: 'computes and communicates', of: (row: StepOfRank) => row.overlapUs },
  { look: 'waits', words: 'waits for others', of: (row: StepOfRank) => row.waitingUs },
  { look: 'exposed', words: 'exposed transfer', of: (row: StepOfRank) => row.transferUs },
  { look: 'idle', words: 'idle', of: (row: StepOfRank) => row.idleUs },
] as const;

function Row({ row, longest }: { readonly row: StepOfRank; readonly longest: number }) {
  // Older profilers record when a collective ran, but not its size.
  const unsized = row.bytes === 0 && row.communicationUs > 0;
  return (
    <tr>
      <th scope="row">rank {row.rank}</th>
      <td>
        <span className={styles['bar']} aria-hidden="true">
          {PARTS.map(({ look, words, of }) => (
            <Patch
              key={look}
              look={look}
              title={`${words}: ${formatTime(of(row))}`}
              width={`${(100 * Math.max(0, of(row))) / longest}%`}
            />
          ))}
        </span>
      </td>
      <td>{formatTime(row.durUs)}</td>
      <td>{formatTime(row.computeUs)}</td>
      <td>{formatTime(row.communicationUs)}</td>
      <td>{formatTime(row.overlapUs)}</td>
      <td>{formatTime(row.waitingUs)}</td>
      <td>{formatTime(row.transferUs)}</td>
      <td>{formatTime(row.idleUs)}</td>
      <td title={unsized ? 'The recording has no sizes' : undefined}>{unsized ? NONE : bytesText(row.bytes)}</td>
      <td className={styles['words']}>{idleShares(row.idle)}</td>
    </tr>
  );
}

const MOST_CAUSES = 2;
const CAUSES: Readonly<Record<IdleShare['cause'], string>> = {
  loader: 'loader',
  launch: 'launching',
  annotation: 'in',
  python: 'between operators',
};

function idleShares(shares: readonly IdleShare[]): string {
  return shares
    .slice(0, MOST_CAUSES)
    .map(({ cause, name, us }) => `${[CAUSES[cause], name].filter(Boolean).join(' ')} ${formatTime(us)}`)
    .join(', ');
}
