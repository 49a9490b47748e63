/** What of the settings about failures has no effect in this run, or another one than it may seem. Called by config-notices.ts. */
import { type Config, DEFAULT_CONFIG, type Straggler } from '../../protocol/config';
import type { Notice } from '../../protocol/session';

const words = (s: Straggler): string => (s.type === 'rank' ? `rank ${s.rank}` : `the link from ${s.from} to ${s.to}`);

/** `devices`, `processes`: of the run. */
export function failureNotices(
  { stragglers, placement, timeoutS }: Config,
  { devices, processes }: { readonly devices: number; readonly processes: number },
): readonly Notice[] {
  const notices: Notice[] = [];
  const exists = (s: Straggler): boolean =>
    s.type === 'rank' ? s.rank < devices : s.from < devices && s.to < devices && s.from !== s.to;
  const absent = stragglers.filter((s) => !exists(s));
  if (absent.length > 0) {
    notices.push({
      level: 'warning',
      id: 'straggler-absent',
      text: `There is no ${absent.map(words).join(', no ')} in this run: nothing is slowed down there.`,
      hint: `Devices are 0 to ${devices - 1}.`,
    });
  }
  if (stragglers.some(exists) && (placement === 'shared' || devices === 1)) {
    notices.push({
      level: 'info',
      id: 'straggler-modelled',
      text: 'What is slowed down by hand slows the modelled clock only: here all devices share one processor.',
      hint: 'Let ranks live in workers to slow one down for real.',
    });
  }
  if (timeoutS !== DEFAULT_CONFIG.timeoutS && processes === 1 && devices === 1) {
    notices.push({
      level: 'info',
      id: 'timeout-unused',
      text: 'The timeout has no effect: one device has nobody to wait for.',
      hint: 'Choose a mode with several devices.',
    });
  }
  return notices;
}
