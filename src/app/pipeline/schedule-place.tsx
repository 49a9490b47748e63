/**
 * The timeline's region for a run with a schedule: the schedule as a picture, the editor, and the timeline, under tabs.
 * Fetched when such a run is open.
 */
import { type ReactNode, useState } from 'react';
import { at } from '../../base/invariant';
import { lookup } from '../../base/lookup';
import { useLinked } from '../address/use-linked';
import { loadedPanel } from '../boundary/loaded-panel';
import { Tabs } from '../fields/tabs';
import lanes from '../lanes/lanes.module.css';
import styles from './pipeline.module.css';
import { ScheduleView } from './schedule-view';
import { useRunSchedule } from './use-run-schedule';

/** The tabs, by their names in links. */
const TABS = { schedule: 'Schedule', build: 'Build your own', timeline: 'Timeline' } as const;
const NAMES = Object.values(TABS);
const Editor = loadedPanel('The schedule editor', async () => (await import('./editor')).Editor);

type Tab = (typeof NAMES)[number];

/** `children`: the timeline. */
export function SchedulePlace({ children }: { readonly children: ReactNode }) {
  const run = useRunSchedule();
  const [tab, setTab] = useState<Tab>(TABS.schedule);
  const [units, setUnits] = useState(true);
  useLinked('tab', {
    read: () => (tab === TABS.schedule ? undefined : Object.keys(TABS)[NAMES.indexOf(tab)]),
    show: (text) => setTab(lookup(TABS, text) ?? TABS.schedule),
  });
  useLinked('units', { read: () => (units ? undefined : '0'), show: (text) => setUnits(text !== '0') });
  if (!run) return null;
  return (
    <div className={lanes['root']}>
      <Tabs
        label="The step over time"
        names={NAMES}
        index={NAMES.indexOf(tab)}
        onIndex={(index) => setTab(at(NAMES, index))}
        className={styles['tabs']}
        panelClass={styles['panel']}
      >
        {tab === TABS.schedule && <ScheduleView run={run} units={units} onUnits={setUnits} />}
        {tab === TABS.build && <Editor run={run} />}
        {tab === TABS.timeline && children}
      </Tabs>
    </div>
  );
}
