/** The numbers by device: where device 0 of DataParallel does more, and where devices of model parallel wait. */
import type { Metrics } from '../../trace/metrics';
import { formatBytes, formatPercent, formatSize } from '../format';
import styles from './result.module.css';

const payloads = ({ traffic }: Metrics): string => {
  const parts = Object.entries(traffic.byPayload).map(([payload, bytes]) => `${payload} ${formatBytes(bytes)}`);
  return parts.length === 0 ? 'Nothing crosses' : `All devices move ${formatBytes(traffic.total)}: ${parts.join(', ')}`;
};

export function DeviceTable({ metrics }: { metrics: Metrics }) {
  return (
    <details className={styles['table']}>
      <summary>By device</summary>
      <p>{payloads(metrics)}.</p>
      <table>
        <thead>
          <tr>
            <td />
            <th scope="col">sent</th>
            <th scope="col">received</th>
            <th scope="col">idle, {metrics.clock}</th>
            <th scope="col">peak memory</th>
          </tr>
        </thead>
        <tbody>
          {metrics.peakBytes.map((peak, device) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a device is its index
            <tr key={device}>
              <th scope="row">cuda:{device}</th>
              <td>{formatBytes(metrics.traffic.sent[device] ?? 0)}</td>
              <td>{formatBytes(metrics.traffic.received[device] ?? 0)}</td>
              <td>{formatPercent(metrics.use[device]?.idle)}</td>
              <td>{formatSize(peak)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
