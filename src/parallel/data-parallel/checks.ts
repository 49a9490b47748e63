/** Settings that DataParallel cannot have together. Called through mode.ts. */
import { refusedSettings } from '../../base/refused-settings';
import type { Config } from '../../protocol/config';

/** parallel_apply enters autocast in each replica's thread again, and hands on that it is enabled, not its dtype. */
export function checkAutocast({ mode, precision }: Config): void {
  if (precision !== 'autocast-bf16') return;
  throw refusedSettings({
    settings: { mode, precision },
    why: 'nn.DataParallel’s threads autocast to float16, whatever dtype the script gives',
    hint: 'Set precision to "autocast-fp16".',
  });
}
