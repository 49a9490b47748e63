/** Words of the settings of the data sets. */
import type { DataConfig } from '../config/data';
import { type NameIn, settings } from './setting';

export const DATA = settings<NameIn<DataConfig>>('data', {
  task: ['Task', 'What the model has to write after the = sign.'],
  samples: ['Samples', 'Number of rows to make.'],
  length: ['Length', 'Number of symbols in a problem.'],
  symbols: ['Symbols', 'Number of different symbols; in modular addition, the modulus.'],
  context: ['Context', 'Number of characters that the model sees at once.'],
  stride: ['Stride', 'Characters from the start of one window to the next; by default, windows do not overlap.'],
  in: ['Features', 'Numbers in a row of random inputs.'],
  out: ['Targets', 'Numbers in a row of random targets.'],
  classes: ['Classes', 'Number of classes; each has a random prototype.'],
  features: ['Features', 'Numbers in a row; with an image size, size × size.'],
  size: ['Image size', 'Pixels per side of an image; without a size, prototypes are flat rows of features.'],
  color: ['Colour', 'Three channels instead of one.'],
  noise: ['Noise', 'How strongly rows are disturbed at random, from 0 to 1.'],
  testFraction: ['Test fraction', 'random_split: fraction of the rows kept out of training.'],
  file: [
    'File',
    'A .csv or .txt file, relative to the configuration file. Without a file, text data uses the setting text or a built-in text.',
  ],
  text: ['Text', 'The text itself, in place of a file.'],
  images: ['Images', 'File of the images in IDX format, the format of MNIST, gzipped or not.'],
  labels: ['Labels', 'File of the labels in IDX format, gzipped or not.'],
  zip: [
    'Zip',
    'A .zip with one folder of PNG images per class. Without a .zip, the given files are named class/name.png.',
  ],
  target: ['Target', 'Name or index (from 0) of the column to predict; by default the last column.'],
  header: [
    'First line',
    'Whether the first line holds column names; auto: yes, if the line has entries that are not numbers.',
  ],
  inputs: ['Inputs', 'A .npy file of inputs, one row for each sample, relative to the configuration file.'],
  targets: ['Targets', 'A .npy file of targets, one row for each sample, relative to the configuration file.'],
});
