/** The one screen: five regions around one cursor. Which of them are there, and in which order on a phone, is decided here. */
import { lazy, Suspense } from 'react';
import styles from './app.module.css';
import { Bar } from './bar/bar';
import { Buckets } from './buckets/buckets';
import { MemoryPanel } from './memory/memory-panel';
import { LiveRegion } from './notices/live-region';
import { Notices } from './notices/notices';
import { CodePanel } from './result/code-panel';
import { Result } from './result/result';
import { Scrubber } from './scrubber';
import { Setup } from './setup/setup';
import { Stage } from './stage/stage';
import { StageHead } from './stage-head';
import { Timeline } from './timeline/timeline';
import { useApp } from './use-app';
import { dropsFiles, useFileDrop } from './use-file-drop';

/** Loaded when it is first opened. */
const Lab = lazy(async () => ({ default: (await import('./lab/lab')).Lab }));

const ExhibitCard = lazy(async () => ({ default: (await import('./museum/exhibit-card')).ExhibitCard }));

export function AppView() {
  const hide = useApp((app) => app.hide);
  const embed = useApp((app) => app.embed);
  const exhibit = useApp((app) => app.exhibit);
  const lab = useApp((app) => app.lab !== undefined);
  const drop = useFileDrop();
  const shown = (part: string) => !hide.has(part);
  if (lab && embed)
    return (
      <Suspense fallback={null}>
        <Lab />
      </Suspense>
    );
  return (
    <div
      className={styles['app']}
      data-embed={embed || undefined}
      data-setup={shown('setup') || undefined}
      {...dropsFiles(drop)}
    >
      {shown('bar') && <Bar />}
      <Notices />
      {exhibit && shown('bugs') && (
        <Suspense>
          <ExhibitCard {...exhibit} />
        </Suspense>
      )}
      <main className={styles['main']}>
        {shown('stage') && (
          <section aria-label="Stage" className={styles['stage']}>
            <StageHead />
            <Stage />
          </section>
        )}
        {shown('timeline') && (
          <section aria-label="Timeline" className={styles['timeline']}>
            <Scrubber />
            <Timeline />
            <Buckets />
          </section>
        )}
        {shown('setup') && (
          <section aria-label="Set-up" className={styles['setup']}>
            <Setup />
          </section>
        )}
        <div className={styles['side']}>
          {shown('result') && (
            <section aria-label="Result">
              <Result />
            </section>
          )}
          {shown('result') && <MemoryPanel />}
          {shown('code') && (
            <section aria-label="Code" className={styles['code']}>
              <CodePanel />
            </section>
          )}
        </div>
      </main>
      <LiveRegion />
      {lab && (
        <Suspense fallback={null}>
          <Lab />
        </Suspense>
      )}
      {drop.over && <div className={styles['drop']}>Drop data to train on, or weights to begin with</div>}
    </div>
  );
}
