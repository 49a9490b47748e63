/**
 * One row of the data that the session has read, and the number of rows in an epoch. What follows from the settings
 * alone is in protocol/config/data. Pure.
 */
import type { DataConfig } from '../../protocol/config';
import { image, type RowOfData, tokens, vector } from '../../protocol/config/data-row';
import type { DatasetPreview } from '../../protocol/session-info';

/** The row of data that the session has read. */
export function rowOfPreview({ kind, inputShape, outputs, vocabulary, task }: DatasetPreview): RowOfData {
  if (kind === 'tokens') return tokens(inputShape[0] ?? 1, vocabulary.length);
  if (kind === 'image') return image(inputShape, outputs);
  const loss = task === 'regression' ? 'MSELoss' : outputs === 1 ? 'BCEWithLogitsLoss' : 'CrossEntropyLoss';
  return vector(inputShape[0] ?? 1, outputs, loss);
}

/** The number of rows in an epoch; undefined for a text or a file, which only the session reads. */
export function trainRowsOf(data: DataConfig): number | undefined {
  if (!('samples' in data) || data.samples === undefined) return undefined;
  return data.samples - Math.floor(data.samples * data.testFraction);
}
