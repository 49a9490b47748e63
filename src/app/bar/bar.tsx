/** The bar: which mode on how many devices, the transport, and where training stands. */
import { useApp } from '../state/use-app';
import styles from './bar.module.css';
import { BarMenu } from './bar-menu';
import { ModePicker } from './mode-picker';
import { SpeedPicker } from './speed-picker';
import { Standing } from './standing';
import { Transport } from './transport';
import { WorldSize } from './world-size';

export function Bar() {
  const hide = useApp((app) => app.hide);
  const lock = useApp((app) => app.lock);
  const locked = (part: string) => lock.has(part) || lock.has('bar');
  return (
    <header className={styles['bar']}>
      <h1 className={styles['mark']}>Lockstep</h1>
      {!hide.has('mode') && <ModePicker disabled={locked('mode')} />}
      {!hide.has('world') && <WorldSize disabled={locked('world')} />}
      {!hide.has('transport') && <Transport disabled={locked('transport')} />}
      {!hide.has('speed') && <SpeedPicker disabled={locked('speed')} />}
      <Standing />
      <BarMenu locked={locked} />
    </header>
  );
}
