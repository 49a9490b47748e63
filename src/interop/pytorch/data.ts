/**
 * The lines of the PyTorch script that make its dataset. They are between `torch.manual_seed` and the model, where
 * Lockstep also draws, so that the script starts from the same weights. Rows that only Lockstep can make or read (its
 * pictures, CSV, PNG, IDX) are loaded from an exported file, with the state of the generator after their draws
 * (dataset-file.ts). Called by script.ts.
 */
import { unreachable } from '../../base/invariant';
import type { Config, DataConfig, LossConfig, ToyData } from '../../protocol/config';
import { DATASET_FILE } from '../../protocol/exported';
import { python } from './python';
import { sequenceCode, textCode } from './tokens';

type Toy = Extract<DataConfig, { type: ToyData }>;
type Labelled = Exclude<Toy['type'], 'plane'>;
type Exported = Extract<DataConfig, { type: 'digits' | 'shapes' | 'idx' | 'png' | 'csv' }>;

export interface DataCode {
  readonly imports: readonly string[];
  /** The import line of torch.utils.data names these, beside DataLoader. */
  readonly names: readonly string[];
  readonly lines: readonly string[];
  /** A Python expression for the numbers of the rows in `dataset` among all rows; undefined: it has all. */
  readonly indices: string | undefined;
}

export function dataCode({ data, loss }: Pick<Config, 'data' | 'loss'>): DataCode {
  if (isExported(data)) {
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
    lines: [...sourceCode(data, loss), ...split],
    indices: split.length > 0 ? 'dataset.indices' : undefined,
  };
}

const isExported = (data: DataConfig): data is Exported =>
  data.type === 'digits' || data.type === 'shapes' || data.type === 'idx' || data.type === 'png' || data.type === 'csv';

/** Loads the training rows after the split. */
const EXPORTED = [
  `data = load_file('${DATASET_FILE}')  # lockstep train --dataset`,
  "dataset = TensorDataset(data['x'], data['y'])",
  "torch.set_rng_state(data['rng_state'])  # after the draws of the data",
];

/** The losses that take class indices. */
export const takesClasses = ({ type }: LossConfig): boolean => type === 'CrossEntropyLoss' || type === 'NLLLoss';

function sourceCode(data: Exclude<DataConfig, Exported>, loss: LossConfig): readonly string[] {
  switch (data.type) {
    case 'npy':
      return [
        `x, y = (torch.from_numpy(np.load(f)) for f in (${python(data.inputs)}, ${python(data.targets)}))`,
        takesClasses(loss) ? 'y = y.long().flatten()' : 'y = y.float().reshape(len(y), -1)',
        'dataset = TensorDataset(x.float(), y)',
      ];
    case 'randomRegression':
      return [
        `dataset = TensorDataset(torch.randn(${data.samples}, ${data.in}), torch.randn(${data.samples}, ${data.out}))`,
      ];
    case 'plane':
      return [...square(data), `y = ${data.noise > 0 ? 'p' : 'x'}.mean(1, keepdim=True)`, DATASET];
    case 'prototypes':
      return [...prototypes(data), ...(takesClasses(loss) ? [] : [targetLine('y', loss)]), DATASET];
    case 'sequence':
      return [...sequenceCode(data), DATASET];
    case 'text':
      return [...textCode(data), DATASET];
    default:
      return [...labelled(data.type, data), targetLine('c', loss), DATASET];
  }
}

const DATASET = 'dataset = TensorDataset(x, y)';

/** Makes the target from `c`, which has for each row its class, or whether it is class 1. */
function targetLine(c: string, loss: LossConfig): string {
  if (takesClasses(loss)) return `y = ${c}.long()`;
  return loss.type === 'BCEWithLogitsLoss' ? `y = ${c}[:, None].float()` : `y = ${c}[:, None] * 2.0 - 1`;
}

function prototypes(data: Extract<DataConfig, { type: 'prototypes' }>): readonly string[] {
  const { samples: n, classes, size } = data;
  const features = size === undefined ? data.features : size * size;
  const shape = size === undefined ? '' : `.reshape(-1, 1, ${size}, ${size})`;
  const mix = `0.5 * prototypes[y] + 0.5 * torch.rand(${n}, ${features})`;
  return [
    `prototypes = torch.rand(${classes}, ${features})`,
    `y = torch.randint(0, ${classes}, (${n},))`,
    `x = ${shape === '' ? mix : `(${mix})${shape}`}`,
  ];
}

/** The same draws as in src/data/families; with noise, the labelled point `p` differs from the visible point `x`. */
function labelled(type: Labelled, data: Toy): readonly string[] {
  const { samples: n, noise } = data;
  const polar = 'x = torch.stack((r * a.sin(), r * a.cos()), 1)';
  const shift = `(torch.rand(${n}, 2) * 2 - 1)`;
  switch (type) {
    case 'xor':
      return [...square(data), `c = ${noise > 0 ? 'p' : 'x'}.prod(1) > 0`];
    case 'gauss':
      return [
        `c = torch.arange(${n}) % 2 == 0`,
        `x = (c[:, None] * 2 - 1) / 3 + ${noise > 0 ? `(0.5 + 7 * ${noise})` : 0.5} ** 0.5 / 6 * torch.randn(${n}, 2)`,
      ];
    case 'circle':
      return [
        `r, a = torch.rand(${n}), torch.rand(${n}) * 2 * torch.pi`,
        `r = torch.where(torch.arange(${n}) % 2 == 0, r * 5 / 12, (7 + 3 * r) / 12)`,
        polar,
        ...(noise > 0 ? [`p = x + ${noise} * 5 / 6 * ${shift}`] : []),
        `c = ${noise > 0 ? 'p' : 'x'}.norm(dim=1) < 5 / 12`,
      ];
    case 'spiral':
      return [
        `i = torch.arange(${n})`,
        `r = i // 2 / ${Math.ceil(n / 2)}`,
        'r, a = 5 / 6 * r, (3.5 * r + i % 2) * torch.pi',
        noise > 0 ? `${polar} + ${noise} / 6 * ${shift}` : polar,
        'c = i % 2 == 0',
      ];
    default:
      return unreachable(type);
  }
}

function square({ samples: n, noise }: Toy): readonly string[] {
  const points = `torch.rand(${n}, 2) * 2 - 1`;
  return noise > 0 ? [`x = ${points}`, `p = x + ${noise} * (${points})`] : [`x = ${points}`];
}

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
