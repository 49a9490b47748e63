/**
 * The name that someone probably meant: the same letters in another case or with underscores, PyTorch's name for it, or
 * one that is a letter or two away. Called by config-issue.ts for settings and types that are not known.
 */
import { distance } from 'fastest-levenshtein';
import { lookup } from './lookup';

/** Arguments of torch's modules that have another name here. */
const PYTORCH: Readonly<Record<string, readonly string[]>> = {
  in_features: ['in'],
  in_channels: ['in'],
  out_features: ['out'],
  out_channels: ['out'],
  kernel_size: ['kernel'],
  num_features: ['features'],
  normalized_shape: ['features'],
  elementwise_affine: ['affine'],
  num_groups: ['groups'],
  num_channels: ['channels'],
  num_embeddings: ['vocab'],
  embedding_dim: ['width'],
  embed_dim: ['width'],
  num_heads: ['heads'],
  output_size: ['output'],
  start_dim: [],
  weight: ['classWeights'],
  pos_weight: ['posWeight'],
  T_max: ['tMax'],
  T_0: ['t0'],
  betas: ['beta1', 'beta2'],
};

const LONGEST = 64;

const plain = (name: string): string => name.replace(/[_-]/g, '').toLowerCase();

/** Names of `known`, at most two; none if no name is near, or if the name itself is known but in the wrong place. */
export function nearNames(name: string, known: Iterable<string>): readonly string[] {
  // A long text is no misspelt name, and computing its distance would be slow.
  if (name.length > LONGEST) return [];
  const others = [...new Set(known)];
  if (others.includes(name)) return [];
  const same = others.find((other) => plain(other) === plain(name));
  if (same !== undefined) return [same];
  const torch = lookup(PYTORCH, name);
  if (torch) return torch.filter((other) => others.includes(other));
  if (name.length < 3) return [];
  // 'CrossEntropy' for 'CrossEntropyLoss', 'sequences' for 'sequence'.
  const longer = others.filter((other) => {
    const [a, b] = [plain(name), plain(other)];
    return b.length >= 4 && (b.startsWith(a) || a.startsWith(b));
  });
  if (longer.length > 0) return longer.slice(0, 2);
  const allowed = name.length < 5 ? 1 : 2;
  const close = others
    .map((other) => ({ other, away: edits(plain(name), plain(other)) }))
    .filter(({ away }) => away <= allowed)
    .toSorted((a, b) => a.away - b.away)[0];
  return close ? [close.other] : [];
}

/** Number of letters to insert, remove or replace; two swapped letters count once. */
const edits = (a: string, b: string): number => distance(a, b) - (isSwap(a, b) ? 1 : 0);

function isSwap(a: string, b: string): boolean {
  const at = [...a].findIndex((letter, index) => letter !== b[index]);
  return at >= 0 && a.length === b.length && a === b.slice(0, at) + b[at + 1] + b[at] + b.slice(at + 2);
}
