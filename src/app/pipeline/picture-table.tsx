/**
 * The pipeline picture as a table: every cell and gap of every row, each with a button that leads to it. Rendered while
 * open.
 */
import { useState } from 'react';
import type { Schedule } from '../../schedules/schedule';
import { useLinkedDetails } from '../address/use-linked';
import { ColumnHeads } from '../fields/column-heads';
import { ScrollRegion } from '../fields/scroll-region';
import twin from '../lanes/events-table.module.css';
import type { Picture } from './picture';
import type { PictureItem } from './picture-items';
import { rowName, timeText, whyBubble } from './why-bubble';

interface PictureTableProps {
  readonly picture: Picture;
  readonly schedule: Schedule;
  readonly items: readonly (readonly PictureItem[])[];
  readonly onPick: (item: PictureItem) => void;
}

function Table({ picture, schedule, items, onPick }: PictureTableProps) {
  const { unit } = picture;
  return (
    <ScrollRegion label="Cells of the schedule" className={twin['scroll']}>
      <table>
        <ColumnHeads names={['Row', 'Cell', 'Begins', 'Takes', 'Why']} />
        <tbody>
          {items.flat().map((item) => (
            <tr key={item.id}>
              <td>{rowName(schedule, item.rank)}</td>
              <td>
                <button type="button" onClick={() => onPick(item)}>
                  {item.kind === 'cell' ? `${item.cell.action.kind}${item.cell.action.microBatch}` : 'bubble'}
                </button>
              </td>
              <td>{timeText(item.start, unit)}</td>
              <td>{timeText(item.end - item.start, unit)}</td>
              <td>{item.kind === 'gap' ? whyBubble(item.gap, picture, schedule) : ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

export function PictureTable(props: PictureTableProps) {
  const details = useLinkedDetails('events');
  const [open, setOpen] = useState(false);
  return (
    <details ref={details} data-over className={twin['twin']} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {open && <Table {...props} />}
    </details>
  );
}
