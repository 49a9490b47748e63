/** Which parallelism: a segmented group of radios. The seed, the data and the start stay when it changes. */
import type { Mode } from '../../protocol/config';
import { withMode } from '../edit/edit-config';
import { useApp, useController } from '../state/use-app';
import styles from './mode-picker.module.css';

interface ModeWords {
  readonly mode: Mode;
  /** In full, as PyTorch calls it. */
  readonly name: string;
  readonly short: string;
  /** Where the bar has little room. */
  readonly tight?: string;
  readonly title: string;
}

const MODES: readonly ModeWords[] = [
  { mode: 'single', name: 'Single', short: 'Single', title: 'One device' },
  {
    mode: 'dataParallel',
    name: 'DataParallel',
    short: 'DataParallel',
    tight: 'DP',
    title:
      'One process, one thread per device: each forward copies the model to all of them, device 0 gathers, and Python’s GIL holds the threads back. PyTorch recommends DDP instead, even on one machine',
  },
  {
    mode: 'ddp',
    name: 'DistributedDataParallel',
    short: 'DDP',
    title: 'One process per device; gradients are all-reduced in buckets while backward runs',
  },
  {
    mode: 'modelParallel',
    name: 'Model parallel',
    short: 'Model parallel',
    tight: 'Model',
    title: 'Layers live on different devices; activations cross, one device works at a time',
  },
  {
    mode: 'parameterServer',
    name: 'Parameter server',
    short: 'Server',
    title:
      'cuda:0 holds the parameters; workers pull them, compute gradients and push them, all together or one after the other',
  },
];

export function ModePicker({ disabled }: { disabled: boolean }) {
  const config = useApp((app) => app.config);
  const controller = useController();
  return (
    <div role="radiogroup" aria-label="Parallel mode" className={styles['group']}>
      {MODES.map(({ mode, name, short, tight = short, title }) => (
        <label key={mode} title={title}>
          <input
            type="radio"
            name="mode"
            aria-label={name}
            checked={config.mode === mode}
            disabled={disabled}
            onChange={() => controller.apply(withMode(config, mode))}
          />
          <span aria-hidden>
            <i className={styles['short']}>{short}</i>
            <i className={styles['tight']}>{tight}</i>
          </span>
        </label>
      ))}
    </div>
  );
}
