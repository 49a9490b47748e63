/**
 * Images and labels from two IDX files, the format of MNIST, Fashion-MNIST and EMNIST: images [1, height, width], bytes
 * divided by 255 as torchvision's ToTensor does; labels as they are.
 */
import { at } from '../../../base/invariant';
import type { DataConfig } from '../../../protocol/config';
import type { Files } from '../../../protocol/session';
import { dataError, fileBytes } from '../../data-error';
import { dataFamily, type Rows } from '../../family';
import { checkSize } from '../../limits';
import { readIdx } from '../../readers/idx';

function idx(config: Extract<DataConfig, { type: 'idx' }>, files: Files): Rows {
  const images = readIdx(config.images, fileBytes(files, config.images), 3, 'images');
  const labels = readIdx(config.labels, fileBytes(files, config.labels), 1, 'labels');
  const [rows = 0, height = 0, width = 0] = images.shape;
  if (rows < 2 || height * width === 0) {
    throw dataError(
      { file: config.images, byte: 4 },
      `${rows} images of ${height} x ${width}`,
      'at least 2, with pixels',
      'Choose a file with more images.',
    );
  }
  if (labels.data.length !== rows) {
    throw dataError(
      { file: config.labels, byte: 4 },
      `${labels.data.length} labels`,
      `${rows}, one for each image of ${config.images}`,
      'Choose the two files of one set: train with train, t10k with t10k.',
    );
  }
  const first = at(labels.data, 0);
  if (labels.data.every((label) => label === first)) {
    throw dataError(
      { file: config.labels },
      `only the label ${first}`,
      'at least two classes',
      'Choose a file with images of several classes.',
    );
  }
  checkSize(config.type, rows, height * width, 'Use a smaller part of the data.');
  const inputs = new Float32Array(images.data.length);
  for (let i = 0; i < inputs.length; i++) inputs[i] = (images.data[i] as number) / 255;
  const values = Int32Array.from(labels.data);
  return {
    kind: 'image',
    inputs,
    inputShape: [1, height, width],
    targets: { kind: 'labels', classes: values.reduce((most, label) => Math.max(most, label + 1), 0), values },
  };
}

export const family = dataFamily({
  type: 'idx',
  rows: ({ config, files }) => idx(config, files),
});
