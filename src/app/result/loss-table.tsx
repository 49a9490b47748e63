/** The loss chart in numbers: a few steps spread over the history, and the newest step. */

import { useLinkedDetails } from '../address/use-linked';
import { formatLoss } from '../draw/format';
import { ColumnHeads } from '../fields/column-heads';
import { ScrollRegion } from '../fields/scroll-region';
import type { LossSeries } from './loss-series';
import styles from './result.module.css';

const TABLE_ROWS = 10;

export function LossTable({ series }: { series: LossSeries }) {
  const details = useLinkedDetails('losses');
  const { steps, perPart, mean, test } = series;
  const stride = Math.max(1, Math.ceil(steps.length / TABLE_ROWS));
  const rows = steps.map((_, index) => index).filter((index) => index % stride === 0 || index === steps.length - 1);
  const cell = (column: readonly (number | null)[], index: number) => formatLoss(column[index] ?? undefined);
  return (
    <details ref={details} className={styles['table']}>
      <summary>As a table</summary>
      <ScrollRegion label="Losses as a table" className={styles['scroll']}>
        <table>
          <ColumnHeads names={['step', ...perPart.map(({ title }) => title), 'mean', 'test']} />
          <tbody>
            {rows.map((index) => (
              <tr key={steps[index]}>
                <th scope="row">{Number((steps[index] ?? 0).toFixed(2))}</th>
                {perPart.map(({ device, values }) => (
                  <td key={device}>{cell(values, index)}</td>
                ))}
                <td>{cell(mean, index)}</td>
                <td>{cell(test, index)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </details>
  );
}
