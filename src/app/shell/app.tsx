/**
 * The screen: five regions around one cursor. Decides which regions are shown, and their order on a phone. Every part
 * has its own error boundary, so a part that cannot be drawn does not affect others.
 */

import type { CSSProperties } from 'react';
import { Bar, BarInSheet } from '../bar/bar';
import { Scrubber } from '../bar/scrubber';
import { SmallTransport } from '../bar/transport';
import { SETTINGS, useSheet } from '../bar/use-sheet';
import { Boundary } from '../boundary/boundary';
import { laterPanel, loadedPanel } from '../boundary/loaded-panel';
import { Region } from '../boundary/region';
import { Buckets } from '../buckets/buckets';
import { DropSign } from '../files/drop-sign';
import { useDrop } from '../files/use-drop';
import { useTakeFiles } from '../files/use-take-files';
import { LabPlace } from '../lab/lab-place';
import { NewcomerLine } from '../notices/newcomer-line';
import { Notices } from '../notices/notices';
import { RecordingsPlace } from '../recordings/recordings-place';
import { LiveRegion } from '../stage/live-region';
import { StageHead } from '../stage/stage-head';
import { StagePlace } from '../stage/stage-place';
import { useApp } from '../state/use-app';
import { TimelinePlace } from '../timeline/timeline-place';
import styles from './app.module.css';
import { ComparePlace } from './compare-place';
import { Divider } from './divider';
import { useFolds } from './use-folds';

const ExhibitCard = loadedPanel(
  'The label of this bug',
  async () => (await import('../museum/exhibit-card')).ExhibitCard,
);

const Setup = laterPanel('The set-up', async () => (await import('../setup/setup')).Setup);
const Result = laterPanel('The result', async () => (await import('../result/result')).Result);
const MemoryPanel = laterPanel('The memory panel', async () => (await import('../memory/memory-panel')).MemoryPanel);
const CodePanel = laterPanel('The PyTorch code', async () => (await import('../result/code-panel')).CodePanel);

export function AppView() {
  const hide = useApp((app) => app.hide);
  const embed = useApp((app) => app.embed);
  const exhibit = useApp((app) => app.exhibit);
  const lab = useApp((app) => app.lab !== undefined);
  const split = useApp((app) => app.split);
  const ranks = useApp((app) => app.info?.worldSize ?? app.config.worldSize);
  const recording = useApp((app) => app.recording !== undefined);
  const sheet = useSheet();
  const drop = useDrop(useTakeFiles());
  useFolds();
  const shown = (part: string) => !hide.has(part);
  const side = shown('result') || shown('code');
  if (lab && embed) return <LabPlace />;
  if (recording && embed) return <RecordingsPlace />;
  const notices = (
    <Boundary what="The list of notices">
      <Notices />
    </Boundary>
  );
  const proportions: CSSProperties & Record<`--${string}`, string | number> = {
    '--ranks': ranks,
    ...(split === undefined ? {} : { '--time': `${100 * split}%` }),
  };
  return (
    <div
      className={styles['app']}
      data-embed={embed || undefined}
      data-screen={(!embed && (shown('bar') || !shown('setup'))) || undefined}
      data-setup={shown('setup') || undefined}
      data-stage={shown('stage') || undefined}
      data-timeline={shown('timeline') || undefined}
      data-side={side || undefined}
      {...drop.handlers}
    >
      {shown('bar') && (
        <Boundary what="The bar">
          <Bar />
        </Boundary>
      )}
      {sheet !== 'phone' && notices}
      {!shown('bar') && !shown('stage') && <SmallTransport />}
      <main className={styles['main']} style={proportions}>
        {!shown('bar') && <h1 className="visually-hidden">Lockstep</h1>}
        {exhibit && shown('bugs') && <ExhibitCard {...exhibit} />}
        {shown('stage') && (
          <Region name="Stage" className={styles['stage']}>
            <NewcomerLine />
            {!shown('bar') && <SmallTransport />}
            <StageHead />
            <StagePlace />
          </Region>
        )}
        {sheet === 'phone' && notices}
        {shown('stage') && shown('timeline') && <Divider />}
        {shown('timeline') && (
          <Region name="Timeline" className={styles['timeline']}>
            <Scrubber />
            <TimelinePlace />
            <Buckets />
          </Region>
        )}
        {shown('setup') && (
          <Region name="Set-up" className={styles['setup']} sheet={sheet && SETTINGS}>
            {sheet && <BarInSheet />}
            <Setup />
          </Region>
        )}
        {side && <Side shown={shown} />}
      </main>
      <Boundary what="The announcements for screen readers">
        <LiveRegion />
      </Boundary>
      {lab && <LabPlace />}
      <ComparePlace />
      <RecordingsPlace />
      {drop.over && (
        <DropSign>
          Drop data to train on, weights to begin with, a report to compare with, or recordings of PyTorch to look at
        </DropSign>
      )}
    </div>
  );
}

/** The column of the result, the memory and the code. */
function Side({ shown }: { readonly shown: (part: string) => boolean }) {
  return (
    <div className={styles['side']}>
      <div className={styles['result']}>
        {shown('result') && (
          <Region name="Result">
            <Result />
          </Region>
        )}
        {shown('result') && (
          <Boundary what="The memory panel">
            <MemoryPanel />
          </Boundary>
        )}
      </div>
      {shown('code') && (
        <Region name="Code" className={styles['code']}>
          <CodePanel />
        </Region>
      )}
    </div>
  );
}
