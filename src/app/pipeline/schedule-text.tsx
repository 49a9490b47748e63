/**
 * The schedule in torch's own text, one row per rank, with the action of the cursor lit, and a button that copies it
 * as CSV: what torch's _PipelineScheduleRuntime loads.
 */
import { memo, useRef, useState } from 'react';
import type { ScheduleCell } from '../../schedules/cell';
import { isPair, keyOf, partsOf } from '../../schedules/cell';
import { printCell } from '../../schedules/cell-text';
import type { Schedule } from '../../schedules/schedule';
import { toCsv } from '../../schedules/schedule-text';
import { ScrollRegion } from '../fields/scroll-region';
import styles from './facts.module.css';
import type { RowTitle } from './paint-picture';

interface ScheduleTextProps {
  readonly title: string;
  readonly schedule: Schedule;
  readonly titles: readonly RowTitle[];
  /** For each rank, the index of the action in progress, if any. */
  readonly lit: readonly (number | undefined)[];
}

export function ScheduleText({ title, schedule, titles, lit }: ScheduleTextProps) {
  return (
    <section className={styles['block']} aria-label={`${title} as text`}>
      <h3>
        {title} as text <span>stage, kind, micro-batch</span>
        <CopyCsv csv={toCsv(schedule)} />
      </h3>
      <ScrollRegion label="Actions of the ranks" className={styles['text']}>
        {schedule.orders.map((order, rank) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a rank is its index
          <TextRow key={rank} rank={rank} order={order} colours={titles[rank]?.colours ?? []} lit={lit[rank]} />
        ))}
      </ScrollRegion>
    </section>
  );
}

interface TextRowProps {
  readonly rank: number;
  readonly order: readonly ScheduleCell[];
  readonly colours: readonly string[];
  readonly lit: number | undefined;
}

const TextRow = memo(function TextRow({ rank, order, colours, lit }: TextRowProps) {
  return (
    <p>
      <i>
        {colours.map((colour) => (
          <b key={colour} style={{ background: colour }} />
        ))}
      </i>
      <b>{rank}</b>
      <span>
        {order.map((cell, index) => (
          <span key={partsOf(cell).map(keyOf).join(' ')}>
            <code data-kind={isPair(cell) ? 'pair' : cell.kind} data-lit={index === lit || undefined}>
              {printCell(cell)}
            </code>{' '}
          </span>
        ))}
      </span>
    </p>
  );
});

function CopyCsv({ csv }: { readonly csv: string }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [tried, setTried] = useState<{ readonly csv: string; readonly copied: boolean }>();
  const said = tried?.csv !== csv ? 'copy as CSV' : tried.copied ? 'copied' : 'press Ctrl C';
  const copy = () => {
    field.current?.select();
    // Many iframes refuse the asynchronous clipboard; execCommand works after any press of a button.
    setTried({ csv, copied: document.execCommand('copy') });
  };
  return (
    <>
      <textarea ref={field} readOnly tabIndex={-1} aria-hidden="true" className={styles['copied']} value={csv} />
      <button type="button" onClick={copy}>
        {said}
      </button>
    </>
  );
}
