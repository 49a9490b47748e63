/**
 * The timeline's region for a run with a schedule: the schedule as a picture, the editor, and the timeline, under tabs.
 * Fetched when such a run is open.
 */
import { type ReactNode, useState } from 'react';
import { at } from '../../base/invariant';
import { loadedPanel } from '../boundary/loaded-panel';
import { Tabs } from '../fields/tabs';
import lanes from '../lanes/lanes.module.css';
import styles from './pipeline.module.css';
import { ScheduleView } from './schedule-view';
import { useRunSchedule } from './use-run-schedule';

const TABS = ['Schedule', 'Build your own', 'Timeline'] as const;
const Editor = loadedPanel('The schedule editor', async () => (await import('./editor')).Editor);

type Tab = (typeof TABS)[number];

/** `children`: the timeline. */
export function SchedulePlace({ children }: { readonly children: ReactNode }) {
  const run = useRunSchedule();
  const [tab, setTab] = useState<Tab>('Schedule');
  const [units, setUnits] = useState(true);
  if (!run) return null;
  return (
    <div className={lanes['root']}>
      <Tabs
        label="The step over time"
        names={TABS}
        index={TABS.indexOf(tab)}
        onIndex={(index) => setTab(at(TABS, index))}
        className={styles['tabs']}
        panelClass={styles['panel']}
      >
        {tab === 'Schedule' && <ScheduleView run={run} units={units} onUnits={setUnits} />}
        {tab === 'Build your own' && <Editor run={run} />}
        {tab === 'Timeline' && children}
      </Tabs>
    </div>
  );
}
