/**
 * The bytes that collectives inside the layers of a divided model send: counted in the step at the cursor, and by
 * formula.
 */
import type { LayerForm } from '../../protocol/closed-form';
import type { StepTrace } from '../../protocol/trace';
import { bytesByLayer } from '../../trace/layer-bytes';
import { useLinkedDetails } from '../address/use-linked';
import { formatBytes } from '../draw/format';
import { ColumnHeads } from '../fields/column-heads';
import { ScrollRegion } from '../fields/scroll-region';
import styles from './result.module.css';

interface LayerTableProps {
  readonly trace: StepTrace;
  readonly layers: readonly LayerForm[];
}

export function LayerTable({ trace, layers }: LayerTableProps) {
  const details = useLinkedDetails('layer-table');
  const counted = bytesByLayer(trace);
  return (
    <details ref={details} className={styles['table']}>
      <summary>By layer</summary>
      <p>What all ranks send in the collectives inside each layer.</p>
      <ScrollRegion label="Bytes by layer" className={styles['scroll']}>
        <table>
          <ColumnHeads names={['', 'counted', 'by formula', 'collectives']} />
          <tbody>
            {layers.map(({ module, bytes, text }) => (
              <tr key={module}>
                <th scope="row">{module === '' ? 'loss' : module}</th>
                <td>{formatBytes(counted.get(module) ?? 0)}</td>
                <td>{formatBytes(bytes)}</td>
                <td data-words>{text}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </details>
  );
}
