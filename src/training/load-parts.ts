/**
 * Loads the parts that compiling a configuration's blueprint needs: its kind of data, operators, fusions. Await it
 * before createBlueprint, which is synchronous. Loading too much does no harm, too little is an error;
 * load-parts.test.ts compiles every layer, loss, optimiser and hook with the parts that this file names.
 */
import { loadAll, type Part } from '../base/part';
import { loadAlgorithm } from '../collectives/algorithms';
import { loadFamily } from '../data/make-dataset';
import { allLayers } from '../nn/all-layers';
import { isFirst, LATE_OPTIMIZERS } from '../optim/optimizers';
import { SCHEDULERS } from '../optim/rates';
import { loadCommHook } from '../parallel/ddp/comm-hooks/comm-hooks';
import { loadRareParts } from '../parallel/ddp/rare-parts';
import { CLIPPING, GRAD_SCALER } from '../parallel/emit-optimizer';
import { loadProgramOps, PARALLEL_MODES, type ProgramOpFamily } from '../parallel/modes';
import { CHECKPOINT_PASS, FUSION_PASSES, MIXED_PRECISION } from '../parallel/stage-graph';
import type { Config, LayerConfig } from '../protocol/config';
import { halfOf, reduceHalf } from '../protocol/half-of';
import { rareNotices } from './blueprint/rare-notices';
import { RESUMING } from './blueprint/resuming-part';
import { FLOAT32_MEMORY, hasHalves } from './device-memory';
import { FAILURE_WORDS } from './failures/failure-words-part';
import { HOST_MEMORY, isLarge } from './host-memory-part';

type LayerType = LayerConfig['type'];

/** Layers that need neither reductions nor movements of elements. */
const PLAIN: ReadonlySet<LayerType> = new Set<LayerType>([
  'Linear',
  'ReLU',
  'Tanh',
  'Sigmoid',
  'GELU',
  'LeakyReLU',
  'ELU',
  'SiLU',
  'Softplus',
  'Dropout',
  'Residual',
  'Unused',
]);

const FAMILIES_OF_LAYER: Partial<Record<LayerType, readonly ProgramOpFamily[]>> = {
  Dropout: ['arithmetic'],
  Residual: ['arithmetic'],
  Conv2d: ['conv'],
  MaxPool2d: ['conv'],
  AvgPool2d: ['conv'],
  AdaptiveAvgPool2d: ['conv'],
  BatchNorm1d: ['norm'],
  BatchNorm2d: ['norm'],
  LayerNorm: ['norm', 'arithmetic'],
  GroupNorm: ['norm', 'arithmetic'],
  Embedding: ['embedding'],
  TokenEmbedding: ['embedding', 'arithmetic'],
  MultiheadAttention: ['attention', 'arithmetic'],
  TransformerBlock: ['attention', 'norm', 'arithmetic'],
};

/** The families of operators that Programs of this configuration may have. */
export function opFamiliesOf(config: Config): readonly ProgramOpFamily[] {
  const { model, loss, optimizer, fuse } = config;
  const types = [...new Set(allLayers(model.layers).map(({ type }) => type))];
  const found = new Set(types.flatMap((type) => FAMILIES_OF_LAYER[type] ?? []));
  const add = (when: boolean, ...families: readonly ProgramOpFamily[]) => {
    if (when) for (const family of families) found.add(family);
  };
  add(!types.every((type) => PLAIN.has(type)), 'reduce', 'shape');
  add(loss.type === 'CrossEntropyLoss' || loss.type === 'NLLLoss', 'classLoss');
  const isPlain = isFirst(optimizer.type) && config.precision !== 'bf16';
  add(config.gradScaler.enabled || clips(config) || !isPlain, 'optimizers');
  add(fuse, 'fused');
  add(halfOf(config) !== undefined || reduceHalf(config) !== undefined, 'precision');
  add(true, ...(PARALLEL_MODES[config.mode].opFamilies?.(config) ?? []));
  // A bias is added after a sum of addends and expanded over the sum, and its gradient is a sum.
  add(found.has('partition'), 'arithmetic', 'reduce', 'shape');
  // The halves that the ranks of a tensor group send each other.
  add(found.has('partition') && found.has('precision'), 'halves');
  return [...found];
}

const clips = ({ clipGradNorm, clipGradValue }: Config): boolean => (clipGradNorm ?? clipGradValue) !== undefined;

export async function loadParts(config: Config): Promise<void> {
  const parts: readonly Part<unknown>[] = [
    ...(config.fuse ? [FUSION_PASSES] : []),
    ...(config.checkpointSegments === undefined ? [] : [CHECKPOINT_PASS]),
    ...(halfOf(config) === undefined ? [] : [MIXED_PRECISION]),
    ...(hasHalves(config) ? [FLOAT32_MEMORY] : []),
    ...(clips(config) ? [CLIPPING] : []),
    ...(config.gradScaler.enabled ? [GRAD_SCALER] : []),
    ...(PARALLEL_MODES[config.mode].parts?.(config) ?? []),
    ...(isLarge(config) ? [HOST_MEMORY] : []),
    // Ranks that hang in their workers must not delay the words that say so.
    ...(config.placement === 'workers' ? [FAILURE_WORDS] : []),
    ...rareNotices(config),
    ...(isFirst(config.optimizer.type) ? [] : [LATE_OPTIMIZERS]),
    ...(config.scheduler === undefined ? [] : [SCHEDULERS]),
    ...(config.resume === undefined && config.weights === undefined ? [] : [RESUMING]),
  ];
  await Promise.all([
    loadFamily(config.data),
    loadProgramOps(opFamiliesOf(config)),
    loadCommHook(config),
    loadRareParts(config),
    loadAlgorithm(config.ddp.algorithm),
    loadAll(parts),
  ]);
}
