/**
 * The one screen: five regions around one cursor. Which of them are there, and in which order on a phone, is decided
 * here. Every part has a fence of its own: what cannot be drawn takes no other part with it.
 */

import { Bar } from '../bar/bar';
import { Boundary } from '../boundary/boundary';
import { laterPanel, loadedPanel } from '../boundary/loaded-panel';
import { Region } from '../boundary/region';
import { Buckets } from '../buckets/buckets';
import { LabPlace } from '../lab/lab-place';
import { LiveRegion } from '../notices/live-region';
import { Notices } from '../notices/notices';
import { Result } from '../result/result';
import { Setup } from '../setup/setup';
import { Stage } from '../stage/stage';
import { StageHead } from '../stage/stage-head';
import { useApp } from '../state/use-app';
import { Timeline } from '../timeline/timeline';
import { Scrubber } from '../transport/scrubber';
import styles from './app.module.css';
import { dropsFiles, useFileDrop } from './use-file-drop';

const ExhibitCard = loadedPanel(
  'The label of this bug',
  async () => (await import('../museum/exhibit-card')).ExhibitCard,
);

const MemoryPanel = laterPanel('The memory panel', async () => (await import('../memory/memory-panel')).MemoryPanel);
const CodePanel = laterPanel('The PyTorch code', async () => (await import('../result/code-panel')).CodePanel);

export function AppView() {
  const hide = useApp((app) => app.hide);
  const embed = useApp((app) => app.embed);
  const exhibit = useApp((app) => app.exhibit);
  const lab = useApp((app) => app.lab !== undefined);
  const drop = useFileDrop();
  const shown = (part: string) => !hide.has(part);
  if (lab && embed) return <LabPlace />;
  return (
    <div
      className={styles['app']}
      data-embed={embed || undefined}
      data-setup={shown('setup') || undefined}
      {...dropsFiles(drop)}
    >
      {shown('bar') && (
        <Boundary what="The bar">
          <Bar />
        </Boundary>
      )}
      <Boundary what="The list of notices">
        <Notices />
      </Boundary>
      {exhibit && shown('bugs') && <ExhibitCard {...exhibit} />}
      <main className={styles['main']}>
        {shown('stage') && (
          <Region name="Stage" className={styles['stage']}>
            <StageHead />
            <Stage />
          </Region>
        )}
        {shown('timeline') && (
          <Region name="Timeline" className={styles['timeline']}>
            <Scrubber />
            <Timeline />
            <Buckets />
          </Region>
        )}
        {shown('setup') && (
          <Region name="Set-up" className={styles['setup']}>
            <Setup />
          </Region>
        )}
        <div className={styles['side']}>
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
          {shown('code') && (
            <Region name="Code" className={styles['code']}>
              <CodePanel />
            </Region>
          )}
        </div>
      </main>
      <Boundary what="The announcements for screen readers">
        <LiveRegion />
      </Boundary>
      {lab && <LabPlace />}
      {drop.over && <div className={styles['drop']}>Drop data to train on, or weights to begin with</div>}
    </div>
  );
}
