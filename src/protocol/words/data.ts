/** Words of the settings of the data sets. */
import type { DataConfig } from '../config/data';
import { type NameIn, settings } from './setting';

export const DATA = settings<NameIn<DataConfig>>('data', {
  task: ['Task', 'What the model answers after the sign.'],
  samples: ['Samples', 'How many rows are made.'],
  length: ['Length', 'Symbols of a problem.'],
  symbols: ['Symbols', 'Different symbols; in modular addition the modulus.'],
  context: ['Context', 'Characters that the model sees at once.'],
  stride: ['Stride', 'Characters from one window to the next; without it, windows do not overlap.'],
  in: ['Features', 'Numbers in a row of random inputs.'],
  out: ['Targets', 'Numbers in a row of random targets.'],
  classes: ['Classes', 'How many classes there are; each has a random prototype.'],
  features: ['Features', 'Numbers in a row; with an image size, size × size.'],
  size: ['Image size', 'Pixels per side of an image; prototypes without it are flat rows of features.'],
  color: ['Colour', 'Three channels instead of one.'],
  noise: ['Noise', 'How much is random in the rows, from 0 to 1.'],
  testFraction: ['Test fraction', 'random_split: part of the rows kept out of training.'],
  file: [
    'File',
    'A .csv or .txt file, relative to the configuration file; text without it is the setting text, or our own.',
  ],
  text: ['Text', 'The text itself, in place of a file.'],
  images: ['Images', 'The file of the images in IDX format, as MNIST has it; gzipped or not.'],
  labels: ['Labels', 'The file of the labels in IDX format; gzipped or not.'],
  zip: ['Zip', 'A .zip with one folder of PNG images for each class; without it, every given file class/name.png.'],
  target: ['Target', 'Name or index, from 0, of the column to be predicted; without it, the last one.'],
  header: ['First line', 'Whether the first line holds names; auto: when it is not numbers.'],
  inputs: ['Inputs', 'A .npy file of inputs, one row for each sample, relative to the configuration file.'],
  targets: ['Targets', 'A .npy file of targets, one row for each sample, relative to the configuration file.'],
});
