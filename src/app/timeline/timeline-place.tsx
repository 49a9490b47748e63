/**
 * The place of the timeline, and, for a run with a schedule, of the schedule's picture. Their code is loaded when the
 * session has answered, so Play does not wait for it; until then their place stays empty.
 */
import { FACES } from '../../parallel/faces';
import { laterPanel } from '../boundary/loaded-panel';
import { useApp } from '../state/use-app';
import { layoutTimeline } from './timeline-layout';
import styles from './timeline-place.module.css';

const Timeline = laterPanel('The timeline', async () => (await import('./timeline')).Timeline);
const SchedulePlace = laterPanel(
  'The schedule',
  async () => (await import('../pipeline/schedule-place')).SchedulePlace,
);

/** The height of the head with one row, as on a laptop. */
const HEAD = 44;

export function TimelinePlace() {
  const height = useApp(({ config }) => HEAD + layoutTimeline(1000, config.worldSize, config.worldSize > 1).height);
  const scheduled = useApp(({ info }) => info && FACES[info.config.mode].sections?.includes('pipeline'));
  return (
    <div className={styles['place']}>
      <div className={styles['free']} style={{ height }} />
      {scheduled ? (
        <SchedulePlace>
          <Timeline />
        </SchedulePlace>
      ) : (
        <Timeline />
      )}
    </div>
  );
}
