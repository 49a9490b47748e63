/**
 * The configuration that continues from a checkpoint: the checkpoint's settings, or the page's. The device always stays
 * the page's. Pure.
 */
import * as v from 'valibot';
import { type Config, configSchema } from '../../protocol/config';
import type { Files } from '../../protocol/session';
import { describeCheckpoint } from '../../training/checkpoint/describe-checkpoint';
import type { NamedCheckpoint } from './checkpoint-zip';

export type SettingsOf = 'checkpoint' | 'page';

export function withCheckpoint(
  page: Config,
  { name, files }: NamedCheckpoint,
  settingsOf: SettingsOf,
): { readonly config: Config; readonly files: Files } {
  const named = filesOf(name, files);
  const saved = v.safeParse(configSchema, describeCheckpoint(`${name}.state.safetensors`, files.state).config);
  const base = settingsOf === 'checkpoint' && saved.success ? saved.output : page;
  const { weights: _, ...settings } = base;
  const { placement, device, hardware, compareSingle } = page;
  return { config: { ...settings, placement, device, hardware, compareSingle, resume: name }, files: named };
}

/** The files under the names that the session expects. */
export const filesOf = (name: string, { model, state }: NamedCheckpoint['files']): Files => ({
  [`${name}.safetensors`]: model,
  [`${name}.state.safetensors`]: state,
});

export function withoutCheckpoint({ resume: _, ...config }: Config): Config {
  return config;
}
