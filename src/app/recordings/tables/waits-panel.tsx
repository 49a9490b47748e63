/** Which ranks wait for which: a matrix of ranks, and how often each rank is the last to join. */
import type { RecordingAnalysis } from '../../../recordings/recording-analysis';
import { formatTime } from '../../draw/format';
import { ColumnHeads } from '../../fields/column-heads';
import { ScrollRegion } from '../../fields/scroll-region';
import styles from './tables.module.css';

export function WaitsPanel({ analysis: { waits, stragglers } }: { readonly analysis: RecordingAnalysis }) {
  const most = Math.max(1, ...waits.us.flat());
  return (
    <div className={styles['pair']}>
      <ScrollRegion label="Who waits for whom" className={styles['scroll']}>
        <table className={styles['matrix']}>
          <caption>How long the rank of a row waited for the rank of a column to join, over all collectives</caption>
          <ColumnHeads names={['', ...waits.ranks.map((rank) => `for rank ${rank}`)]} />
          <tbody>
            {waits.us.map((row, i) => (
              <tr key={waits.ranks[i]}>
                <th scope="row">rank {waits.ranks[i]}</th>
                {row.map((us, j) => (
                  <td key={waits.ranks[j]} style={shade(us / most)}>
                    {i === j ? '' : formatTime(us)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {stragglers.length > 0 && (
        <ScrollRegion label="Who is last" className={styles['scroll']}>
          <table data-ends="words">
            <caption>Who joins last, and what takes that rank longer than the others before</caption>
            <ColumnHeads names={['Rank', 'Last at', 'Late by', 'Waiting caused', 'Cause']} />
            <tbody>
              {stragglers.map(({ rank, last, of, byUs, causedUs, cause }) => (
                <tr key={rank}>
                  <th scope="row">rank {rank}</th>
                  <td>
                    {last} of {of}
                  </td>
                  <td>{formatTime(byUs)}</td>
                  <td>{formatTime(causedUs)}</td>
                  <td className={styles['words']}>
                    {cause ? `${cause.name}: ${formatTime(cause.us)}, others ${formatTime(cause.othersUs)}` : ''}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
    </div>
  );
}

/** A share of the colour of waiting, on which the number stays readable in both themes. */
const shade = (share: number) =>
  share > 0.02
    ? { background: `color-mix(in srgb, var(--phase-comm) ${Math.round(65 * share)}%, transparent)` }
    : undefined;
