/**
 * The numbers by device: they show that device 0 of DataParallel does more, and where devices of model parallel wait.
 */

import type { DeviceMemory } from '../../protocol/trace';
import { type Metrics, sharesOf } from '../../trace/metrics';
import { useLinkedDetails } from '../address/use-linked';
import { formatBytes, formatSize, wholePercents } from '../draw/format';
import { ColumnHeads } from '../fields/column-heads';
import { ScrollRegion } from '../fields/scroll-region';
import { useApp } from '../state/use-app';
import styles from './result.module.css';

const payloads = ({ traffic }: Metrics): string => {
  const parts = Object.entries(traffic.byPayload).map(([payload, bytes]) => `${payload} ${formatBytes(bytes)}`);
  return parts.length === 0 ? 'Nothing crosses' : `All devices move ${formatBytes(traffic.total)}: ${parts.join(', ')}`;
};

interface DeviceTableProps {
  readonly metrics: Metrics;
  readonly memory: readonly DeviceMemory[];
}

function percents(metrics: Metrics, device: number): readonly number[] {
  const use = metrics.use[device];
  const { computing, waitingForCommunication, idle } = sharesOf(use ? [use] : []);
  return wholePercents([computing, waitingForCommunication, idle]);
}

export function DeviceTable({ metrics, memory }: DeviceTableProps) {
  const details = useLinkedDetails('devices');
  const roles = useApp((app) => app.info?.roles);
  return (
    <details ref={details} className={styles['table']}>
      <summary>By device</summary>
      <p>{payloads(metrics)}.</p>
      <ScrollRegion label="Numbers by device" className={styles['scroll']}>
        <table>
          <ColumnHeads
            names={[
              '',
              'sent',
              'received',
              `computing, ${metrics.clock}`,
              'waits for communication',
              'idle',
              'reserved',
              'allocated at most',
            ]}
          />
          <tbody>
            {metrics.allocatedBytes.map((allocated, device) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a device is its index
              <tr key={device}>
                <th scope="row">{roles?.[device]?.title ?? `cuda:${device}`}</th>
                <td>{formatBytes(metrics.traffic.sent[device] ?? 0)}</td>
                <td>{formatBytes(metrics.traffic.received[device] ?? 0)}</td>
                {percents(metrics, device).map((percent, part) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: parts of the step, in the order of the columns
                  <td key={part}>{percent} %</td>
                ))}
                <td>{formatSize(memory.find((m) => m.device === device)?.peakBytes ?? 0)}</td>
                <td>{formatSize(allocated)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </details>
  );
}
