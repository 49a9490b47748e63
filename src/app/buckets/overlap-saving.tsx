/**
 * The time that overlap saves: the same step with and without overlap, both modelled, on the chosen links and on other
 * links.
 */
import { useEffect, useState } from 'react';
import type { OverlapTimes } from '../../protocol/session';
import { formatPercent, formatTime } from '../draw/format';
import { ColumnHeads } from '../fields/column-heads';
import { useController } from '../run/use-controller';
import { useApp } from '../state/use-app';
import styles from './buckets.module.css';

export function OverlapSaving() {
  const info = useApp((app) => app.info);
  const { ask } = useController();
  const [times, setTimes] = useState<readonly OverlapTimes[]>([]);
  useEffect(() => {
    let gone = false;
    if (!info) return;
    ask((run) => run.overlap())
      .then((next) => {
        if (!gone) setTimes(next);
      })
      // The page reports a lost session elsewhere.
      .catch(() => undefined);
    return () => {
      gone = true;
    };
  }, [info, ask]);
  const chosen = times.find(({ hardware }) => hardware === info?.config.hardware);
  if (!chosen) return null;
  const saved = chosen.withoutOverlapUs - chosen.withOverlapUs;
  return (
    <div className={styles['saving']}>
      <p>
        Overlap saves{' '}
        <b role="status" aria-label="Saved by overlap">
          {formatTime(saved)}
        </b>{' '}
        of a step, {formatPercent(saved / chosen.withoutOverlapUs)}, on {chosen.label}.
      </p>
      <table>
        <ColumnHeads names={['modelled step', 'with', 'without']} />
        <tbody>
          {times.map(({ hardware, label, withOverlapUs, withoutOverlapUs }) => (
            <tr key={hardware} data-chosen={hardware === chosen.hardware || undefined}>
              <th scope="row">{label}</th>
              <td>{formatTime(withOverlapUs)}</td>
              <td>{formatTime(withoutOverlapUs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
