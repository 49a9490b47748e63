/** Causes of a difference that appears late: growing rounding, running statistics, gradients that are only rounding. */
import { greatest, relative } from '../tolerances';
import type { CauseRow } from './cause';
import { settingWords } from './evidence';

const BUFFER = /(^|\.)(running_mean|running_var|num_batches_tracked)$/;

export const buffers: CauseRow = {
  id: 'buffers',
  from: 'numbers',
  says: "Only running statistics (BatchNorm's buffers) differ: another momentum, the statistics of another rank (with broadcast_buffers=False each rank has its own), or another number of forward passes in train().",
  test(evidence) {
    const { losses, parting, weights } = evidence;
    if (losses.parts || parting) return undefined;
    const far = weights.tensors.filter((tensor) => tensor.apart > tensor.bar);
    if (far.length === 0 || !far.every(({ name }) => BUFFER.test(name))) return undefined;
    return `All losses and parameters agree; among the final weights only ${far
      .slice(0, 3)
      .map(({ name }) => name)
      .join(
        ', ',
      )}${far.length > 3 ? ` and ${far.length - 3} more` : ''} differ.${settingWords(evidence, ['ddp.broadcastBuffers', 'model'])}`;
  },
};

/** Rounding does not grow by a larger factor in one step. */
const JUMP = 100;
/** The number of earlier steps in which rounding must be visible. */
const LEAST = 5;

export const rounding: CauseRow = {
  id: 'rounding',
  from: 'numbers',
  says: 'Rounding: the runs add in another order (another number of ranks, another version or device of PyTorch), and training amplifies the difference from step to step. No setting is wrong.',
  test(evidence) {
    const { a, b, losses, parting } = evidence;
    const { parts, pairs } = losses;
    if (!parts || parting === undefined) return undefined;
    const at = pairs.findIndex(({ microBatch }) => microBatch === parts.microBatch);
    if (at < LEAST) return undefined;
    const before = pairs.slice(0, at).map((pair) => relative(pair.a, pair.b, 0.01));
    const most = greatest(before);
    const seen = before.filter((each) => each > 0).length;
    if (seen < LEAST || parts.relative > JUMP * most) return undefined;
    const early = greatest(before.slice(0, Math.ceil(before.length / 4)));
    if (early >= parts.relative / 2) return undefined;
    const versions = [a, b].map(({ engineVersion, madeBy }) => engineVersion ?? madeBy);
    const other =
      versions[0] !== versions[1] && versions.every(Boolean) ? ` ${a.madeBy} computed A, ${b.madeBy} computed B.` : '';
    return `The difference grows gradually: ${early.toExponential(0)} in the first quarter of the ${at} losses before, ${parts.relative.toExponential(0)} at the first loss above the bar.${other}${settingWords(evidence, ['mode', 'worldSize', 'ddp.algorithm', 'placement', 'device', 'fuse', 'fusedMultiplyAdd'])}`;
  },
};

/**
 * Whether the loss does not depend on this parameter, judged by names in the state_dict: biases of keys, or before a
 * norm.
 */
function isBlindByName(name: string, all: ReadonlySet<string>): boolean {
  if (/qkv\.bias$|in_proj_bias$/.test(name)) return true;
  const [, parent = '', index = '', kind] = /^(.*?)(\d+)\.(bias|running_mean)$/.exec(name) ?? [];
  // The norm after it subtracts the bias with the mean.
  if (kind === 'bias') return all.has(`${parent}${Number(index) + 1}.running_mean`);
  return kind === 'running_mean' && all.has(`${parent}${Number(index) - 1}.bias`);
}

export const blindGradients: CauseRow = {
  id: 'rounding-gradients',
  from: 'numbers',
  says: 'The loss does not depend on these parameters (a bias before BatchNorm, the key part of an attention bias): their gradient is only rounding, which an adaptive optimizer turns into steps.',
  test({ losses, weights, history, parting }) {
    if (losses.parts || parting) return undefined;
    const far = weights.tensors.filter((tensor) => tensor.apart > tensor.bar);
    const all = new Set(weights.tensors.map(({ name }) => name));
    const blind = far.filter(({ name }) => history.rounding.has(name) || isBlindByName(name, all));
    if (far.length === 0 || blind.length < far.length) return undefined;
    const names = blind.map(({ name }) => name).join(', ');
    const which = blind.every(({ name }) => /qkv\.bias$|in_proj_bias$/.test(name))
      ? 'which include the bias of the keys'
      : 'which by their names are a bias before a norm, the mean of that norm, or include the bias of keys';
    return `All losses agree; ${names} do not, ${which}. Reports with the first steps (--history 2 on both sides) show their gradients.`;
  },
};
