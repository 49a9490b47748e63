/** The notice of a software adapter as two words beside the device, which open the reason and the remedy. */
import { withSetting } from '../edit/edit-config';
import fields from '../fields/fields.module.css';
import { useController } from '../run/use-controller';
import { useApp } from '../state/use-app';
import styles from './notices.module.css';
import { SOFTWARE_ADAPTER } from './which-notices';

export function SoftwareWord() {
  const notice = useApp((app) => app.notices.find(({ id }) => id === SOFTWARE_ADAPTER));
  const onCpu = useApp((app) => app.info?.device.kind === 'cpu');
  const config = useApp((app) => app.config);
  const controller = useController();
  if (!notice) return null;
  const edit = withSetting(config, ['device'], onCpu ? 'webgpu' : 'cpu');
  return (
    <details className={styles['word']}>
      <summary>software adapter</summary>
      <p>
        {notice.text} {notice.hint}
      </p>
      {edit.ok && (
        <button type="button" className={fields['button']} onClick={() => controller.apply(edit.config)}>
          {onCpu ? 'Use WebGPU' : 'Use the CPU'}
        </button>
      )}
    </details>
  );
}
