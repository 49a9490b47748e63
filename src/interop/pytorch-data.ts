/**
 * The lines of the PyTorch script that make its dataset. They stand between `torch.manual_seed` and the model, where Lockstep draws too, so that the
 * script starts from the same weights. A CSV is left to the reader, since what is in it decides how to read it. Called by pytorch-code.ts.
 */
import { unreachable } from '../base/invariant';
import type { Config, DataConfig, LossConfig } from '../protocol/config';

type Toy = Extract<DataConfig, { noise: number }>;
type Labelled = Exclude<Toy['type'], 'plane'>;

export interface DataCode {
  readonly imports: readonly string[];
  /** The import line of torch.utils.data names these, beside DataLoader. */
  readonly names: readonly string[];
  readonly lines: readonly string[];
}

export function dataCode({ data, loss }: Pick<Config, 'data' | 'loss'>): DataCode {
  const split = splitCode(data);
  return {
    imports: data.type === 'npy' ? ['import numpy as np'] : [],
    names: [...(data.type === 'csv' ? [] : ['TensorDataset']), ...(split.length > 0 ? ['random_split'] : [])],
    lines: [...sourceCode(data, loss), ...split],
  };
}

function sourceCode(data: DataConfig, loss: LossConfig): readonly string[] {
  switch (data.type) {
    case 'csv':
      return [`dataset = read(${python(data.file)})  # pairs of tensors x, y`];
    case 'npy':
      return [
        `x, y = (torch.from_numpy(np.load(f)) for f in (${python(data.inputs)}, ${python(data.targets)}))`,
        loss.type === 'CrossEntropyLoss' ? 'y = y.long().flatten()' : 'y = y.float().reshape(len(y), -1)',
        'dataset = TensorDataset(x.float(), y)',
      ];
    case 'randomRegression':
      return [
        `dataset = TensorDataset(torch.randn(${data.samples}, ${data.in}), torch.randn(${data.samples}, ${data.out}))`,
      ];
    case 'plane':
      return [...square(data), `y = ${data.noise > 0 ? 'p' : 'x'}.mean(1, keepdim=True)`, DATASET];
    default:
      return [...labelled(data.type, data), TARGETS[loss.type], DATASET];
  }
}

const DATASET = 'dataset = TensorDataset(x, y)';

/** From `c`, which says for each row whether it is of class 1. */
const TARGETS: Readonly<Record<LossConfig['type'], string>> = {
  BCEWithLogitsLoss: 'y = c[:, None].float()',
  MSELoss: 'y = c[:, None] * 2.0 - 1',
  CrossEntropyLoss: 'y = c.long()',
};

/** As src/data/families has them, draw by draw; the labelled point `p` differs from the seen one `x` where there is noise. */
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

function splitCode(data: DataConfig): readonly string[] {
  const { testFraction } = data;
  if (testFraction === 0) return [];
  const test = 'samples' in data ? Math.floor(data.samples * testFraction) : testFraction;
  const train = 'samples' in data ? data.samples - test : Number((1 - testFraction).toFixed(9));
  return [`dataset, test = random_split(dataset, [${train}, ${test}])`];
}

/** A string literal; what JSON escapes, Python reads alike. */
const python = (text: string): string => (/^[\w ./-]*$/.test(text) ? `'${text}'` : JSON.stringify(text));
