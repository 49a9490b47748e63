/** The options that describe a run, shared by train, memory, code and export. */
import { type OptionRow, textOf, usageError, type Values } from './option-values';
import { type GivenSetting, SETTING_OPTIONS, settingsOf } from './settings';
import { PRESET_NAMES } from './spoken-names';

export const SOURCE_OPTIONS: readonly OptionRow[] = [
  {
    name: 'preset',
    value: PRESET_NAMES.join('|'),
    text: 'start from a ready-made run; settings in --config replace the settings of the preset',
  },
  {
    name: 'config',
    value: 'FILE',
    text: 'read the configuration from FILE (JSON, see `lockstep schema`); "-" reads standard input',
  },
  ...SETTING_OPTIONS,
];

export interface SourceOptions {
  readonly preset: string | undefined;
  readonly config: string | undefined;
  /** The settings from --set and the short options. */
  readonly settings?: readonly GivenSetting[];
}

/** `command`: the command's name in the error that no such option was given. */
export function sourceOptions(values: Values, command: string): SourceOptions {
  const [config, preset, settings] = [textOf(values, 'config'), textOf(values, 'preset'), settingsOf(values)];
  if (config === undefined && preset === undefined && settings.length === 0)
    throw usageError(`${command} needs --config FILE, --preset NAME, or settings: --mode ddp --steps 20`);
  return { config, preset, settings };
}
