/**
 * Notices about failure settings that have no effect in this run, or a surprising one. Called by
 * blueprint/rare-notices.ts for runs with such settings.
 */
import type { Program } from '../../program/instruction';
import { type Config, DEFAULT_CONFIG, type Straggler } from '../../protocol/config';
import type { Notice } from '../../protocol/notice';

/** Links over which a step sends messages. */
export const linksOf = (programs: readonly Program[]): ReadonlySet<string> =>
  new Set(
    programs
      .filter(({ kind }) => kind.type !== 'construct')
      .flatMap(({ lanes }) =>
        lanes.flatMap((l) => l.instructions.flatMap((i) => (i.kind === 'send' ? [`${l.device} ${i.peer}`] : []))),
      ),
  );

const words = (s: Straggler): string => (s.type === 'rank' ? `rank ${s.rank}` : `the link from ${s.from} to ${s.to}`);

/** `devices`, `processes`: numbers of the run; `links`: 'from to' of the links that carry messages. */
export function failureNotices(
  { stragglers, placement, timeoutS }: Config,
  {
    devices,
    processes,
    links,
  }: { readonly devices: number; readonly processes: number; readonly links: ReadonlySet<string> },
): readonly Notice[] {
  const notices: Notice[] = [];
  const exists = (s: Straggler): boolean =>
    s.type === 'rank' ? s.rank < devices : s.from < devices && s.to < devices && s.from !== s.to;
  const absent = stragglers.filter((s) => !exists(s));
  if (absent.length > 0) {
    notices.push({
      level: 'warning',
      id: 'straggler-absent',
      text: `There is no ${absent.map(words).join(', no ')} in this run: slowing it down has no effect.`,
      hint: `Devices are 0 to ${devices - 1}.`,
    });
  }
  const unused = stragglers.filter((s) => s.type === 'link' && exists(s) && !links.has(`${s.from} ${s.to}`));
  if (unused.length > 0) {
    notices.push({
      level: 'info',
      id: 'straggler-unused',
      text: `Nothing is sent over ${unused.map(words).join(', ')} in this run: slowing it down has no effect.`,
      hint: `Links in use: ${[...links].map((link) => link.replace(' ', ' to ')).join(', ') || 'none'}.`,
    });
  }
  if (stragglers.some(exists) && (placement === 'shared' || devices === 1)) {
    notices.push({
      level: 'info',
      id: 'straggler-modelled',
      text: 'Slowdowns affect only the modelled clock: all devices share one processor here.',
      hint: 'Put ranks in workers to slow one down for real.',
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
