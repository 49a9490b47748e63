/**
 * The notices: strips below the bar, each with a hint and, if possible, a button that acts on it. The notice of a
 * software adapter is shown beside the device's name instead (software-word.tsx).
 */
import { FACES } from '../../parallel/faces';
import type { Notice } from '../../protocol/notice';
import { useUrlSync } from '../address/use-address';
import { loadedPanel } from '../boundary/loaded-panel';
import { useSiteVersion } from '../boundary/use-site-version';
import fields from '../fields/fields.module.css';
import { type LinkState, NO_STATE } from '../permalink/link-state';
import { useController } from '../run/use-controller';
import type { App } from '../state/app-state';
import { useApp, useAppStore } from '../state/use-app';
import { runsFreely, stepShown } from '../transport/positions';
import styles from './notices.module.css';
import { stripsOf, stripsOfLesson } from './which-notices';

const DeeperButton = loadedPanel('A deeper model', async () => (await import('./deeper-button')).DeeperButton);

interface NoticesProps {
  /** Distinguishes several regions of notices on one page. */
  readonly label?: string;
  /** Whether the notices belong to a lesson's figure. */
  readonly inLesson?: boolean;
}

export function Notices({ label = 'Notices', inLesson = false }: NoticesProps) {
  const all = useApp((app) => app.notices);
  const embed = useApp((app) => app.embed);
  const notices = inLesson ? stripsOfLesson(all) : stripsOf(all, embed);
  if (notices.length === 0) return null;
  return (
    <aside className={styles['stack']} aria-label={label}>
      {notices.map((notice) => (
        <NoticeCard key={notice.id} notice={notice} />
      ))}
      {notices.length > 2 && <p className={styles['more']}>{notices.length} notices; scroll to see all of them</p>}
    </aside>
  );
}

function NoticeCard({ notice }: { notice: Notice }) {
  const controller = useController();
  const refused = useApp((app) => (notice.id === 'placement' ? app.refusedConfig : undefined));
  const offered = useApp((app) => (notice.id === 'memory' ? app.offeredConfig : undefined));
  const way = useWayOn(notice);
  return (
    <div
      className={styles['notice']}
      data-level={notice.level}
      data-notice={notice.id}
      role={notice.level === 'error' ? 'alert' : 'status'}
    >
      <p>
        {notice.text} {notice.hint && <span className={styles['hint']}>{notice.hint}</span>}
      </p>
      {offered && (
        <button
          type="button"
          className={fields['button']}
          onClick={() => {
            controller.dismiss(notice);
            controller.apply(offered);
          }}
        >
          Run it {FACES[offered.mode].listed.toLowerCase()}
        </button>
      )}
      {refused && <DeeperButton refused={refused} onGo={() => controller.dismiss(notice)} />}
      {way && (
        <button
          type="button"
          className={fields['button']}
          onClick={() => {
            controller.dismiss(notice);
            way.go();
          }}
        >
          {way.label}
        </button>
      )}
      <button type="button" className={styles['close']} aria-label="Dismiss" onClick={() => controller.dismiss(notice)}>
        ×
      </button>
    </div>
  );
}

/** The state for a link that trains to the shown step; undefined before the run has begun. */
function stepReached(app: App): LinkState | undefined {
  const step = stepShown(app, runsFreely(app));
  return step > 0 ? { ...NO_STATE, at: { step, part: undefined } } : undefined;
}

interface WayOn {
  readonly label: string;
  readonly go: () => void;
}

/** The button of each kind of notice, if a button can help. */
function useWayOn({ id, level }: Notice): WayOn | undefined {
  const controller = useController();
  const failed = useApp((app) => app.state === 'failed');
  const urlSync = useUrlSync();
  const store = useAppStore();
  const version = useSiteVersion(id === 'not-loaded');
  if (version === 'newer' || id === 'new-version')
    return {
      label: 'Reload to get the new version',
      go: () => {
        urlSync.write('here');
        // Not by setting the location, which would apply the link to this page.
        window.history.replaceState(window.history.state, '', urlSync.href(undefined, stepReached(store.getState())));
        window.location.reload();
      },
    };
  if (id === 'not-finite') return { label: 'Reset training', go: () => void controller.reset() };
  if (id === 'worker-ended' && failed) return { label: 'Continue from the last checkpoint', go: controller.revive };
  if (level === 'error' && (failed || id === 'rank-failed')) return { label: 'Restart', go: controller.restart };
  return undefined;
}
