/** The bucket view in numbers. Rendered while open. */
import { useState } from 'react';
import type { BucketInfo } from '../../protocol/session-info';
import { useLinkedDetails } from '../address/use-linked';
import { formatSize, formatTime, NONE } from '../draw/format';
import { ColumnHeads } from '../fields/column-heads';
import { type BucketTimes, waitText } from './bucket-times';
import styles from './buckets.module.css';

interface BucketTableProps {
  readonly times: readonly BucketTimes[];
  readonly buckets: readonly BucketInfo[];
}

export function BucketTable({ times, buckets }: BucketTableProps) {
  const details = useLinkedDetails('bucket-table');
  const [open, setOpen] = useState(false);
  return (
    <details ref={details} className={styles['twin']} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {open && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <section className={styles['scroll']} tabIndex={0} aria-label="Buckets as a table">
          <table>
            <ColumnHeads
              names={[
                'Bucket',
                'Bytes',
                'Parameters, in the order of their gradients',
                'Full',
                'All-reduce begins',
                'ends',
                'Waits',
              ]}
            />
            <tbody>
              {buckets.map(({ bytes, parameters }, index) => {
                const own = times.find((t) => t.index === index);
                const names = own && own.arrivals.length > 0 ? own.arrivals.map((a) => a.parameter) : parameters;
                return (
                  <tr key={parameters.join()}>
                    <th scope="row">{index}</th>
                    <td>{formatSize(bytes)}</td>
                    <td>{names.join(', ')}</td>
                    <td>{own ? formatTime(own.fullUs) : NONE}</td>
                    <td>{own ? formatTime(own.reduceStartUs) : NONE}</td>
                    <td>{own ? formatTime(own.reduceEndUs) : NONE}</td>
                    <td>{own ? waitText(own) : NONE}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </section>
      )}
    </details>
  );
}
