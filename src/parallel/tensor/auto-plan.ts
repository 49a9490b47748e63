/**
 * Makes a plan for a model if the settings have none. It cuts layers in pairs, the first by columns and the second by
 * rows, so that activations between them stay in parts and each pair needs one all-reduce forward and one backward
 * (Megatron-LM, arXiv 1909.08053). Transformer blocks are two such pairs; in a residual block, pairs are formed within
 * a branch. A token embedding is cut by vocabulary, and so is a head of token logits, whose cross-entropy then takes
 * logits in parts. Layers that the ranks cannot share stay whole, and so do layers that share a weight, except a token
 * embedding and its head: both cut the weight by vocabulary. Called by plan.ts.
 */
import { at } from '../../base/invariant';
import { modulesOf, sharedWeights } from '../../graph/partition/styles';
import type { Config, LayerConfig, LayerType } from '../../protocol/config';
import { POINTWISE_LAYERS } from '../../protocol/config/layer-kinds';
import type { StyleConfig, TensorConfig } from '../../protocol/config/tensor';
import { replicasOf } from '../../protocol/mesh-sizes';
import { everyRankHasPart } from './face-size';

/** Layers that work on each channel separately. */
const BETWEEN_CONVOLUTIONS: ReadonlySet<LayerType> = new Set<LayerType>([
  ...POINTWISE_LAYERS,
  'BatchNorm2d',
  'MaxPool2d',
  'AvgPool2d',
  'AdaptiveAvgPool2d',
  'Flatten',
]);

/** With SyncBatchNorm the replicas exchange the statistics of whole layers. */
export const exchangesStatistics = (config: Pick<Config, 'ddp' | 'mode' | 'mesh' | 'worldSize'>): boolean =>
  config.ddp.syncBatchNorm && replicasOf(config) > 1;

type Entry = readonly [module: string, style: StyleConfig];
type Entries = readonly Entry[];

export function autoPlan(config: Config, ranks: number): Required<TensorConfig> {
  const {
    model: { layers },
    loss,
  } = config;
  const shared = [...sharedWeights(modulesOf(layers)).values()];
  const sharing = new Set(shared.flat());
  const entries = entriesOf({ layers, prefix: '', cutsNorms: !exchangesStatistics(config), sharing }, ranks);
  const last = vocabularyHead(layers, loss, ranks);
  const isPaired = entries.some(([module]) => module === last);
  const all: Entries = last === undefined || isPaired ? entries : [...entries, [last, 'ColwiseParallel']];
  const named = new Set(all.map(([module]) => module));
  const left = new Set(shared.filter((modules) => !modules.every((module) => named.has(module))).flat());
  const plan = Object.fromEntries(all.filter(([module]) => !left.has(module)));
  return { plan, lossParallel: last !== undefined && !isPaired && !left.has(last) };
}

/** Layers that run one after the other: the model's, or those of a branch of a residual block. */
interface Chain {
  readonly layers: readonly LayerConfig[];
  /** Before the names of the layers: '2.layers.' for a branch of module 2. */
  readonly prefix: string;
  /** Whether a BatchNorm2d between two convolutions may be cut. */
  readonly cutsNorms: boolean;
  /** Paths of the model's modules that share a weight. */
  readonly sharing: ReadonlySet<string>;
}

function entriesOf(chain: Chain, ranks: number): Entries {
  const { layers } = chain;
  const entries: Entry[] = [];
  let paired = -1;
  for (const [i, layer] of layers.entries()) {
    if (i <= paired) continue;
    entries.push(...inside(layer, { ...chain, prefix: pathOf(chain, i) }, ranks));
    const second = partnerOf(layers, i, ranks);
    if (second === undefined || [i, second].some((j) => chain.sharing.has(pathOf(chain, j)))) continue;
    if (!chain.cutsNorms && layers.slice(i, second).some(({ type }) => type === 'BatchNorm2d')) continue;
    entries.push(...pair(chain, i, second));
    paired = second;
  }
  return entries;
}

const pathOf = ({ layers, prefix }: Pick<Chain, 'layers' | 'prefix'>, i: number): string =>
  prefix + (at(layers, i).name ?? String(i));

