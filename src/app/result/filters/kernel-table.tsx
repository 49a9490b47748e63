/** The weights of the kernel chosen last, in numbers. */
import { formatValue } from '../../draw/canvas-numbers';
import { ScrollRegion } from '../../fields/scroll-region';
import styles from '../result.module.css';

interface KernelTableProps {
  readonly name: string;
  readonly rows: number;
  readonly columns: number;
  readonly values: Float32Array;
}

const indices = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

export function KernelTable({ name, rows, columns, values }: KernelTableProps) {
  return (
    <details className={styles['table']}>
      <summary>As a table</summary>
      <ScrollRegion label="Weights as a table" className={styles['scroll']}>
        <table>
          <caption>{name}</caption>
          <tbody>
            {indices(rows).map((row) => (
              <tr key={row}>
                {indices(columns).map((column) => (
                  <td key={column}>{formatValue(values[row * columns + column] ?? 0)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </details>
  );
}
