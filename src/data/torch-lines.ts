/**
 * Lines of Python that several data sets share in a PyTorch script. Called by the files of families/, where the lines
 * are beside the code that makes the same rows.
 */
import type { LossConfig } from '../protocol/config';
import { takesClasses } from './targets';

export const DATASET = 'dataset = TensorDataset(x, y)';
export const POLAR = 'x = torch.stack((r * a.sin(), r * a.cos()), 1)';

interface Noisy {
  readonly samples: number;
  readonly noise: number;
}

/** By how much noise moves each point, between -1 and 1. */
export const shiftOf = ({ samples }: Noisy): string => `(torch.rand(${samples}, 2) * 2 - 1)`;

/** Points over the square; with noise, the labelled point `p` differs from the visible point `x`. */
export function square({ samples, noise }: Noisy): readonly string[] {
  const points = `torch.rand(${samples}, 2) * 2 - 1`;
  return noise > 0 ? [`x = ${points}`, `p = x + ${noise} * (${points})`] : [`x = ${points}`];
}

/** Makes the target from `c`, which has for each row its class, or whether it is class 1. */
export function targetLine(c: string, loss: LossConfig): string {
  if (takesClasses(loss.type)) return `y = ${c}.long()`;
  return loss.type === 'BCEWithLogitsLoss' ? `y = ${c}[:, None].float()` : `y = ${c}[:, None] * 2.0 - 1`;
}
