/**
 * Describes a row of the present data: from the Config, or, for data in a file, from what the session has read. Pure.
 */
import type { Config, DataConfig } from '../../protocol/config';
import { rowOf } from '../../protocol/config/data';
import { image, type RowOfData, tokens } from '../../protocol/config/data-row';
import type { SessionInfo } from '../../protocol/session-info';
import { rowOfPreview } from './data-rows';
import { same } from './families';

const FILES = ['type', 'file', 'target', 'inputs', 'targets', 'images', 'labels', 'zip'] as const;
const filesOf = (data: DataConfig): readonly unknown[] =>
  FILES.map((field) => (data as Readonly<Record<string, unknown>>)[field]);

export function knownRow(config: Config, info: SessionInfo | undefined): RowOfData | undefined {
  const { data } = config;
  const row = rowOf(data, config.loss.type);
  if (row || !info || !same(filesOf(info.config.data), filesOf(data))) return row;
  const read = rowOfPreview(info.dataset);
  if (data.type === 'text') return tokens(data.context, read.vocabulary ?? 1);
  if (data.type === 'png') return image([data.color ? 3 : 1, data.size, data.size], read.outputs);
  return read;
}
