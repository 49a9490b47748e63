/**
 * Ready-made runs of well-known models that are too large for a page: only the command line offers them. Not in
 * presets.ts, which the page loads before Play can be pressed. `sizing/` computes with the same shapes.
 */
import type { LayerInput } from './config/layers';
import { type GptSizes, gptLayers, type Preset } from './presets';

/** Radford et al. (2019): 124,439,808 parameters. */
export const GPT_2_SMALL: GptSizes = { vocab: 50_257, context: 1024, width: 768, heads: 12, layers: 12 };

/** The head has no weight of its own and uses the token embedding's. */
const headIsTied = (layers: readonly LayerInput[]): LayerInput[] =>
  layers.map((layer) => (layer.type === 'Linear' ? { ...layer, tied: 'tok.weight' } : layer));

export const LARGE_PRESETS = {
  gpt2: {
    title: 'GPT-2 small',
    about:
      "GPT-2's smallest model by its shapes, with 124 million parameters that begin as PyTorch's layers draw them. Rows have 64 of its 1,024 positions.",
    config: {
      model: { layers: headIsTied(gptLayers(GPT_2_SMALL)) },
      loss: { type: 'CrossEntropyLoss' },
      optimizer: { type: 'AdamW', lr: 0.0003 },
      paramGroups: [
        { match: '*.bias', weightDecay: 0 },
        { match: '*ln*', weightDecay: 0 },
      ],
      clipGradNorm: 1,
      data: { type: 'text', context: 64 },
      batchSize: 1,
      memoryBudgetMb: 8192,
      steps: 10,
    },
  },
} as const satisfies Record<string, Preset>;
