/**
 * The table twin of the stage: each device with what it does, what its buckets hold, and its memory, in words and
 * numbers. Read while open.
 */
import { useState } from 'react';
import { cellValue } from '../draw/heat-map';
import { formatValue } from '../draw/numbers';
import { useSettled } from '../state/use-app';
import type { RoomScene, TileScene } from './scene-types';
import type { StageModel } from './stage-model';
import styles from './stage-table.module.css';

const SHOWN_VALUES = 3;

function chunkText({ cells, chunk, summed, sending }: TileScene): string {
  if (!cells) return `${chunk}: empty`;
  const values = Array.from({ length: SHOWN_VALUES }, (_, i) => cellValue({ ...cells, rows: 1 }, 0, i)).flatMap((v) =>
    v === undefined ? [] : [formatValue(v)],
  );
  return `${chunk}: ${values.join(', ')} … (sum of ${summed}${sending ? ', being sent' : ''})`;
}

function Row({ room }: { room: RoomScene }) {
  return (
    <tr>
      <th scope="row">{room.title}</th>
      <td>{room.now[0]}</td>
      <td>{room.subtitles[0]}</td>
      <td>
        {room.bucket ? (
          <ul>
            {room.bucket.tiles.map((tile) => (
              <li key={tile.chunk}>{chunkText(tile)}</li>
            ))}
          </ul>
        ) : (
          'none'
        )}
      </td>
      <td>{room.memory.labels[0]}</td>
    </tr>
  );
}

function Table({ model }: { model: StageModel }) {
  useSettled((app) => app.cursor, 250);
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Device</th>
          <th scope="col">Now</th>
          <th scope="col">Batch</th>
          <th scope="col">Bucket chunks, first values</th>
          <th scope="col">Memory</th>
        </tr>
      </thead>
      <tbody>
        {model.scene?.rooms.map((room) => (
          <Row key={room.device} room={room} />
        ))}
      </tbody>
    </table>
  );
}

export function StageTable({ model }: { model: StageModel }) {
  const [open, setOpen] = useState(false);
  return (
    <details className={styles['twin']} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {open && <Table model={model} />}
    </details>
  );
}
