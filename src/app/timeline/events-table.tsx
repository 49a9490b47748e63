/**
 * The table twin of the timeline: every event of the step on the chosen clock, and why devices idle. Rendered while
 * open.
 */
import { useState } from 'react';
import { spanOf } from '../../trace/lanes';
import { formatSize, formatTime } from '../draw/format';
import { useApp, useSettled } from '../state/use-app';
import { eventLabels } from './event-label';
import styles from './events-table.module.css';
import { gapsOf } from './gaps';

function Table() {
  const traces = useSettled((app) => app.traces, 300);
  const index = useSettled((app) => app.cursor?.trace, 300);
  const clock = useApp((app) => app.clock);
  const devices = useApp((app) => app.info?.worldSize ?? 0);
  const trace = index === undefined ? undefined : traces[index];
  if (!trace) return <p>Nothing has run yet.</p>;
  const gaps = Array.from({ length: devices }, (_, device) => gapsOf(trace, clock, device)).flat();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={styles['scroll']} tabIndex={0} aria-label="Events of the step">
      <table>
        <thead>
          <tr>
            <th scope="col">#</th>
            <th scope="col">Device</th>
            <th scope="col">Queue</th>
            <th scope="col">Event</th>
            <th scope="col">Phase</th>
            <th scope="col">Begins</th>
            <th scope="col">Takes</th>
            <th scope="col">Bytes</th>
          </tr>
        </thead>
        <tbody>
          {trace.events.map((e, i) => {
            const { startUs, durUs } = spanOf(trace, clock, i);
            return (
              <tr key={e.id}>
                <td>{i + 1}</td>
                <td>{`cuda:${e.device}`}</td>
                <td>{e.queue}</td>
                <td>{`${eventLabels(e)[0] ?? e.name}${e.kind === 'compute' ? ` (${e.name})` : ` with cuda:${e.peer ?? e.device}`}`}</td>
                <td>{e.phase}</td>
                <td>{formatTime(startUs)}</td>
                <td>{formatTime(durUs)}</td>
                <td>{formatSize(e.bytes)}</td>
              </tr>
            );
          })}
          {gaps.map((gap) => (
            <tr key={`${gap.device} ${gap.startUs}`}>
              <td />
              <td>{`cuda:${gap.device}`}</td>
              <td>idle</td>
              <td colSpan={2}>{gap.why()}</td>
              <td>{formatTime(gap.startUs)}</td>
              <td>{formatTime(gap.endUs - gap.startUs)}</td>
              <td />
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function EventsTable() {
  const [open, setOpen] = useState(false);
  return (
    <details className={styles['twin']} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {open && <Table />}
    </details>
  );
}
