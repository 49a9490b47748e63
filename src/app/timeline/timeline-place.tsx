/**
 * Where the timeline is on the page. Play does not wait for its code, which comes when the session has answered; until
 * then its place is kept free.
 */
import { laterPanel } from '../boundary/loaded-panel';
import { useApp } from '../state/use-app';
import { layoutTimeline } from './timeline-layout';
import styles from './timeline-place.module.css';

const Timeline = laterPanel('The timeline', async () => (await import('./timeline')).Timeline);

const HEAD = 68;

export function TimelinePlace() {
  const height = useApp(({ config }) => HEAD + layoutTimeline(1000, config.worldSize, config.worldSize > 1).height);
  return (
    <div className={styles['place']}>
      <div className={styles['free']} style={{ height }} />
      <Timeline />
    </div>
  );
}
