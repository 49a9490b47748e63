/** What has to be said: calm strips under the bar, each with what to do and, where there is one, a way on. */
import type { Notice } from '../../protocol/session';
import { useSiteVersion } from '../boundary/use-site-version';
import { withSetting } from '../edit/edit-config';
import fields from '../fields/fields.module.css';
import { useApp, useController, useUrlSync } from '../state/use-app';
import styles from './notices.module.css';

export function Notices() {
  const notices = useApp((app) => app.notices);
  if (notices.length === 0) return null;
  return (
    <aside className={styles['stack']} aria-label="Notices">
      {notices.map((notice) => (
        <NoticeCard key={notice.id} notice={notice} />
      ))}
    </aside>
  );
}

function NoticeCard({ notice }: { notice: Notice }) {
  const controller = useController();
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

interface WayOn {
  readonly label: string;
  readonly go: () => void;
}

/** The way on that each kind of notice offers, where a button can do it. */
function useWayOn({ id, level }: Notice): WayOn | undefined {
  const controller = useController();
  const config = useApp((app) => app.config);
  const failed = useApp((app) => app.state === 'failed');
  const device = useApp((app) => app.info?.device.kind);
  const urlSync = useUrlSync();
  const version = useSiteVersion(id === 'not-loaded');
  const choose = (kind: 'webgpu' | 'cpu', label: string): WayOn | undefined => {
    const edit = withSetting(config, ['device'], kind);
    return edit.ok ? { label, go: () => controller.apply(edit.config) } : undefined;
  };
  if (version === 'newer')
    return {
      label: 'Reload to get the new version',
      go: () => {
        urlSync.write('here');
        window.location.reload();
      },
    };
  if (id === 'not-finite') return { label: 'Reset training', go: () => void controller.reset() };
  if (id === 'software-adapter')
    return device === 'cpu' ? choose('webgpu', 'Use WebGPU') : choose('cpu', 'Use the CPU');
  if (id === 'worker-ended' && failed) return { label: 'Go on from the last checkpoint', go: controller.revive };
  if (level === 'error' && (failed || id === 'rank-failed')) return { label: 'Restart', go: controller.restart };
  return undefined;
}
