/**
 * The timeline's region for a run with a schedule: the schedule as a picture, the editor, and the timeline,
 * under tabs. Fetched
 * when such a run is open.
 */
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
import { at } from '../../base/invariant';
import { loadedPanel } from '../boundary/loaded-panel';
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
  const base = useId();
  const list = useRef<HTMLDivElement>(null);
  if (!run) return null;
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const index = (TABS.indexOf(tab) + step + TABS.length) % TABS.length;
    setTab(at(TABS, index));
    const next = list.current?.children[index];
    if (next instanceof HTMLElement) next.focus();
  };
  return (
    <div className={styles['root']}>
      <div ref={list} role="tablist" aria-label="The step over time" className={styles['tabs']} onKeyDown={onKeyDown}>
        {TABS.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${base}-${name}`}
            aria-selected={name === tab}
            aria-controls={`${base}-panel`}
            tabIndex={name === tab ? 0 : -1}
            onClick={() => setTab(name)}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${base}-panel`} aria-labelledby={`${base}-${tab}`} className={styles['panel']}>
        {tab === 'Schedule' && <ScheduleView run={run} units={units} onUnits={setUnits} />}
        {tab === 'Build your own' && <Editor run={run} />}
        {tab === 'Timeline' && children}
      </div>
    </div>
  );
}
