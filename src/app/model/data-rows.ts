/**
 * Describes one row of a data set as far as it follows from the Config: its shape, the model's outputs for it, and the
 * matching loss. The rows of a file are known only after a look into it (looks/). Pure.
 */
import type { Config, DataConfig } from '../../protocol/config';
import { OWN_TEXT_VOCABULARY } from '../../protocol/presets';
import type { DatasetPreview } from '../../protocol/session-info';
import { charactersOf, DIGIT_CLASSES, SHAPE_NAMES, sequenceLines } from '../../shapes/data';
import type { LayerShape, Source } from './layer-shapes';

export interface RowOfData extends Source {
  readonly kind: 'vector' | 'image' | 'tokens';
  /** The number of columns of the last layer. */
  readonly outputs: number;
  readonly loss: 'MSELoss' | 'CrossEntropyLoss' | 'BCEWithLogitsLoss';
}

export const vector = (inputs: number, outputs: number, loss: RowOfData['loss']): RowOfData => ({
  kind: 'vector',
  shape: [inputs],
  outputs,
  loss,
});
export const image = (shape: LayerShape, classes: number): RowOfData => ({
  kind: 'image',
  shape,
  outputs: classes,
  loss: 'CrossEntropyLoss',
});
export const tokens = (context: number, vocabulary: number): RowOfData => ({
  kind: 'tokens',
  shape: [context],
  vocabulary,
  outputs: vocabulary,
  loss: 'CrossEntropyLoss',
});

/** `loss`: decides whether two classes are one column or two. Undefined if the data are in a file. */
export function rowOf(data: DataConfig, loss: Config['loss']['type']): RowOfData | undefined {
  switch (data.type) {
    case 'circle':
    case 'xor':
    case 'gauss':
    case 'spiral':
      return loss === 'CrossEntropyLoss' ? vector(2, 2, 'CrossEntropyLoss') : vector(2, 1, 'BCEWithLogitsLoss');
    case 'plane':
      return vector(2, 1, 'MSELoss');
    case 'randomRegression':
      return vector(data.in, data.out, 'MSELoss');
    case 'prototypes':
      return data.size === undefined
        ? vector(data.features, data.classes, 'CrossEntropyLoss')
        : image([1, data.size, data.size], data.classes);
    case 'digits':
      return image([1, data.size, data.size], DIGIT_CLASSES);
    case 'shapes':
      return image([1, data.size, data.size], SHAPE_NAMES.length);
    case 'sequence': {
      const { context, vocabulary } = sequenceLines(data);
      return tokens(context, vocabulary.length);
    }
    case 'text':
      if (data.file !== undefined) return undefined;
      return tokens(data.context, data.text === undefined ? OWN_TEXT_VOCABULARY : differentCharacters(data.text));
    default:
      return undefined;
  }
}

/** The number of different characters, as the data set counts them. */
export const differentCharacters = (text: string): number => new Set(charactersOf(text)).size;

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
