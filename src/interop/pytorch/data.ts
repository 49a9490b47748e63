/**
 * The lines of the PyTorch script that make its dataset. They are between `torch.manual_seed` and the model, where
 * Lockstep also draws, so that the script starts from the same weights. Rows that only Lockstep can make or read (its
 * pictures, CSV, PNG, IDX) are loaded from an exported file, with the state of the generator after their draws
 * (dataset-file.ts). Called by script.ts.
 */
import { MADE } from '../../data/families/made';
import { SPIRAL } from '../../data/families/spiral';
import { takesClasses } from '../../data/targets';
import type { Config, DataConfig, LossConfig } from '../../protocol/config';
import { DATASET_FILE } from '../../protocol/exported';
import { python } from './python';

type NpyConfig = Extract<DataConfig, { type: 'npy' }>;

export interface DataCode {
  readonly imports: readonly string[];
  /** The import line of torch.utils.data names these, beside DataLoader. */
  readonly names: readonly string[];
  readonly lines: readonly string[];
  /** A Python expression for the numbers of the rows in `dataset` among all rows; undefined: it has all. */
  readonly indices: string | undefined;
}

export function dataCode({ data, loss }: Pick<Config, 'data' | 'loss'>): DataCode {
  const lines = sourceCode(data, loss);
  if (lines === undefined) {
    return {
      imports: ['from safetensors.torch import load_file'],
      names: ['TensorDataset'],
      lines: EXPORTED,
      indices: "data['rows'].tolist()",
    };
  }
  const split = splitCode(data);
  return {
    imports: data.type === 'npy' ? ['import numpy as np'] : [],
    names: ['TensorDataset', ...(split.length > 0 ? ['random_split'] : [])],
    lines: [...lines, ...split],
    indices: split.length > 0 ? 'dataset.indices' : undefined,
  };
}

/** Undefined if the rows are exported. */
function sourceCode(data: DataConfig, loss: LossConfig): readonly string[] | undefined {
  if (data.type === 'npy') return npyCode(data, loss);
  return [SPIRAL, ...MADE].find(({ type }) => type === data.type)?.torch?.(data, loss, python);
}

const npyCode = ({ inputs, targets }: NpyConfig, loss: LossConfig): readonly string[] => [
  `x, y = (torch.from_numpy(np.load(f)) for f in (${python(inputs)}, ${python(targets)}))`,
  takesClasses(loss.type) ? 'y = y.long().flatten()' : 'y = y.float().reshape(len(y), -1)',
  'dataset = TensorDataset(x.float(), y)',
];

/** Loads the training rows after the split. */
const EXPORTED = [
  `data = load_file('${DATASET_FILE}')  # lockstep train --dataset`,
  "dataset = TensorDataset(data['x'], data['y'])",
  "torch.set_rng_state(data['rng_state'])  # after the draws of the data",
];

/** Only the script finds out the number of rows of a file or a text, or of different problems. */
function splitCode(data: DataConfig): readonly string[] {
  const { testFraction } = data;
  if (testFraction === 0) return [];
  if ('samples' in data && data.type !== 'sequence') {
    const test = Math.floor(data.samples * testFraction);
    return [`dataset, test = random_split(dataset, [${data.samples - test}, ${test}])`];
  }
  return [
    `tests = int(len(dataset) * ${testFraction})`,
    'dataset, test = random_split(dataset, [len(dataset) - tests, tests])',
  ];
}
