/** The run that a link's keys change, and how the value of a key is written in a run. Used to read and print links. */
import * as v from 'valibot';
import { exhibitConfig } from '../../museum/mistakes';
import { type Config, configSchema } from '../../protocol/config';
import { isBuiltIn } from '../../protocol/config/data';
import { withData } from '../edit/edit-data';
import { rangeOf } from '../edit/setting-ranges';
import { codecOf } from './permalink-codecs';
import type { PermalinkKey } from './permalink-keys';
import type { ViewOptions } from './permalink-view';

const fileData = (type: 'csv' | 'npy' | 'idx' | 'png'): Config['data'] => {
  if (type === 'csv') return { type, file: '', header: 'auto', testFraction: 0 };
  if (type === 'npy') return { type, inputs: '', targets: '', testFraction: 0 };
  if (type === 'idx') return { type, images: '', labels: '', testFraction: 0 };
  return { type, size: 28, color: false, testFraction: 0.2 };
};

export const isFile = (type: unknown): type is 'csv' | 'npy' | 'idx' | 'png' =>
  type === 'csv' || type === 'npy' || type === 'idx' || type === 'png';

/** A preset with another kind of data, with which the data's keys are compared. */
export function withDataType(start: Config, type: unknown): Config {
  if (type === start.data.type) return start;
  if (isBuiltIn(type)) return withData(start, type);
  return isFile(type) ? { ...start, data: fileData(type) } : start;
}

export const codecFor = (config: Config, key: PermalinkKey) => {
  const range = rangeOf(config, key.path);
  return range && { range, codec: key.codec ?? codecOf(range) };
};

/** The run of the open exhibit; undefined if none is open, or if the exhibit does not change the run. */
export function startOf({ exhibit }: ViewOptions): Config | undefined {
  const settings = exhibit && exhibitConfig(exhibit.id, exhibit.cured);
  return settings && v.parse(configSchema, settings);
}
