/**
 * All operators that may occur in a model's graph, by name. Linear layers, activations and elementwise losses are
 * always loaded; `loadOps` adds the other families when a run needs them. Optimisers and collectives have their own
 * tables; `parallel` merges all tables.
 */
import { CodeTable, Part } from '../base/part';
import type { OpDef, OpTable } from './op';
import { COLLECTIVE_OPS } from './ops/collective';
import { LINEAR_OPS } from './ops/linear';
import { LOSS_OPS } from './ops/loss';
import { POINTWISE_OPS } from './ops/pointwise';

const rows = new CodeTable<OpDef>([...LINEAR_OPS, ...POINTWISE_OPS, ...LOSS_OPS, ...COLLECTIVE_OPS]);

export const OPS: OpTable = rows;

const FAMILIES = {
  arithmetic: new Part(
    'The sums and products of tensors',
    async () => (await import('./ops/pointwise/arithmetic-ops')).ARITHMETIC_OPS,
  ),
  attention: new Part('The operators of attention', async () => (await import('./ops/attention')).ATTENTION_OPS),
  classLoss: new Part('The losses of classes', async () => (await import('./ops/loss/class-losses')).CLASS_LOSS_OPS),
  conv: new Part('The operators of convolutions', async () => (await import('./ops/conv')).CONV_OPS),
  embedding: new Part('The operators of embeddings', async () => (await import('./ops/embedding')).EMBEDDING_OPS),
  fused: new Part('The fused operators', async () => (await import('./ops/fused')).FUSED_OPS),
  matmul: new Part('The product of matrices', async () => [(await import('./ops/linear/matmul')).matmul]),
  partition: new Part(
    'The operators of tensors that are cut',
    async () => (await import('./ops/partition')).PARTITION_OPS,
  ),
  norm: new Part('The operators of normalisation', async () => (await import('./ops/norm')).NORM_OPS),
  precision: new Part('The operators of mixed precision', async () => (await import('./ops/precision')).PRECISION_OPS),
  reduce: new Part('The operators that reduce', async () => (await import('./ops/reduce')).REDUCE_OPS),
  shape: new Part('The operators that move elements', async () => (await import('./ops/shape')).SHAPE_OPS),
} as const;

export type OpFamily = keyof typeof FAMILIES;
export const OP_FAMILIES = Object.keys(FAMILIES) as readonly OpFamily[];

/** Families whose operators have other prefixes. */
const BY_NAME: readonly (readonly [RegExp, OpFamily])[] = [
  [/^(collective|loss[/]parallel)/, 'partition'],
  [/^loss[/](cross-entropy|nll)/, 'classLoss'],
  [/^pointwise[/]chain$/, 'fused'],
  [/^ops[/](add|mul)/, 'arithmetic'],
  [/^ops[/]matmul$/, 'matmul'],
  [/^ops[/](softmax|log-softmax|sum)/, 'reduce'],
];

/** The family of an operator that is loaded on demand; parallel/modes has `optim/` and `ddp/`. */
export const familyOfOp = (name: string): string =>
  BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? name.slice(0, name.indexOf('/'));

/** Adds these families to the table and returns their operators. */
export async function loadOps(families: readonly OpFamily[]): Promise<readonly OpDef[]> {
  const loaded = (await Promise.all(families.map((family) => FAMILIES[family].load()))).flat();
  rows.extend(loaded);
  return loaded;
}

if (!globalThis.LOCKSTEP_SITE) await loadOps(OP_FAMILIES);
