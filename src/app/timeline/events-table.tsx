/**
 * The timeline as a table: every event of the step on the chosen clock, with its moment and a button that leads to it,
 * and why devices idle. Rendered while open.
 */
import { useMemo, useState } from 'react';
import type { StepTrace } from '../../protocol/trace';
import { createCauses } from '../../trace/causes';
import { criticalPath } from '../../trace/critical-path';
import { createIdleTimes } from '../../trace/idle';
import { spanOf } from '../../trace/lanes';
import { momentsOf } from '../../trace/moments/moments';
import { deviceName } from '../../trace/words';
import { useLinkedDetails } from '../address/use-linked';
import { formatCount, formatSize, formatTime } from '../draw/format';
import { ColumnHeads } from '../fields/column-heads';
import { eventName } from '../lanes/event-label';
import styles from '../lanes/events-table.module.css';
import { gapsOf } from '../lanes/gaps';
import { useController } from '../run/use-controller';
import { useApp, useSettled } from '../state/use-app';
import { waitedFor } from './why-words';

/** For each event, the number of its moment. */
function numbersOf(trace: StepTrace): readonly number[] {
  const numbers: number[] = [];
  for (const { index, events } of momentsOf(trace)) for (const event of events) numbers[event] = index + 1;
  return numbers;
}

const COLUMNS = [
  '#',
  'Moment',
  'Device',
  'Queue',
  'Event',
  'Phase',
  'Begins',
  'Takes',
  'Bytes',
  'Flops',
  'Waited for',
  'Critical path',
];

function Table() {
  const traces = useSettled((app) => app.traces, 300);
  const index = useSettled((app) => app.cursor?.trace, 300);
  const clock = useApp((app) => app.clock);
  const devices = useApp((app) => app.info?.worldSize ?? 0);
  const trace = index === undefined ? undefined : traces[index];
  const causes = useMemo(() => trace && createCauses(trace, clock), [trace, clock]);
  const path = useMemo(() => new Set(causes && criticalPath(causes).events), [causes]);
  const moments = useMemo(() => trace && numbersOf(trace), [trace]);
  const { player } = useController();
  const locked = useApp((app) => app.lock.has('transport'));
  if (!trace || !causes || index === undefined) return <p>Nothing has run yet.</p>;
  const times = createIdleTimes(trace, clock);
  const gaps = Array.from({ length: devices }, (_, device) => gapsOf(trace, clock, device, times)).flat();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={styles['scroll']} tabIndex={0} aria-label="Events of the step">
      <table>
        <ColumnHeads names={COLUMNS} />
        <tbody>
          {trace.events.map((e, i) => {
            const { startUs, durUs } = spanOf(trace, clock, i);
            return (
              <tr key={e.id}>
                <td>
                  <button
                    type="button"
                    title="Go to this event"
                    disabled={locked}
                    onClick={() => player.seek(index, i)}
                  >
                    {i + 1}
                  </button>
                </td>
                <td>{moments?.[i]}</td>
                <td>{deviceName(trace, e.device)}</td>
                <td>{e.queue}</td>
                <td>
                  {eventName(e)}
                  {e.kind === 'compute' && ` (${e.name})`}
                  {e.peer !== undefined && ` ${e.kind === 'send' ? 'to' : 'from'} ${deviceName(trace, e.peer)}`}
                </td>
                <td>{e.phase}</td>
                <td>{formatTime(startUs)}</td>
                <td>{formatTime(durUs)}</td>
                <td>{formatSize(e.bytes)}</td>
                <td>{e.flops > 0 ? formatCount(e.flops) : ''}</td>
                <td>{waitedFor(causes, i)}</td>
                <td>{path.has(i) ? 'on it' : ''}</td>
              </tr>
            );
          })}
          {gaps.map((gap) => (
            <tr key={`${gap.device} ${gap.startUs}`}>
              <td colSpan={2} />
              <td>{deviceName(trace, gap.device)}</td>
              <td>idle</td>
              <td colSpan={2}>{gap.why()}</td>
              <td>{formatTime(gap.startUs)}</td>
              <td>{formatTime(gap.endUs - gap.startUs)}</td>
              <td colSpan={4} />
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function EventsTable() {
  const details = useLinkedDetails('events');
  const [open, setOpen] = useState(false);
  return (
    <details ref={details} data-over className={styles['twin']} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {open && <Table />}
    </details>
  );
}
