/** What a row of the data in use looks like: from the Config, or, where it stands in a file, from what the session has read of it. Pure. */
import type { Config } from '../../protocol/config';
import type { SessionInfo } from '../../protocol/session';
import { type RowOfData, rowOf, rowOfPreview } from './data-rows';
import { same } from './families';

export function knownRow(config: Config, info: SessionInfo | undefined): RowOfData | undefined {
  const row = rowOf(config.data, config.loss.type);
  if (row || !info || !same(info.config.data, config.data)) return row;
  return rowOfPreview(info.dataset);
}
