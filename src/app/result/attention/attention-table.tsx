/** A head as a table: the positions that each position attends to most. */

import { formatPercent } from '../../draw/format';
import { ColumnHeads } from '../../fields/column-heads';
import { ScrollRegion } from '../../fields/scroll-region';
import styles from '../result.module.css';
import type { HeadMap } from './head-map';

interface AttentionTableProps {
  readonly map: HeadMap;
  readonly named: (index: number) => string;
}

export function AttentionTable({ map, named }: AttentionTableProps) {
  const positions = Array.from({ length: map.rows }, (_, index) => index);
  return (
    <details className={styles['table']}>
      <summary>As a table</summary>
      <ScrollRegion label="Attention as a table" className={styles['scroll']}>
        <table>
          <ColumnHeads names={['position', 'looks most at', 'share']} />
          <tbody>
            {positions.map((row) => {
              const most = strongest(map, row);
              return (
                <tr key={row}>
                  <th scope="row">{named(row)}</th>
                  <td>{named(most)}</td>
                  <td>{formatPercent(map.share(row, most))}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </ScrollRegion>
    </details>
  );
}

function strongest({ columns, share }: HeadMap, row: number): number {
  let most = 0;
  for (let column = 1; column < columns; column++) if (share(row, column) > share(row, most)) most = column;
  return most;
}