/** Plan entries of a layer that contains layers. */
function inside(
  layer: LayerConfig,
  { prefix: path, cutsNorms, sharing }: Omit<Chain, 'layers'>,
  ranks: number,
): Entries {
  const of = (child: string) => (path === '' ? child : `${path}.${child}`);
  switch (layer.type) {
    case 'Embedding':
      return everyRankHasPart(layer.vocab, ranks) ? [[path, 'RowwiseParallel']] : [];
    case 'TokenEmbedding':
      return everyRankHasPart(layer.vocab, ranks) ? [[of('tok'), 'RowwiseParallel']] : [];
    case 'MultiheadAttention':
      return layer.heads % ranks === 0 ? [[path, 'ColwiseParallel']] : [];
    case 'TransformerBlock':
      return [
        ...(layer.heads % ranks === 0
          ? ([
              [of('qkv'), 'ColwiseParallel'],
              [of('proj'), 'RowwiseParallel'],
            ] as const)
          : []),
        ...(everyRankHasPart(layer.width * layer.expansion, ranks)
          ? ([
              [of('fc1'), 'ColwiseParallel'],
              [of('fc2'), 'RowwiseParallel'],
            ] as const)
          : []),
      ];
    case 'Residual':
      return [
        ...entriesOf({ layers: layer.layers, prefix: `${of('layers')}.`, cutsNorms, sharing }, ranks),
        ...entriesOf({ layers: layer.shortcut ?? [], prefix: `${of('shortcut')}.`, cutsNorms, sharing }, ranks),
      ];
    default:
      return [];
  }
}

/** The layer to cut by rows if this layer is cut by columns. */
function partnerOf(layers: readonly LayerConfig[], i: number, ranks: number): number | undefined {
  const first = at(layers, i);
  if (first.type === 'Linear') {
    const second = layers.findIndex(({ type }, j) => j > i && !POINTWISE_LAYERS.has(type));
    return everyRankHasPart(first.out, ranks) && layers[second]?.type === 'Linear' ? second : undefined;
  }
  if (first.type !== 'Conv2d' || first.groups > 1 || !everyRankHasPart(first.out, ranks)) return undefined;
  const second = layers.findIndex(({ type }, j) => j > i && !BETWEEN_CONVOLUTIONS.has(type));
  const flat = layers.slice(i, second).some(({ type }) => type === 'Flatten');
  const partner = layers[second];
  // Flattened channels of a rank are neighbouring columns of the next layer if all ranks have equally many.
  if (partner?.type === 'Linear') return flat && first.out % ranks === 0 ? second : undefined;
  return partner?.type === 'Conv2d' && partner.groups === 1 && !flat ? second : undefined;
}

/** The pair and the norms between its layers; the channels of a norm are cut like the convolution's. */
function pair(chain: Chain, first: number, second: number): Entries {
  const norms = chain.layers.slice(first, second).flatMap(({ type }, i) => (type === 'BatchNorm2d' ? [first + i] : []));
  return [
    [pathOf(chain, first), 'ColwiseParallel'],
    ...norms.map((i): Entry => [pathOf(chain, i), 'ColwiseParallel']),
    [pathOf(chain, second), 'RowwiseParallel'],
  ];
}

/** Path of the last layer, if it gives one logit per token of a vocabulary and the loss takes logits in parts. */
export function vocabularyHead(
  layers: readonly LayerConfig[],
  loss: Config['loss'],
  ranks: number,
): string | undefined {
  const head = layers.at(-1);
  const isOfTokens = layers.some(({ type }) => type === 'TokenEmbedding' || type === 'Embedding');
  if (head?.type !== 'Linear' || !isOfTokens || !everyRankHasPart(head.out, ranks)) return undefined;
  if (POINTWISE_LAYERS.has(layers.at(-2)?.type ?? 'Linear')) return undefined;
  if (loss.type !== 'CrossEntropyLoss' || loss.classWeights !== undefined || (loss.labelSmoothing ?? 0) > 0)
    return undefined;
  return pathOf({ layers, prefix: '' }, layers.length - 1);
}
