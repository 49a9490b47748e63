/** One notice that lists settings that have no effect in the current mode. Called by config-notices.ts. */
import { lookup } from '../base/lookup';
import { type Config, DEFAULT_CONFIG, type Mode } from '../protocol/config';
import type { Notice } from '../protocol/session';

type Section = 'ddp' | 'parameterServer' | 'modelParallel';
const SECTIONS: readonly Section[] = ['ddp', 'parameterServer', 'modelParallel'];
/**
 * The page gives a small cap to every run, whatever its mode, so that there are several buckets when it becomes DDP.
 */
const ALWAYS_GIVEN = 'ddp.bucketCapMb';

export function modeNotices(config: Config): readonly Notice[] {
  const { mode, resume, resumeBy, nodes } = config;
  const notices: Notice[] = [];
  const say = (id: string, text: string, hint: string) => notices.push({ level: 'info', id, text, hint });
  const idle = SECTIONS.filter((section) => section !== mode).flatMap((section) => given(config, section));
  if (mode === 'single' && nodes > 1) idle.push('nodes');
  if (idle.length > 0)
    say(
      'other-mode',
      `${idle.join(', ')} ${idle.length === 1 ? 'has' : 'have'} no effect in mode ${mode}.`,
      `Used in: ${[...new Set(idle.map(modeOf))].join(', ')}.`,
    );
  if (resume === undefined && resumeBy !== DEFAULT_CONFIG.resumeBy)
    say(
      'no-effect-resume-by',
      'resumeBy has no effect: the run does not resume a checkpoint.',
      'Name a checkpoint in resume.',
    );
  return notices;
}

/** 'ddp.join' and so on: what differs from the defaults. */
function given(config: Config, section: Section): string[] {
  const own: Readonly<Record<string, unknown>> = config[section];
  const usual: Readonly<Record<string, unknown>> = DEFAULT_CONFIG[section];
  return Object.keys(own)
    .filter(
      (key) =>
        lookup(own, key) !== undefined && JSON.stringify(lookup(own, key)) !== JSON.stringify(lookup(usual, key)),
    )
    .map((key) => `${section}.${key}`)
    .filter((name) => name !== ALWAYS_GIVEN);
}

const modeOf = (setting: string): Mode => SECTIONS.find((section) => setting.startsWith(`${section}.`)) ?? 'ddp';
