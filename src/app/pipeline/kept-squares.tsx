/** The most activations that each rank keeps at once, one square per micro-batch, beside GPipe's as outlines. */
import { Fragment } from 'react';
import type { Schedule } from '../../schedules/schedule';
import { formatBytes } from '../draw/format';
import styles from './facts.module.css';
import type { RowTitle } from './paint-picture';

const MOST_SQUARES = 16;

interface KeptSquaresProps {
  readonly schedule: Schedule;
  readonly titles: readonly RowTitle[];
  /** The most activations kept at once, by rank. */
  readonly peaks: readonly number[];
  /** The kept bytes of one micro-batch, by stage; empty before a step has run. */
  readonly bytes: ReadonlyMap<number, number>;
}

export function KeptSquares({ schedule, titles, peaks, bytes }: KeptSquaresProps) {
  const { stages, ranks, microBatches, rankOfStage } = schedule;
  const all = (stages / ranks) * microBatches;
  const drawn = all <= MOST_SQUARES;
  return (
    <section className={styles['block']} aria-label="Most activations kept at once">
      <h3>
        Most activations kept at once <span>{drawn ? `outlined: GPipe, ${all}` : `GPipe: ${all}`}</span>
      </h3>
      <dl className={styles['kept']}>
        {peaks.map((peak, rank) => {
          const each = rankOfStage.flatMap((home, stage) => (home === rank ? [bytes.get(stage) ?? 0] : []));
          // A mean, because the stages of one rank keep about the same number of bytes.
          const mean = each.reduce((sum, one) => sum + one, 0) / Math.max(1, each.length);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a rank is its index
            <Fragment key={rank}>
              <dt>
                <i style={{ background: titles[rank]?.colours[0] }} />
                {titles[rank]?.name ?? `rank ${rank}`}
              </dt>
              <dd aria-hidden="true">
                {drawn
                  ? Array.from({ length: Math.max(all, peak) }, (_, index) => (
                      // biome-ignore lint/suspicious/noArrayIndexKey: a square is its index
                      <i key={index} data-kept={index < peak || undefined} />
                    ))
                  : peak}
              </dd>
              <dd>{mean > 0 ? `${peak} × ${formatBytes(mean)}` : `${peak}`}</dd>
              <dd>
                <b>{mean > 0 ? formatBytes(peak * mean) : ''}</b>
              </dd>
            </Fragment>
          );
        })}
      </dl>
    </section>
  );
}
