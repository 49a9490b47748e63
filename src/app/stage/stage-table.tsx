/**
 * The stage as a table: each device with its work, the content of its buckets, and its memory, in words and numbers.
 * Updated while open.
 */
import { useState } from 'react';
import { useLinkedDetails } from '../address/use-linked';
import type { Painted } from '../draw/use-surface';
import { useThrottled } from '../draw/use-throttled';
import { ColumnHeads } from '../fields/column-heads';
import type { RoomScene } from './scene-types';
import type { StageModel } from './stage-model';
import styles from './stage-table.module.css';

function Row({ room }: { room: RoomScene }) {
  const held = room.held();
  return (
    <tr>
      <th scope="row">{room.title}</th>
      <td>{room.now[0]}</td>
      <td>{room.subtitles[0]}</td>
      <td>
        {held.length > 0 ? (
          <ul>
            {held.map((words) => (
              <li key={words}>{words}</li>
            ))}
          </ul>
        ) : (
          'none'
        )}
      </td>
      <td>{room.memoryWords[0]}</td>
    </tr>
  );
}

interface StageTableProps {
  readonly model: StageModel;
  readonly onPainted: Painted['onPainted'];
}

function Table({ model, onPainted }: StageTableProps) {
  const scene = useThrottled(onPainted, () => model.scene, 250);
  return (
    <table>
      <ColumnHeads names={['Device', 'Now', 'Batch', 'Bucket chunks, first values', 'Memory']} />
      <tbody>
        {scene?.rooms.map((room) => (
          <Row key={room.device} room={room} />
        ))}
      </tbody>
    </table>
  );
}

export function StageTable(props: StageTableProps) {
  const details = useLinkedDetails('stage-table');
  const [open, setOpen] = useState(false);
  return (
    <details ref={details} data-over className={styles['twin']} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {open && <Table {...props} />}
    </details>
  );
}
