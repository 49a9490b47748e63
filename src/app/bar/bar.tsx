/**
 * The bar: which mode on how many devices, the transport, and where training is. On a narrow page, a part moves into
 * the sheet of settings behind a button.
 */
import { useRef } from 'react';
import { FACES } from '../../parallel/faces';
import { useMedia } from '../draw/use-media';
import { useApp } from '../state/use-app';
import styles from './bar.module.css';
import { BarMenu } from './bar-menu';
import { ModePicker } from './mode-picker';
import { PaceLine, PacePicker } from './pace-picker';
import { Standing } from './standing';
import { Transport } from './transport';
import { useFit } from './use-fit';
import { SETTINGS, useSheet } from './use-sheet';
import { WorldSize } from './world-size';

/** On a phone a button shows mode and ranks, and the sheet of settings has their controls. */
function useBrief(): boolean {
  const narrow = useMedia('(max-width: 1020px)');
  return useSheet() !== undefined && narrow;
}

function useLocked(): (part: string) => boolean {
  const lock = useApp((app) => app.lock);
  return (part) => lock.has(part) || lock.has('bar');
}

export function Bar() {
  const hide = useApp((app) => app.hide);
  const locked = useLocked();
  const sheet = useSheet();
  const pace = { disabled: locked('speed') };
  const short = useMedia('(max-width: 1439px)');
  const brief = useBrief();
  const bar = useRef<HTMLElement>(null);
  useFit(bar);
  return (
    <header ref={bar} data-part className={styles['bar']}>
      <h1 className={styles['mark']}>Lockstep</h1>
      {brief ? <RunButton /> : <Run />}
      {!hide.has('transport') && <Transport disabled={locked('transport')} />}
      {!hide.has('speed') && (sheet === 'phone' ? <PaceLine {...pace} /> : <PacePicker {...pace} />)}
      <Standing />
      {sheet ? <SettingsButton /> : short ? <MenuButton /> : <BarMenu locked={locked} />}
    </header>
  );
}

/** The parts for which the bar has no room, at the top of the sheet. */
export function BarInSheet() {
  const hide = useApp((app) => app.hide);
  const locked = useLocked();
  const phone = useSheet() === 'phone';
  const brief = useBrief();
  return (
    <div className={styles['inSheet']}>
      <button type="button" className={styles['plain']} popoverTarget={SETTINGS} aria-label="Close the settings">
        ✕
      </button>
      {brief && <Run />}
      {phone && !hide.has('speed') && <PacePicker disabled={locked('speed')} />}
      <BarMenu locked={locked} />
    </div>
  );
}

function Run() {
  const hide = useApp((app) => app.hide);
  const locked = useLocked();
  return (
    <>
      {!hide.has('mode') && <ModePicker disabled={locked('mode')} />}
      {!hide.has('world') && <WorldSize disabled={locked('world')} />}
    </>
  );
}

/** In a short bar: a button that shows mode and ranks and opens the settings. */
function RunButton() {
  const face = useApp((app) => FACES[app.config.mode]);
  const ranks = useApp((app) => app.config.worldSize);
  return (
    <button type="button" className={styles['run']} popoverTarget={SETTINGS} title={face.title}>
      {face.oneDevice ? face.short : `${face.tight ?? face.short} · ${ranks} ranks`}
    </button>
  );
}

/** The menu behind a button, if the bar is too short for the menu. */
function MenuButton() {
  const locked = useLocked();
  return (
    <>
      <button type="button" className={styles['settings']} popoverTarget="menu" aria-label="Menu" title="Menu">
        ⋯
      </button>
      <div id="menu" popover="auto" className={styles['hung']}>
        <BarMenu locked={locked} />
      </div>
    </>
  );
}

function SettingsButton() {
  return (
    <button
      type="button"
      className={styles['settings']}
      popoverTarget={SETTINGS}
      aria-label="Settings"
      title="Settings"
    >
      <svg viewBox="0 0 20 20" width={18} height={18} aria-hidden="true">
        <path
          d="M2 5h9m4 0h3M2 10h3m4 0h9M2 15h7m4 0h5M11 3v4M5 8v4M9 13v4"
          fill="none"
          stroke="currentColor"
          strokeWidth={1.6}
        />
      </svg>
    </button>
  );
}
